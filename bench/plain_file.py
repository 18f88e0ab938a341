"""A page as a plain file: what a visitor sees of it at first, without any script."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urljoin

import brotli
import httpx

_SCRIPTS = re.compile(r"<script\b.*?</script>", re.DOTALL)
_PRELOADS = re.compile(r'<link rel="[a-z-]*modulepreload"[^>]*>')
_PASSED_ON = ("content-type", "content-encoding", "cache-control")


@contextmanager
def served(address: str) -> Iterator[str]:
    """Gives the address of the page as a file; its fonts and pictures are the site's own."""
    document = _PRELOADS.sub("", _SCRIPTS.sub("", httpx.get(address).text))
    page = brotli.compress(document.encode())

    class Files(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path == "/":
                self._answer(page, {"content-type": "text/html", "content-encoding": "br"})
                return
            accepted = {"accept-encoding": self.headers.get("accept-encoding", "")}
            with httpx.stream("GET", urljoin(address, self.path), headers=accepted) as file:
                body = b"".join(file.iter_raw())
            self._answer(
                body,
                {name: file.headers[name] for name in _PASSED_ON if name in file.headers},
                file.status_code,
            )

        def _answer(self, body: bytes, headers: dict[str, str], status: int = 200) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: a table is to be printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
