"""The build asks no registry but the one that npm is set to."""

from pathlib import Path

import pytest
from reflex.utils import frontend_skeleton

from fuel_app.settings import ROOT


def test_reflex_measures_no_registries_and_names_none(monkeypatch, tmp_path: Path):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(frontend_skeleton, "get_web_dir", lambda: tmp_path)
    monkeypatch.setattr(
        frontend_skeleton, "get_npm_registry", lambda: pytest.fail("Reflex chose a registry.")
    )
    frontend_skeleton.initialize_bun_config()
    frontend_skeleton.initialize_npmrc()
    for name in (".npmrc", "bunfig.toml"):
        settings = [line for line in (tmp_path / name).read_text().splitlines() if line[0] != "#"]
        assert settings == []
