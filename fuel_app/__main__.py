"""The commands of an installation: `python -m fuel_app build`, `migrate`, `serve` and so on."""

import argparse
import asyncio
import fcntl
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path
from threading import Thread
from typing import Any

from fuel_app.server.reflex.command import FRAMEWORK, SERVING, uvicorn
from fuel_app.settings import DATA_DIR, ROOT, settings

WEB = ROOT / ".web"
BUILT = WEB / "build" / "client"
STAMP = WEB / "built-from"
PACKAGES = ROOT / ".packages"
SOURCES = ("fuel_app", "assets", "rxconfig.py", "requirements.txt", "reflex.lock")

OPEN_FILES = 65_536  # each connection is one; the usual soft limit is 1,024


def _built_from() -> dict[str, object]:
    """Return what the pages depend on: a hash of the sources, and the settings they contain."""
    digest = hashlib.sha256()
    for source in SOURCES:
        place = ROOT / source
        files = [place] if place.is_file() else sorted(place.rglob("*"))
        for file in files:
            if file.is_file() and file.suffix != ".pyc":
                digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return {"sources": digest.hexdigest(), "settings": settings.on_pages()}


def _last_build() -> dict[str, Any]:
    """Return what the pages were built from; empty if they are not built."""
    if not STAMP.exists() or not (BUILT / "index.html").exists():
        return {}
    try:
        return json.loads(STAMP.read_text())
    except ValueError:  # of an older release
        return {}


def _install_packages() -> None:
    """Install npm's packages from the lock while Python compiles the pages.

    Reflex does so after it, and then finds them there: a cold build took 74 s instead of 108.
    """
    modules = WEB / "node_modules"
    if modules.exists():
        return
    PACKAGES.mkdir(exist_ok=True)
    for file in (*(ROOT / "reflex.lock").iterdir(), ROOT / ".npmrc"):
        shutil.copy(file, PACKAGES)
    command = ["npm", "ci", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent"]
    with suppress(OSError):  # Reflex was faster
        done = subprocess.run(command, cwd=PACKAGES, env=os.environ | FRAMEWORK)  # noqa: S603 (ours)
        if done.returncode == 0 and not modules.exists():
            (PACKAGES / "node_modules").rename(modules)
    shutil.rmtree(PACKAGES)


def build() -> None:
    """Build the pages, unless they are up to date."""
    with (ROOT / "rxconfig.py").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _last_build() == _built_from():
            return
        print("Building the pages ...", flush=True)
        Thread(target=_install_packages).start()
        command = [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"]
        subprocess.run(command, cwd=ROOT, env=os.environ | FRAMEWORK, check=True)  # noqa: S603 (ours)
        STAMP.write_text(json.dumps(_built_from()))  # anew: the build itself sorts reflex.lock


def migrate() -> None:
    """Bring the database to the newest migration."""

    from fuel_app.kit.db import backups

    if not settings.uses_sqlite:
        try:
            asyncio.run(backups.check(settings.database_url))
        except backups.NotOurs as problem:
            raise SystemExit(f"The database is not migrated: {problem}") from None
    command = [sys.executable, "-m", "alembic", "upgrade", "head"]
    if subprocess.run(command, cwd=ROOT).returncode:  # noqa: S603 (ours)
        raise SystemExit("The database is not migrated: what failed stands above.")


def backup(file: str | None = None) -> None:
    """Back up the database to a file while the site runs; by default in data/backups."""
    from fuel_app.kit.db import backups

    name = f"fuel-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{backups.suffix(settings.database_url)}"
    copy = Path(file) if file else DATA_DIR / "backups" / name
    try:
        backups.back_up(settings.database_url, copy)
    except backups.BackupFailed as problem:
        raise SystemExit(f"No backup: {problem}.") from None
    print(f"The database is in {copy}")


def restore(file: str | None = None) -> None:
    """Restore a backup into an empty database, and migrate it."""
    from fuel_app.kit.db import backups

    if not file:
        raise SystemExit("Which backup? python -m fuel_app restore FILE")
    try:
        backups.restore(Path(file), settings.database_url)
    except backups.BackupFailed as problem:
        raise SystemExit(f"Nothing is restored: {problem}.") from None
    migrate()
    print(f"The database holds what was in {file}")


def serve(app: str = "fuel_app.fuel_app:app") -> None:
    """Serve the built site and its events on one port."""
    _check_build()
    if settings.workers > 1 and not settings.redis_url:
        raise SystemExit("FUEL_WORKERS: more than one process needs FUEL_REDIS_URL")
    _prepare_staff_password()
    print(f"The site is at http://localhost:{settings.port}", flush=True)
    command = uvicorn(app, workers=settings.workers, host=settings.host, port=settings.port)
    _allow_many_connections()
    os.chdir(ROOT)
    environment = os.environ | FRAMEWORK | SERVING
    if settings.workers > 1:  # workers that share a port add up their metrics in a folder
        environment["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="fuel-metrics-")
    os.execvpe(sys.executable, command, environment)  # noqa: S606 (no shell, nothing from outside)


def _check_build() -> None:
    """Refuse to serve pages that were built with other settings, such as another brand."""
    built = _last_build().get("settings")
    if built is None:
        raise SystemExit("The pages are not built yet: python -m fuel_app build")
    now = settings.on_pages()
    other = {name for name in now if built.get(name) != now[name]}
    if other == {"FUEL_SITE_URL"}:  # used at run time too; only search engines see the old one
        print("FUEL_SITE_URL: the pages were built with another value; build them again")
    elif other:
        names = ", ".join(sorted(other))
        raise SystemExit(
            f"{names}: the pages were built with other values: python -m fuel_app build "
            "(a container: build the image with these settings)"
        )


def _allow_many_connections() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _prepare_staff_password() -> None:
    """Make a staff password at the first start, unless one is set."""
    from fuel_app.accounts.service import sessions as service

    if password := service.ensure_shared_password():
        print(f"The staff's password, shown this once: {password}", flush=True)


def staff_password() -> None:
    """Set a new staff password, typed twice or read from standard input."""
    from fuel_app.accounts.service import sessions as service
    from fuel_app.kit.errors import InvalidForm

    if not sys.stdin.isatty():
        password = sys.stdin.readline().rstrip("\r\n")
    elif (password := getpass("New staff password: ")) != getpass("The same again: "):
        raise SystemExit("These two differ: nothing is changed.")
    migrate()
    try:
        ended = asyncio.run(service.change_shared_password(password))
    except InvalidForm as refusal:
        raise SystemExit(f"{refusal.messages['password']}.") from None
    print(f"The staff's password is changed. Signed-in browsers that are out now: {ended}.")


def admin(email: str | None = None) -> None:
    """Make the account of an e-mail an admin without second factors; print a link to sign in."""
    from fuel_app import routes
    from fuel_app.accounts.rules import GOOD_FOR, Purpose
    from fuel_app.accounts.service import staff
    from fuel_app.kit import contact

    try:
        address = contact.email(email)
    except ValueError:
        raise SystemExit("Which e-mail? python -m fuel_app admin E-MAIL") from None
    migrate()
    token = asyncio.run(staff.restore_admin(address))
    minutes = int(GOOD_FOR[Purpose.RESET].total_seconds() / 60)
    print(f"{address} is an admin. Open this within {minutes} minutes to choose the password:")
    print(f"{settings.public_url}{routes.RESET_PASSWORD}/{token}")


def vapid_key() -> None:
    """Print a new FUEL_VAPID_PRIVATE_KEY, which signs notifications in browsers."""
    from fuel_app.messages.rules import push

    print(push.new_private_key())


def worker() -> None:
    """Run background jobs in a process of its own, beside those of the site (PostgreSQL)."""
    if settings.uses_sqlite:
        raise SystemExit("With SQLite the site itself runs the jobs. Several processes: PostgreSQL")
    os.environ.update(FRAMEWORK | SERVING)
    from fuel_app import fuel_app  # noqa: F401 (registers every handler)
    from fuel_app.kit.jobs.worker import serve
    from fuel_app.server import logs

    logs.set_up()
    asyncio.run(serve())


def dev() -> None:
    """Hot reload: pages on the port, events on the one after it."""
    ports = ["--frontend-port", str(settings.port), "--backend-port", str(settings.port + 1)]
    command = [sys.executable, "-m", "reflex", "run", *ports]
    _prepare_staff_password()
    os.chdir(ROOT)
    # Watch the code alone: the database changes with every start.
    watched = {"REFLEX_HOT_RELOAD_OVERRIDE_PATHS": str(ROOT / "fuel_app")}
    os.execvpe(sys.executable, command, os.environ | FRAMEWORK | watched)  # noqa: S606


COMMANDS = {
    command.__name__.replace("_", "-"): command
    for command in (
        build,
        migrate,
        backup,
        restore,
        serve,
        worker,
        dev,
        staff_password,
        admin,
        vapid_key,
    )
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m fuel_app", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("argument", nargs="?", help="file of backup and restore, e-mail of admin")
    arguments = parser.parse_args()
    if arguments.argument and arguments.command not in {"backup", "restore", "admin"}:
        parser.error(f"{arguments.command} takes nothing else")
    COMMANDS[arguments.command](*filter(None, [arguments.argument]))
