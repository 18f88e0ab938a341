"""`python -m tests.licences`, with packages whose licence is forbidden."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import licences


@pytest.fixture
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes requirements of one installed package, with more lines of metadata."""

    def write(*metadata: str) -> Path:
        info = tmp_path / "made_up-1.0.dist-info"
        info.mkdir(exist_ok=True)
        lines = ["Metadata-Version: 2.4", "Name: made-up", "Version: 1.0", *metadata, ""]
        (info / "METADATA").write_text("\n".join(lines))
        file = tmp_path / "requirements.txt"
        file.write_text("made_up==1.0  # a reason\n")
        return file

    monkeypatch.syspath_prepend(tmp_path)
    return write


@pytest.fixture
def lock(tmp_path: Path) -> Callable[..., Path]:
    """Makes a lock file of one package."""

    def write(**package: str) -> Path:
        file = tmp_path / "package-lock.json"
        file.write_text(json.dumps({"packages": {"": {}, "node_modules/@made/up": package}}))
        return file

    return write


def test_shipped_packages_have_allowed_licences(capsys):
    assert licences.main() == 0
    listed = capsys.readouterr().out
    for name in ("leaflet ", "reflex ", "@socket.io/component-emitter ", "h11 "):
        assert f"\n{name}" in listed


@pytest.mark.parametrize(
    ("package", "shown"),
    [
        ({"license": "Hippocratic-2.1"}, "Hippocratic-2.1 NOT ALLOWED"),
        ({"license": "MIT AND GPL-3.0-only"}, "MIT AND GPL-3.0-only NOT ALLOWED"),
        ({"version": "1.0"}, "NOT ALLOWED"),
    ],
)
def test_forbidden_or_missing_npm_licence_fails(requirements, lock, package, shown, capsys):
    assert licences.main(requirements("License-Expression: MIT"), lock(**package)) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "@made/up" in printed
    assert shown in printed


@pytest.mark.parametrize(
    ("metadata", "result"),
    [
        ("License-Expression: Apache-2.0 OR GPL-2.0-only", 0),
        ("Classifier: License :: OSI Approved :: MIT License", 0),
        ("License: BSD", 0),
        ("License-Expression: LGPL-3.0-or-later", 1),
        ("Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)", 1),
        ("License: Proprietary", 1),
        ("Summary: says nothing", 1),
    ],
)
def test_python_licence_is_read_from_metadata(requirements, lock, metadata, result):
    assert licences.main(requirements(metadata), lock(license="ISC")) == result


def test_dependencies_are_checked_but_not_extras(requirements, lock, capsys):
    file = requirements("License-Expression: MIT", "Requires-Dist: not-there>=1")
    assert licences.main(file, lock(license="MIT")) == 1
    assert "not-there not installed NOT ALLOWED" in " ".join(capsys.readouterr().out.split())
    extra = requirements("License-Expression: MIT", 'Requires-Dist: not-there; extra == "more"')
    assert licences.main(extra, lock(license="MIT")) == 0
