"""Codes, link tokens and encryption from the installation's secret key.

A code or token is derived from the id of its row, so that none is stored anywhere.
"""

import hmac
import os
import secrets
import tempfile
from base64 import urlsafe_b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from fuel_app.kit.ids import well_formed_id
from fuel_app.settings import DATA_DIR, settings

FILE = DATA_DIR / "secret-key"


@cache
def _key() -> bytes:
    """Return the key of the settings, else of the data folder; the first start makes it."""
    if settings.secret_key:
        return settings.secret_key.get_secret_value().encode()
    try:
        return FILE.read_bytes()
    except FileNotFoundError:
        write_once(FILE, secrets.token_urlsafe(32))
        return FILE.read_bytes()


def write_once(file: Path, text: str) -> bool:
    """Write a complete file of mode 600 unless there is one. Of several processes, one succeeds."""
    new = written(file, text)
    try:
        file.hardlink_to(new)
    except FileExistsError:
        return False
    finally:
        new.unlink()
    return True


def written(file: Path, text: str) -> Path:
    """Write a complete file of mode 600 beside the real one. Return its path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")
    with os.fdopen(handle, "w") as opened:
        opened.write(text)
    return Path(name)


def digest(purpose: str, text: str) -> bytes:
    """Return the keyed hash (HMAC-SHA-256) of a text; purposes keep uses apart."""
    return hmac.new(_key(), f"{purpose}\0{text}".encode(errors="surrogatepass"), sha256).digest()


def code(purpose: str, row_id: str) -> str:
    """Return a row's code of six digits."""
    return f"{int.from_bytes(digest(f'code:{purpose}', row_id)[:8]) % 1_000_000:06}"


def token(purpose: str, row_id: str) -> str:
    """Return a row's token for a link: its id and a signature."""
    signature = urlsafe_b64encode(digest(f"token:{purpose}", row_id)).decode().rstrip("=")
    return f"{row_id}.{signature}"


def row_of(purpose: str, typed: object) -> str | None:
    """Return the id in a token of this purpose; None if it is not one of ours."""
    text = typed if isinstance(typed, str) else ""
    row_id = well_formed_id(text.partition(".")[0])
    return row_id if row_id and same(text, token(purpose, row_id)) else None


def same(typed: str, right: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(typed.encode(errors="surrogatepass"), right.encode())


def encrypt(text: str) -> str:
    return _fernet().encrypt(text.encode()).decode()


def decrypt(stored: str) -> str | None:
    """Return the text; None if the key has changed since."""
    try:
        return _fernet().decrypt(stored.encode()).decode()
    except InvalidToken:
        return None


def _fernet() -> Fernet:
    return Fernet(urlsafe_b64encode(digest("encryption", "")))
