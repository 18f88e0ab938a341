"""The built HTML: its stylesheet moved inside, and what it holds inline, for the policy."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class Inline:
    """What a document holds inline: a strict content policy lists each by its hash."""

    scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    style_attributes: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Reads exact texts: what a hash covers must not be off by a space."""

    def __init__(self) -> None:
        super().__init__()
        self.inline = Inline()
        self.stylesheets: list[tuple[str, str]] = []  # tag as written, address
        self.style_preloads: list[str] = []
        self._texts: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if has.get("style"):
            self.inline.style_attributes.append(has["style"] or "")
        if tag == "link":
            written, address = self.get_starttag_text() or "", has.get("href") or ""
            if has.get("rel") == "stylesheet":
                self.stylesheets.append((written, address))
            elif has.get("rel") == "preload" and has.get("as") == "style":
                self.style_preloads.append(written)
        elif tag == "style" or (tag == "script" and "src" not in has):
            self._texts = self.inline.styles if tag == "style" else self.inline.scripts
            self._texts.append("")

    def handle_data(self, data: str) -> None:
        if self._texts is not None:
            self._texts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self._texts = None


def _read(document: str) -> _Reader:
    reader = _Reader()
    reader.feed(document)
    reader.close()
    return reader


def inline(document: str) -> Inline:
    """The inline scripts, styles and style attributes of a document, in its order."""
    return _read(document).inline


def source_hash(text: str) -> str:
    """A text as a content policy names it: `'sha256-...'`."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def with_stylesheet_inside(document: str, read: Callable[[str], str]) -> str:
    """Move the stylesheets into the document, so that the first paint waits for one file.

    The links stay, but load nothing: React finds them when it takes the page over. Without them
    it would throw the whole document away and draw it anew.

    Args:
        read: Returns the text of a stylesheet by its address.
    """
    found = _read(document)
    for tag, address in found.stylesheets:
        idle = f"{_open(tag)} disabled=''/>"
        document = document.replace(tag, f"<style>{read(address)}</style>{idle}", 1)
    for tag in found.style_preloads:
        document = document.replace(tag, f"{_open(tag)} media='not all'/>", 1)
    return document


def with_head(document: str, tags: str) -> str:
    """Add tags to the head, before what is long: some readers of links stop early."""
    before, link, after = document.partition("<link")
    return f"{before}{tags}{link}{after}"


def with_last(document: str, markup: str) -> str:
    """Add markup at the end of the body, where React leaves it alone."""
    before, end, after = document.rpartition("</body>")
    return f"{before}{markup}{end}{after}"


def _open(tag: str) -> str:
    return tag.removesuffix(">").removesuffix("/")
