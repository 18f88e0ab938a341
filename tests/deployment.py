"""The site as a deployment runs it: PostgreSQL, Redis, two processes, and nginx in front.

nginx uses the file of `deploy/` with other ports and its own certificate, inside a main file like
Debian's: each of its workers has its own view of the site's processes, so there are two or more.
"""

import asyncio
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx
from prometheus_client.parser import text_string_to_metric_families

from fuel_app.accounts.state.session import COOKIE
from tests import provision, seed, servers
from tests.site import ROOT, START_S, Process, prepare, run, seeded
from tests.waiting import came_true

METRICS_TOKEN = "battery staple of monitoring"
SITE_FILE = ROOT / "deploy" / "nginx.conf"
PORTS_OF_THE_FILE = ("127.0.0.1:3001", "127.0.0.1:3002")
MAIN_FILE = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes {workers};
{user}
events {{ worker_connections 4096; }}
http {{
    sendfile on;
    tcp_nopush on;
    gzip on;
    access_log {folder}/access.log;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/fuel.conf;
}}
"""


@dataclass
class Deployment:
    """A running site. Its processes can be stopped, killed and started one by one."""

    url: str
    plain_url: str
    processes: list[Process]
    database_url: str
    redis_url: str
    tiles: str = ""

    def rows(self, query: str, *values: Any) -> list[tuple]:
        """Query the database; `$1` stands for the first value."""

        async def asked() -> list[tuple]:
            connection = await asyncpg.connect(self.database_url.replace("+asyncpg", ""))
            try:
                return [tuple(row) for row in await connection.fetch(query, *values)]
            finally:
                await connection.close()

        return run(asked())

    @contextmanager
    def unfinished(self, statement: str, *values: Any) -> Iterator[None]:
        """Hold another transaction with this statement open; roll it back after the block."""
        executed, over = threading.Event(), threading.Event()

        async def execute() -> None:
            connection = await asyncpg.connect(self.database_url.replace("+asyncpg", ""))
            await connection.execute("BEGIN")
            await connection.execute(statement, *values)
            executed.set()
            await asyncio.to_thread(over.wait)
            await connection.close()

        with ThreadPoolExecutor(1) as thread:
            transaction = thread.submit(asyncio.run, execute())
            try:
                assert executed.wait(timeout=20), transaction.exception(timeout=20)
                yield
            finally:
                over.set()
            transaction.result()

    def staff_cookie(self) -> dict[str, str]:
        """Return the cookie of a newly signed-in browser; the site is https."""
        return {f"__Host-{COOKIE}": seeded(self.database_url, seed.staff_session())}

    def metric(self, name: str, **labels: str) -> list[float]:
        """Return a metric of each process."""
        return [counted(process, name, **labels) for process in self.processes]

    def connected(self) -> list[int]:
        """Return the number of tabs of each process."""
        return [int(tabs) for tabs in self.metric("fuel_websockets")]


def counted(process: Process, name: str, **labels: str) -> float:
    bearer = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    text = httpx.get(f"{process.url}/metrics", headers=bearer).raise_for_status().text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


@contextmanager
def deployed(folder: Path, **settings: str) -> Iterator[Deployment]:
    """The built site as a deployment runs it, until the block ends."""
    with ExitStack() as stack:
        database_url = stack.enter_context(servers.postgres())
        redis_url = stack.enter_context(servers.redis())
        https, http = servers.free_port(), servers.free_port()
        shared = {
            "FUEL_DATABASE_URL": database_url,
            "FUEL_REDIS_URL": redis_url,
            "FUEL_SITE_URL": f"https://localhost:{https}",
            "FUEL_TRUSTED_PROXY_HOPS": "1",
            "FUEL_METRICS_TOKEN": METRICS_TOKEN,
            **settings,
        }
        prepare(shared)
        processes = [
            stack.enter_context(Process(folder / f"site-{number}.log", shared)) for number in (1, 2)
        ]
        ports = [process.port for process in processes]
        stack.enter_context(nginx(folder, https=https, http=http, ports=ports))
        url, plain_url = f"https://localhost:{https}", f"http://localhost:{http}"
        yield Deployment(url, plain_url, processes, database_url, redis_url)


@contextmanager
def nginx(folder: Path, *, https: int, http: int, ports: list[int]) -> Iterator[None]:
    """nginx with the file of `deploy/` before two processes, until the block ends."""
    _make_certificate(folder)
    text = SITE_FILE.read_text()
    ours = {
        "listen 443 ssl": f"listen 127.0.0.1:{https} ssl",
        "listen 80;": f"listen 127.0.0.1:{http};",
        "fuel.example;": "localhost;",
        "/etc/ssl/fuel/": f"{folder}/",
        "/var/log/nginx/": f"{folder}/",
    }
    processes = [f"127.0.0.1:{port}" for port in ports]
    for theirs, here in (ours | dict(zip(PORTS_OF_THE_FILE, processes, strict=True))).items():
        assert theirs in text, f"{SITE_FILE.name} has no '{theirs}' any more"
        text = text.replace(theirs, here)
    (folder / "fuel.conf").write_text(text)
    # As root it keeps its rights: the folder is the test's own.
    user = "user root;" if servers.is_root() else ""
    workers = max(2, os.cpu_count() or 1)  # Debian's `auto`
    main = MAIN_FILE.format(folder=folder, user=user, workers=workers)
    (folder / "nginx.conf").write_text(main)
    command = [provision.nginx(), "-p", folder, "-e", folder / "error.log"]
    server = subprocess.Popen([*command, "-c", folder / "nginx.conf"])

    def listens() -> bool:
        assert server.poll() is None, (folder / "error.log").read_text()
        with socket.socket() as visitor:
            return visitor.connect_ex(("127.0.0.1", https)) == 0

    try:
        assert came_true(listens, within=START_S)
        yield
    finally:
        server.terminate()
        server.wait(timeout=20)


def _make_certificate(folder: Path) -> None:
    command = [
        *(provision.openssl(), "req", "-x509", "-nodes", "-days", "2"),
        *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
        *("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"),
    ]
    subprocess.run(command, check=True, capture_output=True)
