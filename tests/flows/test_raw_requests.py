"""Attack: malformed requests, byte by byte, to the running site."""

import json
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import pytest

from tests.site import Site

LOCAL = "Host: localhost"
UPGRADE = (
    *(LOCAL, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"),
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)
TAB = "/_event/?EIO=4&token=00000000-0000-4000-8000-000000000000&transport="
HERE, EVIL, NOWHERE = "Origin: http://localhost", "Origin: http://evil.example", "Origin: null"
UP = "." * 2


def get(path: str, *headers: str) -> str:
    return request(f"GET {path} HTTP/1.1", *(headers or (LOCAL,)))


def post(path: str, *headers: str, body: str = "") -> str:
    return request(f"POST {path} HTTP/1.1", LOCAL, *headers, body=body)


def request(*lines: str, body: str = "") -> str:
    return "\r\n".join([*lines, "", body])


SIGN_IN = "/api/session"
REFUSED = {
    "huge header": get("/", LOCAL, f"X-A: {'x' * 1_000_000}"),
    "many headers": get("/", LOCAL, *["A: b"] * 10_000),
    "two hosts": get("/", LOCAL, LOCAL),
    "no host": get("/", "X-A: b"),
    "huge address": get("/" + "x" * 1_000_000),
    "no protocol": request("GET /"),
    "nonsense": request("\x00\x01\x02"),
    "folded header": get("/", LOCAL, "X-A: b", " c", "X-B"),
    "two lengths": post(SIGN_IN, "Content-Length: 1", "Content-Length: 9", body="x"),
    "length and chunks": post(
        SIGN_IN,
        "Content-Length: 4",
        "Transfer-Encoding: chunked",
        body="0\r\n\r\n" + get("/metrics"),
    ),
    "negative length": post(SIGN_IN, "Content-Length: -1"),
    "terabyte upload": post("/api/leads/imports", "Content-Length: 1000000000000"),
    "absolute URL of another host": get("http://evil.example/api/leads/export"),
    "CONNECT": request("CONNECT evil.example:443 HTTP/1.1", LOCAL),
    "path traversal": get(f"/{UP}/{UP}/{UP}/etc/passwd"),
    "websocket of a foreign origin": get(f"{TAB}websocket", *UPGRADE, EVIL),
    "websocket of a null origin": get(f"{TAB}websocket", *UPGRADE, NOWHERE),
    "websocket of two origins": get(f"{TAB}websocket", *UPGRADE, HERE, EVIL),
    "websocket without a token": get("/_event/?EIO=4&transport=websocket", *UPGRADE),
    "websocket with an invalid token": get(
        "/_event/?EIO=4&transport=websocket&token=a_b", *UPGRADE
    ),
    "polling": get(f"{TAB}polling"),
    "polling of a null origin": get(f"{TAB}polling", LOCAL, NOWHERE),
}


def answer_to(site: Site, request: str) -> str:
    """Return the server's answers until it waits for more; empty if it hangs up."""
    address, heard = urlsplit(site.url), b""
    with socket.create_connection((address.hostname or "", address.port or 80)) as line:
        line.settimeout(5)
        with suppress(OSError):
            line.sendall(request.encode("latin-1"))
        with suppress(OSError):
            while part := line.recv(65536):
                heard += part
                line.settimeout(0.1)  # for a second answer
    return heard.decode("latin-1")


@pytest.mark.parametrize("attack", REFUSED)
def test_malformed_request_is_refused(site, attack):
    logged = len(site.process.log.read_text())
    answer = answer_to(site, REFUSED[attack])
    status = int(answer.split(" ")[1]) if answer else 400
    assert 300 <= status < 500
    assert "root:" not in answer
    assert "evil" not in answer
    assert answer.count("HTTP/1.1 ") <= 1  # no smuggled second request
    assert httpx.get(f"{site.url}/health").status_code == 200
    lines = [line for line in site.process.log.read_text()[logged:].splitlines() if line[:1] == "{"]
    assert not any("exception" in json.loads(line) for line in lines)
