"""`python -m demo`: make the demo where it is missing or old, print its sign-ins, and serve it.

The database and the secret key are files of its own; the settings of a real site are not read.
"""

import argparse
import fcntl
import hashlib
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from dotenv import dotenv_values

from demo import Size

ROOT = Path(__file__).parent.parent
_FILE, _FOLDER = "demo.db", "demo"
_READ = {"PORT", "FUEL_HOST", "FUEL_TILE_URL"}  # of the machine's own settings
_TODAY = ZoneInfo("America/New_York")


def main() -> None:
    arguments = _arguments()
    folder: Path = arguments.folder.resolve()
    _refuse_other_database(folder / _FILE)
    (folder / _FOLDER).mkdir(parents=True, exist_ok=True)
    own = _own_settings(folder)
    if not arguments.only_make:
        _run("fuel_app", "build", settings=own)
    with (folder / _FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if why := _reason_to_make(folder, arguments):
            print(why, flush=True)
            _make(folder, own, arguments)
    os.environ.update(own | {"FUEL_DATABASE_URL": f"sqlite:///{folder / _FILE}"})
    from demo.signing_in import sign_ins

    print(sign_ins(), flush=True)
    if not arguments.only_make:
        _serve(arguments.now)


def _serve(moment: datetime | None) -> None:
    """Serve the demo in this process, at a moment that is asked for or now."""
    from demo.serving import MOMENT
    from fuel_app.__main__ import serve

    if moment:
        os.environ[MOMENT] = moment.astimezone(UTC).isoformat()
        serve("demo.serving:app")
    serve()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="make it anew")
    parser.add_argument("--only-make", action="store_true", help="do not serve it")
    parser.add_argument("--folder", type=Path, default=ROOT / "data", help="of its files")
    parser.add_argument("--customers", type=int, default=Size.customers)
    parser.add_argument("--days", type=int, default=Size.days, help="of history, at least 8")
    parser.add_argument("--leads", type=int, default=Size.leads, help="who wait in other places")
    parser.add_argument(
        "--now",
        type=datetime.fromisoformat,
        default=None,
        help="its moment; by default the clock's",
    )
    arguments = parser.parse_args()
    if arguments.days < 8:  # what happens on some days needs those before
        parser.error("--days: at least 8")
    return arguments


def _refuse_other_database(file: Path) -> None:
    named = os.environ.get("FUEL_DATABASE_URL", "")
    if named and named != f"sqlite:///{file}":
        raise SystemExit(f"FUEL_DATABASE_URL: the demo has a database of its own, {file}: unset it")


def _own_settings(folder: Path) -> dict[str, str]:
    """Return the environment of the demo: empty is the default, whatever `.env` says."""
    known = {name.upper() for name in (*os.environ, *dotenv_values(ROOT / ".env"))}
    emptied = {name: "" for name in known if name.startswith("FUEL_") and name not in _READ}
    key = folder / _FOLDER / "secret-key"
    if not key.exists():
        key.touch(0o600)
        key.write_text(hashlib.sha256(os.urandom(32)).hexdigest())
    # Signing in with the shared password is over: there is an admin.
    return emptied | {"FUEL_SECRET_KEY": key.read_text(), "FUEL_STAFF_PASSWORD": key.read_text()}


def _stamp(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the demo depends on."""
    digest = hashlib.sha256()
    sources = (ROOT / "demo").glob("*.py"), (ROOT / "alembic" / "versions").glob("*.py")
    for source in sorted(each for group in sources for each in group):
        digest.update(source.read_bytes())
    now = arguments.now or datetime.now(UTC)
    size = [arguments.customers, arguments.days, arguments.leads]
    return {"day": now.astimezone(_TODAY).date().isoformat(), "size": size} | {
        "sources": digest.hexdigest()
    }


def _reason_to_make(folder: Path, arguments: argparse.Namespace) -> str:
    """Return why the demo is made now, in a line; '' if it is there."""
    stamp = folder / _FOLDER / "made.json"
    if not (folder / _FILE).exists() or not stamp.exists():
        return "Making the demo: weeks of a company, which takes about a minute."
    if arguments.fresh:
        return "Making the demo anew, as you asked."
    former, wanted = json.loads(stamp.read_text()), _stamp(arguments)
    if former["day"] != wanted["day"]:
        return f"The demo's today is {former['day']}: making it anew for {wanted['day']}."
    return "" if former == wanted else "Making the demo anew: its code or size has changed."


def _make(folder: Path, own: dict[str, str], arguments: argparse.Namespace) -> None:
    """Make it in a file of its own, which takes the former one's place when it is whole."""
    unfinished = folder / _FOLDER / "making.db"
    _remove(unfinished)
    settings = own | {"FUEL_DATABASE_URL": f"sqlite:///{unfinished}", "FUEL_RATE_LIMITS": "off"}
    _run("fuel_app", "migrate", settings=settings)
    now = (arguments.now or datetime.now(UTC)).astimezone(UTC).isoformat()
    size = map(str, (arguments.customers, arguments.days, arguments.leads))
    _run("demo.making", now, *size, settings=settings)
    _remove(folder / _FILE)
    unfinished.rename(folder / _FILE)
    (folder / _FOLDER / "made.json").write_text(json.dumps(_stamp(arguments)))


def _run(module: str, *arguments: str, settings: dict[str, str]) -> None:
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.returncode)


def _remove(database: Path) -> None:
    for more in ("", "-wal", "-shm"):
        Path(f"{database}{more}").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
