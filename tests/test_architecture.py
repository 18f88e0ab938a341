"""What the import contracts cannot say: sizes, who reads the environment, what may be named."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuel_app.settings import ROOT

LONGEST = 300  # lines; where one stops and splits
OURS = ("fuel_app", "tests", "bench", "alembic", "docs", "deploy", ".ci")
TEXT = {".py", ".md", ".toml", ".txt", ".css", ".mako", ""}
READ_THE_ENVIRONMENT = {"fuel_app/settings.py", "fuel_app/__main__.py"}
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


@pytest.mark.parametrize("file", modules(*OURS), ids=relative)
def test_no_file_grows_past_where_it_should_be_split(file):
    assert len(file.read_text().splitlines()) <= LONGEST


@pytest.mark.parametrize("file", modules("fuel_app"), ids=relative)
def test_only_the_settings_read_the_environment(file):
    if relative(file) in READ_THE_ENVIRONMENT:
        return
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.name
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute | ast.alias)
    }
    assert used & ENVIRONMENT == set()


def test_nothing_points_outside_the_project():
    """Whoever clones this has nothing but what is in it."""
    top = [file for file in ROOT.iterdir() if file.suffix in TEXT - {""} and file.is_file()]
    outside = [
        f"{relative(file)}: {path}"
        for file in (*top, ROOT / "Makefile", *ours(*OURS))
        for path in re.findall(r"(?:\.\./)+[\w./-]*", file.read_text())
        if not (file.parent / path).resolve().is_relative_to(ROOT)
    ]
    assert outside == []


def test_no_two_test_modules_hide_each_other():
    """Test folders are packages, so that the same noun has the same file name in each."""
    folders = {file.parent for file in modules("tests") if file.name.startswith("test_")}
    assert [relative(folder) for folder in folders if not (folder / "__init__.py").exists()] == []
