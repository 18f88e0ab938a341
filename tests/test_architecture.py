"""Architecture rules beyond the import contracts: sizes, file names, the environment."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from fuel_app.settings import ROOT

LONGEST = 800  # lines: beyond it a file holds more than one thought
LAYERS = {"__init__", "__pycache__", "rules", "tables", "queries", "providers", "service", "jobs"}
LAYERS |= {"compose", "templates", "samples", "state", "ui", "pages", "http"}
OURS = ("fuel_app", "tests", "bench", "alembic", "docs", "deploy", ".ci")
TEXT = {".py", ".md", ".toml", ".txt", ".css", ".mako", ""}
READ_THE_ENVIRONMENT = {
    "fuel_app/settings.py",
    "fuel_app/__main__.py",  # hands it on to the processes that it starts
    "fuel_app/server/reflex/command.py",
}
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "dotenv_values", "load_dotenv"}


def ours(*folders: str) -> Iterator[Path]:
    """The project's own texts in these folders."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and file.suffix in TEXT and "__pycache__" not in file.parts:
                yield file


def modules(*folders: str) -> list[Path]:
    return [file for file in ours(*folders) if file.suffix == ".py"]


def relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def test_no_file_is_longer_than_it_may_be():
    written = (f for f in modules(*OURS) if "versions" not in f.parts)  # migrations are generated
    long = [f for f in written if len(f.read_text().splitlines()) > LONGEST]
    assert [relative(file) for file in long] == []


def test_only_the_settings_read_the_environment():
    readers = {
        relative(file)
        for file in modules("fuel_app")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute | ast.alias)
        and (node.attr if isinstance(node, ast.Attribute) else node.name) in ENVIRONMENT
    }
    assert readers <= READ_THE_ENVIRONMENT


def test_every_package_has_the_same_file_names():
    packages = [
        folder for folder in (ROOT / "fuel_app").iterdir() if (folder / "__init__.py").exists()
    ]
    odd = {
        relative(path)
        for package in packages
        if package.name not in {"kit", "server"}
        for path in package.iterdir()
        if path.suffix in {".py", ""} and path.stem not in LAYERS
    }
    assert odd == set()


def test_nothing_points_outside_the_project():
    top = [file for file in ROOT.iterdir() if file.suffix in TEXT - {""} and file.is_file()]
    outside = [
        f"{relative(file)}: {path}"
        for file in (*top, ROOT / "Makefile", *ours(*OURS))
        for path in re.findall(r"(?:\.\./)+[\w./-]*", file.read_text())
        if not (file.parent / path).resolve().is_relative_to(ROOT)
    ]
    assert outside == []


PATH_NAMED = re.compile(r"`([\w./-]+/[\w./-]+\.(?:py|js|md|html|toml))`")


def test_files_that_the_docs_name_exist():
    named = {
        (relative(file), path)
        for file in [*ROOT.glob("*.md"), *ours("docs"), *ours("deploy")]
        for path in PATH_NAMED.findall(file.read_text())
    }
    roots = (ROOT, ROOT / "fuel_app")
    assert (
        sorted(
            (file, path)
            for file, path in named
            if not any((root / path).exists() for root in roots)
        )
        == []
    )
