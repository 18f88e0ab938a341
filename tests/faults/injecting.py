"""Faults that are switched on and off inside the processes of a site."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.site import ROOT

_HERE = Path(__file__).parent / "injected"


@dataclass(frozen=True)
class Injected:
    """What is wrong with a site's processes, by a file that all of them read."""

    file: Path

    @classmethod
    def into(cls, folder: Path) -> "Injected":
        made = cls(folder / "faults.json")
        made.set()
        return made

    @property
    def settings(self) -> dict[str, str]:
        """The environment of the processes."""
        return {"PYTHONPATH": f"{_HERE}{os.pathsep}{ROOT}", "FAULTS": str(self.file)}

    def set(self, *, off_s: float = 0, provider: Sequence[str] = ()) -> None:
        """Say what is wrong from now on.

        Args:
            off_s: How far the wall clock is off.
            provider: The stand-in's faults, of which each request meets one by chance.
        """
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps({"off_s": off_s, "provider": list(provider)}))
        new.replace(self.file)
