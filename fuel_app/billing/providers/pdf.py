"""Receipts as PDF on US Letter, in our own font. The same receipt is always the same bytes."""

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
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from fuel_app.billing.rules.receipts import Receipt
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
_BODY = ParagraphStyle("body", fontName=_REGULAR, fontSize=10, leading=14, textColor=_INK)
_STRONG = ParagraphStyle("strong", _BODY, fontName=_BOLD)
_NUMBER = ParagraphStyle("number", _BODY, alignment=TA_RIGHT)
_STRONG_NUMBER = ParagraphStyle("strong number", _STRONG, alignment=TA_RIGHT)
_MUTED_TEXT = ParagraphStyle("muted", _BODY, textColor=_MUTED)
_MUTED_NUMBER = ParagraphStyle("muted number", _MUTED_TEXT, alignment=TA_RIGHT)
_TITLE = ParagraphStyle("title", _STRONG, fontSize=20, leading=26)

_WIDTH = 6.5 * inch
_MARGIN = inch - 6  # the frame adds 6 points
_RULES = ("LINEBELOW", (0, 0), (-1, -1), 0.5, _LINE)
_TOP = [("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 0)]
_TOP += [("RIGHTPADDING", (0, 0), (-1, -1), 0)]

# A font counts the glyphs of the document at work, so that documents take turns.
_turn = Lock()


def render(receipt: Receipt) -> bytes:
    """Return a receipt as PDF."""
    file = BytesIO()
    document = SimpleDocTemplate(
        file,
        pagesize=letter,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=f"{receipt.title} {receipt.name}",
        author=receipt.company[0],
        lang="en-US",
        invariant=1,
    )
    with _turn:
        document.build(_parts(receipt))
    return file.getvalue()


def _parts(receipt: Receipt) -> list[Any]:
    name, *contact = receipt.company
    lines = [
        (f"{line.text}, {line.detail}" if line.detail else line.text, line.amount)
        for line in receipt.lines
    ]
    *sums, due = receipt.sums
    head = [
        [_text(name, _STRONG), _text(contact[0] if contact else "", _MUTED_NUMBER)],
        *[["", _text(each, _MUTED_NUMBER)] for each in contact[1:]],
    ]
    return [
        _table(head, 3.25 * inch),
        Spacer(1, 18),
        _text(receipt.title, _TITLE),
        _text(receipt.status, _MUTED_TEXT),
        Spacer(1, 12),
        _table([[_text(a, _MUTED_TEXT), _text(b, _BODY)] for a, b in receipt.facts], 5 * inch),
        Spacer(1, 18),
        _table([[_text(a, _BODY), _text(b, _NUMBER)] for a, b in lines], 1.25 * inch, _RULES),
        _table(
            [
                *[[_text(a, _BODY), _text(b, _NUMBER)] for a, b in sums],
                [_text(due[0], _STRONG), _text(due[1], _STRONG_NUMBER)],
            ],
            1.25 * inch,
        ),
        Spacer(1, 24),
        *[_text(each, _MUTED_TEXT) for each in receipt.notes],
    ]


def _text(text: str, style: ParagraphStyle) -> Paragraph:
    parts = []
    for font, run in _runs(text, style.fontName):
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


def _table(rows: list[list[Any]], second: float, *styles: Any) -> Table:
    """Return a table of two columns; `second` is the width of the second one."""
    table = Table(rows, colWidths=[_WIDTH - second, second])
    table.setStyle(TableStyle([*_TOP, *styles]))
    return table
