"""A local tile server, so that no test uses another host."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread

from PIL import Image, ImageDraw


def _tile() -> bytes:
    picture = Image.new("RGB", (256, 256), "#E4ECEE")
    ImageDraw.Draw(picture).rectangle((0, 0, 255, 255), outline="#C9D8DC")
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


class _Tiles(BaseHTTPRequestHandler):
    tile = _tile()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Cache-Control", "no-store")  # each look at the map asks anew
        with suppress(ConnectionError):  # the page was left
            self.end_headers()
            self.wfile.write(self.tile)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def tile_server() -> Iterator[str]:
    """Serve tiles until the block ends; gives what FUEL_TILE_URL is to be."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Tiles)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{{z}}/{{x}}/{{y}}.png"
    server.shutdown()
    server.server_close()
