"""A local server that plays the EIA's API in its documented shape."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

PATH = "/v2/petroleum/pri/gnd/data/"


@dataclass
class Eia:
    """The server with the questions that it got and its answer."""

    address: str = ""
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    status: int = 200
    body: bytes = b""

    def say(self, *rows: Any, status: int = 200) -> None:
        said = {"response": {"total": str(len(rows)), "data": rows}, "apiVersion": "2.1.12"}
        self.status, self.body = status, json.dumps(said).encode()


def row(series: str, week: str, value: Any, **differs: Any) -> dict[str, Any]:
    area = {"duoarea": "SFL", "area-name": "FLORIDA", "process": "PTE"}
    return {"period": week, **area, "series": series, "value": value, "units": "$/GAL"} | differs


@contextmanager
def eia_server() -> Iterator[Eia]:
    eia = Eia()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            eia.asked.append(parse_qs(urlsplit(self.path).query))
            self.send_response(eia.status)
            self.send_header("Content-Length", str(len(eia.body)))
            self.end_headers()
            self.wfile.write(eia.body)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    eia.address = f"http://127.0.0.1:{server.server_port}{PATH}"
    running = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    running.start()
    try:
        yield eia
    finally:
        server.shutdown()
        server.server_close()
        running.join()


@pytest.fixture
def eia() -> Iterator[Eia]:
    with eia_server() as server:
        yield server
