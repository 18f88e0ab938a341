"""The audit of pinned packages, with a local server that answers as OSV does."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests import audit

pytestmark = pytest.mark.slow

WEAK = {
    "id": "PYSEC-2026-1",
    "aliases": [],
    "summary": "It can be attacked.",
    "details": "It can be attacked.",
    "affected": [
        {
            "package": {"name": "idna", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "3.99"}]}],
        }
    ],
}


@pytest.fixture
def service() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            weak = question["package"]["name"] == "idna"
            body = json.dumps({"vulns": [WEAK]} if weak else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query"
    server.shutdown()
    server.server_close()


def test_known_vulnerability_fails_unless_accepted(service, tmp_path, monkeypatch, capfd):
    pinned = tmp_path / "constraints.txt"
    monkeypatch.setattr(audit, "PINNED", pinned)
    pinned.write_text("certifi==2026.1.1\nidna==3.6\n")
    assert audit.audit(service) == 1
    assert "PYSEC-2026-1" in capfd.readouterr().out

    monkeypatch.setattr(audit, "ACCEPTED", {"PYSEC-2026-1": "The product does not use it."})
    assert audit.audit(service) == 0


def test_unreachable_or_unresponsive_service_is_reported_in_one_line(capsys, monkeypatch):
    monkeypatch.setattr(audit, "TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as unresponsive:
        for port in (9, unresponsive.getsockname()[1]):
            assert audit.audit(f"http://127.0.0.1:{port}/") == 0
    assert capsys.readouterr().out.count("\n") == 2
