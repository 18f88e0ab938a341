"""Documents as PDF on US Letter, in our own font. The same document is always the same bytes."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from io import BytesIO
from threading import Lock
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import inch
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from fuel_app.settings import ROOT

_FONTS = ROOT / "fuel_app" / "kit" / "fonts"
_REGULAR, _BOLD = "figtree-regular", "figtree-bold"
# Fonts for characters that Figtree lacks: Greek, Cyrillic and Vietnamese, then Chinese, Japanese
# and Korean. A character that none of them has is drawn as Figtree's empty box.
_FALLBACKS = {
    _REGULAR: ("noto-sans-regular", "droid-sans-fallback"),
    _BOLD: ("noto-sans-bold", "droid-sans-fallback"),
}


@cache
def _registered(font: str) -> TTFont:
    """Return a font of ours, registered by the first document that needs it."""
    loaded = TTFont(font, str(_FONTS / f"{font}.ttf"))
    pdfmetrics.registerFont(loaded)
    return loaded


for _font in _FALLBACKS:
    _registered(_font)

_INK, _MUTED, _LINE = HexColor("#0B2530"), HexColor("#4B6470"), HexColor("#DCE7EA")
BODY = ParagraphStyle("body", fontName=_REGULAR, fontSize=10, leading=14, textColor=_INK)
STRONG = ParagraphStyle("strong", BODY, fontName=_BOLD)
NUMBER = ParagraphStyle("number", BODY, alignment=TA_RIGHT)
STRONG_NUMBER = ParagraphStyle("strong number", STRONG, alignment=TA_RIGHT)
MUTED_TEXT = ParagraphStyle("muted", BODY, textColor=_MUTED)
MUTED_NUMBER = ParagraphStyle("muted number", MUTED_TEXT, alignment=TA_RIGHT)
TITLE = ParagraphStyle("title", STRONG, fontSize=20, leading=26)

_WIDTH = 6.5 * inch
_MARGIN = inch - 6  # the frame adds 6 points
RULES = ("LINEBELOW", (0, 0), (-1, -1), 0.5, _LINE)
_TOP = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 0)]
_TOP += [("RIGHTPADDING", (0, 0), (-1, -1), 0)]

# A font counts the glyphs of the document at work, so that documents take turns.
_turn = Lock()


def built(parts: list[Any], *, title: str, author: str) -> bytes:
    """Return a document of these parts."""
    file = BytesIO()
    document = SimpleDocTemplate(
        file,
        pagesize=letter,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=title,
        author=author,
        lang="en-US",
        invariant=1,
    )
    with _turn:
        document.build(parts)
    return file.getvalue()


def letterhead(company: Sequence[str]) -> Table:
    """Return the company's name with its address, phone and e-mail beside it."""
    name, *contact = company
    head = [
        [text(name, STRONG), text(contact[0] if contact else "", MUTED_NUMBER)],
        *[["", text(each, MUTED_NUMBER)] for each in contact[1:]],
    ]
    return columns(head, 3.25 * inch)


def text(line: str, style: ParagraphStyle) -> Paragraph:
    parts = []
    for font, run in _runs(line, style.fontName):
        part = escape(run)
        parts.append(part if font == style.fontName else f'<font name="{font}">{part}</font>')
    return Paragraph("".join(parts), style)


def _runs(text: str, own: str) -> Iterator[tuple[str, str]]:
    """Yield each word with the first font that has all of it, or else its characters."""
    fonts = (own, *_FALLBACKS[own])
    for word in re.findall(r"\s+|\S+", text):
        for part in (word,) if _font_of(word, fonts) else word:
            yield _font_of(part, fonts) or own, part


def _font_of(text: str, fonts: Sequence[str]) -> str | None:
    return next((font for font in fonts if _has_all(font, text)), None)


def _has_all(font: str, text: str) -> bool:
    known = _registered(font).face.charToGlyph
    return all(character.isspace() or ord(character) in known for character in text)


def columns(rows: list[list[Any]], second: float, *styles: Any) -> Table:
    """Return a table of two columns; `second` is the width of the second one."""
    table = Table(rows, colWidths=[_WIDTH - second, second])
    table.setStyle(TableStyle([*_TOP, *styles]))
    return table
