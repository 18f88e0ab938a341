"""Throw-away servers for the tests, each in a folder that goes with it."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests import provision
from tests.waiting import came_true

START_DEADLINE_S = 30
STOP_DEADLINE_S = 10
MEMORY_NEEDED = 2**30
TRIES = 5  # another program may take the free port first

# Ends the server if the test run is killed: its end of the pipe closes with it.
WATCHER = """
read -r _
kill -s "$1" "$2"
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$2" && sleep 0.2 || break; done 2>/dev/null
rm -rf "$3"
"""


class StartError(RuntimeError):
    """The server ended before it was ready, or took too long; holds its last words."""


@contextmanager
def postgres(**more: str) -> Iterator[str]:
    """The address of a PostgreSQL: see `postgres_server`."""
    with postgres_server(**more) as server:
        yield server.url


@contextmanager
def redis() -> Iterator[str]:
    """The address of a Redis: see `redis_server`."""
    with redis_server() as server:
        yield server.url


@contextmanager
def postgres_server(**more: str) -> Iterator["Server"]:
    """A PostgreSQL on a free port of this machine; its address names its `postgres` database.

    It is not durable (no fsync), trusts every connection, and does not run as root.

    Args:
        more: Settings of the server.
    """
    with _reachable(provision.postgres_bin()) as programs, _folder(memory()) as folder:
        data = folder / "data"
        cluster = ["--username=fuel", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8"]
        made = subprocess.run(
            [programs / "initdb", "--pgdata", data, *cluster],
            capture_output=True,
            text=True,
            cwd=folder,
            **_unprivileged(),
        )
        if made.returncode:
            raise StartError(made.stderr)

        def command(port: int) -> list[str | Path]:
            options = {
                "listen_addresses": "127.0.0.1",
                "port": port,
                "unix_socket_directories": folder,
                "fsync": "off",
                "synchronous_commit": "off",
                "full_page_writes": "off",
                "max_connections": 100,
                "timezone": "America/New_York",  # ours must be UTC wherever the server is
                **more,
            }
            settings = [
                part for name, value in options.items() for part in ("-c", f"{name}={value}")
            ]
            return [programs / "postgres", "-D", data, *settings]

        def ready(port: int) -> bool:
            with suppress(FileNotFoundError):
                lines = (data / "postmaster.pid").read_text().splitlines()
                return len(lines) > 7 and lines[3] == str(port) and lines[7].strip() == "ready"
            return False

        url = "postgresql+asyncpg://fuel@127.0.0.1:{port}/postgres"
        at_once = signal.SIGQUIT  # in PostgreSQL's words
        with _serving(lambda: Server(url, command, ready, folder, at_once)) as server:
            yield server


@contextmanager
def redis_server() -> Iterator["Server"]:
    """A Redis on a free port of this machine that stores nothing."""
    with _folder() as folder:
        unix_socket = folder / "redis.sock"

        def command(port: int) -> list[str | Path]:
            options = {
                "bind": "127.0.0.1",
                "port": port,
                "unixsocket": unix_socket,
                "dir": folder,
                "save": "",
                "appendonly": "no",
            }
            settings = [
                part for name, value in options.items() for part in (f"--{name}", str(value))
            ]
            return [provision.redis_server(), *settings]

        def ready(_port: int) -> bool:
            # Over its own socket, so that no other Redis can answer.
            with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1)
                connection.connect(str(unix_socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            return False

        url = "redis://127.0.0.1:{port}/0"
        with _serving(lambda: Server(url, command, ready, folder, signal.SIGTERM)) as server:
            yield server


def is_root() -> bool:
    return os.geteuid() == 0


def _unprivileged() -> dict[str, Any]:
    """Return the arguments of `Popen` that start a process without root's rights."""
    if not is_root():
        return {}
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            someone = pwd.getpwnam(name)
            return {"user": someone.pw_uid, "group": someone.pw_gid, "extra_groups": []}
    raise provision.MissingError(
        "PostgreSQL does not run as root: the machine needs a user 'nobody'."
    )


@contextmanager
def _folder(inside: str | None = None) -> Iterator[Path]:
    """A folder that the server owns. Short: a socket's address has to fit in 100 characters."""
    folder = Path(tempfile.mkdtemp(prefix="fuel-", dir=inside))
    try:
        if someone := _unprivileged():
            os.chown(folder, someone["user"], someone["group"])
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def memory() -> str | None:
    """Return a folder in memory if there is room: a database is copied ten times as fast."""
    shared = Path("/dev/shm")
    roomy = os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > MEMORY_NEEDED
    return str(shared) if roomy else None


@contextmanager
def _reachable(programs: Path) -> Iterator[Path]:
    """Yield the programs where an unprivileged user can run them: root's folders are closed."""
    if not _unprivileged() or all(parent.stat().st_mode & 0o001 for parent in programs.parents):
        yield programs
        return
    install, wheel = programs.parent, programs.parent.parent
    libraries = wheel.with_name(f"{wheel.name}.libs")
    with _folder() as folder:
        shutil.copytree(install, folder / wheel.name / install.name, symlinks=True)
        if libraries.is_dir():
            shutil.copytree(libraries, folder / libraries.name)
        yield folder / wheel.name / install.name / programs.name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server on a port of its own that can be stopped and started."""

    def __init__(
        self,
        scheme: str,
        command: Callable[[int], Sequence[str | Path]],
        ready: Callable[[int], bool],
        folder: Path,
        stop: signal.Signals,
    ) -> None:
        self.port = free_port()
        self.url = scheme.format(port=self.port)
        self._command, self._ready = command, ready
        self._log, self._folder, self._how = folder / "log", folder, stop
        self._running = ExitStack()

    def start(self) -> None:
        """Returns when it is ready.

        Raises:
            StartError: If it is not, for instance because another program has taken the port.
        """
        with self._log.open("w") as output:
            server = subprocess.Popen(
                self._command(self.port),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._folder,
                start_new_session=True,  # Ctrl-C is for the test run, which stops the server
                **_unprivileged(),
            )
        self._running.enter_context(_ended(server, self._how, self._folder))
        if not _gets_ready(server, lambda: self._ready(self.port)):
            self.stop()
            raise StartError(self._log.read_text()[-2000:])

    def stop(self) -> None:
        """Stop immediately, as in a crash; its files stay."""
        self._running.close()


@contextmanager
def _serving(make: Callable[[], Server]) -> Iterator[Server]:
    """Run a server until the block ends."""
    for attempt in range(1, TRIES + 1):
        server = make()
        try:
            server.start()
        except StartError:
            if attempt == TRIES:
                raise
            continue
        try:
            yield server
        finally:
            server.stop()
        return


def _gets_ready(server: subprocess.Popen[Any], ready: Callable[[], bool]) -> bool:
    """Wait. Return False if the server ends or takes too long."""
    settled = came_true(lambda: ready() or server.poll() is not None, within=START_DEADLINE_S)
    return settled and server.poll() is None


@contextmanager
def _ended(server: subprocess.Popen[Any], stop: signal.Signals, folder: Path) -> Iterator[None]:
    """Stop the server after the block, and also if this process is killed inside it."""
    try:
        with ended_with_us(server, stop, folder):
            yield
    finally:
        server.send_signal(stop)
        try:
            server.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@contextmanager
def ended_with_us(
    server: subprocess.Popen[Any], stop: signal.Signals, folder: Path | str = ""
) -> Iterator[None]:
    """Stop the server and delete its folder if this process is killed inside the block.

    Servers have sessions of their own and would run on.
    """
    name = stop.name.removeprefix("SIG")
    watcher = subprocess.Popen(
        ["sh", "-c", WATCHER, "watcher", name, str(server.pid), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        watcher.kill()
        watcher.communicate()
