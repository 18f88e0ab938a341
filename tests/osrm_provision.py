"""OSRM itself and a small real map, for `make prove`: `python -m tests.osrm_provision`.

The package `osrm-bindings` carries OSRM's programs in its wheel and a map of Monaco in its source
archive. Both are unpacked into `.cache/osrm`, not installed: the wheel is of a newer Python.
"""

import hashlib
import re
import subprocess
import sys
import tarfile
import zipfile
from io import BytesIO

import httpx

from fuel_app.settings import ROOT

VERSION = "26.10.0"
PACKAGE = "osrm-bindings"
SOURCE = f"osrm_bindings-{VERSION}.tar.gz"
SOURCE_SHA256 = "2ca271af60e0628394f070e9a0f371bf18ff6c6e23769acc620d4aa7c07ed32c"
MAP = f"osrm_bindings-{VERSION}/test/data/monaco.osm.pbf"
FOLDER = ROOT / ".cache" / "osrm" / VERSION
PROGRAMS = FOLDER / "osrm" / "bin"
GRAPH = FOLDER / "monaco.osrm"


def is_ready() -> bool:
    return (FOLDER / "ready").exists()


def main() -> None:
    """Download, unpack and prepare what is missing."""
    if is_ready():
        return
    print("Fetching OSRM and a map of Monaco for the proofs ...", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    _unpack_programs()
    (FOLDER / "monaco.osm.pbf").write_bytes(_map())
    profile = next(FOLDER.glob("osrm/**/profiles/car.lua"))
    _run("osrm-extract", "-p", str(profile), "monaco.osm.pbf")
    _run("osrm-partition", GRAPH.name)
    _run("osrm-customize", GRAPH.name)
    (FOLDER / "ready").touch()


def _unpack_programs() -> None:
    wanted = ("--only-binary", ":all:", "--python-version", "3.12", "--no-deps")
    pip = (sys.executable, "-m", "pip", "download", "-q", "-d", str(FOLDER))
    subprocess.run([*pip, *wanted, f"{PACKAGE}=={VERSION}"], check=True)
    with zipfile.ZipFile(next(FOLDER.glob("*.whl"))) as wheel:
        wheel.extractall(FOLDER)
    for program in PROGRAMS.iterdir():
        program.chmod(0o755)


def _map() -> bytes:
    """Return the map from the source archive, which pip alone would begin to build."""
    asked = [sys.executable, "-m", "pip", "index", "versions", "-vv", PACKAGE]
    said = subprocess.run(asked, capture_output=True, text=True, check=True)
    link = re.search(rf"https?://\S+/{re.escape(SOURCE)}", said.stdout + said.stderr)
    if link is None:
        raise SystemExit(f"There is no {SOURCE} where pip looks for packages.")
    archive = httpx.get(link[0], follow_redirects=True, timeout=600)
    data = archive.raise_for_status().content
    if hashlib.sha256(data).hexdigest() != SOURCE_SHA256:
        raise SystemExit(f"{SOURCE} is not the one that was read.")
    with tarfile.open(fileobj=BytesIO(data)) as unpacked:
        member = unpacked.extractfile(MAP)
        assert member
        return member.read()


def _run(program: str, *arguments: str) -> None:
    subprocess.run(
        [PROGRAMS / program, *arguments], cwd=FOLDER, stdout=subprocess.DEVNULL, check=True
    )


if __name__ == "__main__":
    main()
