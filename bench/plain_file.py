"""A page as a plain file without scripts, served beside the built site's fonts and pictures."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import brotli
import httpx

from tests.site import ROOT

_BUILT = ROOT / ".web" / "build" / "client"
_SCRIPTS = re.compile(r'<script\b.*?</script>|<link rel="[a-z-]*modulepreload"[^>]*>', re.DOTALL)


class _Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    page = b""

    def do_GET(self) -> None:
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Encoding", "br")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the output for the table."""


@contextmanager
def served(address: str) -> Iterator[str]:
    """Serve a page of the site as a file. Yield its address."""
    _Files.page = brotli.compress(_SCRIPTS.sub("", httpx.get(address).text).encode())
    handler = partial(_Files, directory=str(_BUILT))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
