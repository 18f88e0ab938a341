"""Which compressed form of a text the other side reads, and whether it has it already."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import brotli
from starlette.datastructures import Headers

PLAIN = "identity"
CODINGS = ("br", "gzip")  # the smaller first


@dataclass(frozen=True, slots=True)
class Compressed:
    """A text in every coding that we offer."""

    bodies: Mapping[str, bytes]
    digest: str

    @classmethod
    def of(cls, text: str, *, effort: int = 11) -> Self:
        """Compress a text; `effort` is brotli's, 0 to 11."""
        plain = text.encode()
        bodies = {
            "br": brotli.compress(plain, mode=brotli.MODE_TEXT, quality=effort),
            "gzip": gzip.compress(plain, compresslevel=min(effort, 9), mtime=0),
            PLAIN: plain,
        }
        return cls(bodies, hashlib.sha256(plain).hexdigest()[:24])

    def etag(self, coding: str) -> str:
        """Strong, so one for each coding: their bytes differ."""
        return f'"{self.digest}-{coding}"'


def best_coding(accepted: str) -> str:
    """The coding to answer with, by the q values of an `Accept-Encoding` header."""
    wishes = dict(_wish(entry) for entry in accepted.split(",") if entry.strip())
    anything_else = wishes.get("*", 0.0)
    liked = max(CODINGS, key=lambda coding: wishes.get(coding, anything_else))
    wish = wishes.get(liked, anything_else)
    return liked if wish > 0 and wish >= wishes.get(PLAIN, 0.0) else PLAIN


def _wish(entry: str) -> tuple[str, float]:
    coding, _, parameter = entry.partition(";")
    name, _, value = parameter.partition("=")
    try:
        quality = float(value) if name.strip().lower() == "q" else 1.0
    except ValueError:
        quality = 0.0
    return coding.strip().lower(), quality


def is_known(etag: str, headers: Headers) -> bool:
    """Whether the other side says that it holds this very version."""
    known = {tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")}
    return etag in known or "*" in known
