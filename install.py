"""Install requirements with uv from where pip would: `.venv/bin/python install.py FILE`.

uv takes a tenth of pip's time, but reads nothing that this machine tells pip. So it is told here.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

LOCK = "constraints.txt"

SETTINGS = {  # of pip, and uv's variable for the same
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
}
SECTIONS = ("global", "install", ":env:")  # of pip's settings; the later one counts
# pip takes the best version of all indexes, uv by itself only what the first one has.
LIKE_PIP = {"UV_INDEX_STRATEGY": "unsafe-best-match"}


def listed() -> str:
    """Return pip's settings on this machine, from its files and the environment."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 (ours)


def translated(settings: str) -> dict[str, str]:
    """Return uv's variables for what `pip config list` says."""
    said = dict(line.split("=", 1) for line in settings.splitlines())
    variables: dict[str, str] = {}
    for section in SECTIONS:
        for setting, variable in SETTINGS.items():
            if value := said.get(f"{section}.{setting}"):
                between = "," if variable == "UV_FIND_LINKS" else " "
                variables[variable] = between.join(ast.literal_eval(value).split())
    return variables


def environment(settings: str, given: dict[str, str]) -> dict[str, str]:
    """Return uv's environment. What it is given itself counts before pip's, our lock always."""
    variables = LIKE_PIP | translated(settings) | given
    return variables | {"UV_CONSTRAINT": f"{LOCK} {variables.get('UV_CONSTRAINT', '')}".strip()}


def main(requirements: str) -> int:
    """Install into the venv of this Python, with the uv that is in it. Return the exit status."""
    uv = str(Path(sys.executable).with_name("uv"))
    command = [uv, "pip", "install", "--quiet", "--python", sys.executable, "-r", requirements]
    told = environment(listed(), dict(os.environ))
    return subprocess.run(command, cwd=Path(__file__).parent, env=told).returncode  # noqa: S603 (ours)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
