"""HTML documents: the inline parts that a content policy lists, and tags added to them."""

import base64
import hashlib
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class Inline:
    """A document's inline texts: a strict content policy lists each by its hash."""

    scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    style_attributes: list[str] = field(default_factory=list)


class Reader(HTMLParser):
    """Collects exact texts, as hashes need them."""

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


def read(document: str) -> Reader:
    """Read a document's inline texts and stylesheets."""
    reader = Reader()
    reader.feed(document)
    reader.close()
    return reader


def inline(document: str) -> Inline:
    """Return a document's inline scripts, styles and style attributes, in order."""
    return read(document).inline


def source_hash(text: str) -> str:
    """Return a text's name in a content policy: `'sha256-...'`."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def with_head(document: str, tags: str) -> str:
    """Add tags early in the head: some link previews read only its beginning."""
    before, link, after = document.partition("<link")
    return f"{before}{tags}{link}{after}"


def with_foot(document: str, text: str) -> str:
    """Add a text at the end of the body, where React leaves it alone."""
    before, end, after = document.rpartition("</body>")
    return f"{before}{text}{end}{after}"
