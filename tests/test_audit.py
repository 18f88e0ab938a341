"""What `make check` says of known weaknesses, with a service that answers as OSV does."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests import audit

WEAK = {
    "id": "PYSEC-2026-1",
    "aliases": [],
    "summary": "It opens every door.",
    "details": "It opens every door.",
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


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "constraints.txt"
    monkeypatch.setattr(audit, "PINNED", file)
    return file


def test_a_known_weakness_fails_unless_it_is_accepted(service, pinned, monkeypatch, capfd):
    pinned.write_text("certifi==2026.1.1\nidna==3.6\n")
    assert audit.audit(service) == 1
    assert "PYSEC-2026-1" in capfd.readouterr().out

    monkeypatch.setattr(audit, "ACCEPTED", {"PYSEC-2026-1": "Nothing of ours has that door."})
    assert audit.audit(service) == 0

    pinned.write_text("certifi==2026.1.1\n")
    monkeypatch.setattr(audit, "ACCEPTED", {})
    assert audit.audit(service) == 0


def test_a_service_that_is_not_there_or_silent_is_said_in_one_line_and_soon(capsys, monkeypatch):
    monkeypatch.setattr(audit, "PATIENCE_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        nobody, mute = "http://127.0.0.1:9/", f"http://127.0.0.1:{silent.getsockname()[1]}/"
        started = time.perf_counter()
        assert (audit.audit(nobody), audit.audit(mute)) == (0, 0)
        assert time.perf_counter() - started < 5
    assert capsys.readouterr().out.count("\n") == 2


def test_whatever_is_accepted_has_its_reason():
    assert all(len(reason) > 20 for reason in audit.ACCEPTED.values())
