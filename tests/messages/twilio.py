"""A local server that speaks Twilio's API and signs its webhooks."""

import hashlib
import hmac
import json
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

ACCOUNT, TOKEN, SENDER = "AC" + "1" * 32, "the-token-of-twilio", "+19415550100"
SETTINGS = {
    "twilio_account_sid": ACCOUNT,
    "twilio_auth_token": TOKEN,
    "twilio_from": SENDER,
}


@dataclass
class Twilio:
    """What the server was asked, and its answers by number."""

    address: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    answers: dict[str, tuple[int, int]] = field(default_factory=dict)  # status and error code
    body: str | None = None  # instead of the usual one


def signature(address: str, form: Mapping[str, str]) -> str:
    """Sign a webhook as Twilio's documentation says."""
    text = address + "".join(name + form[name] for name in sorted(form))
    return b64encode(hmac.new(TOKEN.encode(), text.encode(), hashlib.sha1).digest()).decode()


@contextmanager
def twilio_server() -> Iterator[Twilio]:
    twilio = Twilio()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            twilio.asked.append(form)
            twilio.signed_in.append(self.headers["Authorization"])
            status, code = twilio.answers.get(form["To"], (201, 0))
            said = {"code": code, "message": "no"} if code else {"sid": "SM" + "0" * 32}
            self.send_response(status)
            self.end_headers()
            text = json.dumps(said) if twilio.body is None else twilio.body
            self.wfile.write(text.encode())

        def log_message(self, format: str, *_: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    twilio.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield twilio
    finally:
        server.shutdown()
        server.server_close()
