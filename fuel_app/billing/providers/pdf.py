"""Receipts as PDF. The same receipt is always the same bytes."""

from typing import Any

from reportlab.lib.units import inch
from reportlab.platypus import Spacer

from fuel_app.billing.rules.receipts import Receipt
from fuel_app.kit.pdf import (
    BODY,
    MUTED_TEXT,
    NUMBER,
    RULES,
    STRONG,
    STRONG_NUMBER,
    TITLE,
    built,
    columns,
    letterhead,
    text,
)


def render(receipt: Receipt) -> bytes:
    """Return a receipt as PDF."""
    title = f"{receipt.title} {receipt.name}"
    return built(_parts(receipt), title=title, author=receipt.company[0])


def _parts(receipt: Receipt) -> list[Any]:
    lines = [
        (f"{line.text}, {line.detail}" if line.detail else line.text, line.amount)
        for line in receipt.lines
    ]
    *sums, due = receipt.sums
    return [
        letterhead(receipt.company),
        Spacer(1, 18),
        text(receipt.title, TITLE),
        text(receipt.status, MUTED_TEXT),
        Spacer(1, 12),
        columns([[text(a, MUTED_TEXT), text(b, BODY)] for a, b in receipt.facts], 5 * inch),
        Spacer(1, 18),
        columns([[text(a, BODY), text(b, NUMBER)] for a, b in lines], 1.25 * inch, RULES),
        columns(
            [
                *[[text(a, BODY), text(b, NUMBER)] for a, b in sums],
                [text(due[0], STRONG), text(due[1], STRONG_NUMBER)],
            ],
            1.25 * inch,
        ),
        Spacer(1, 24),
        *[text(each, MUTED_TEXT) for each in receipt.notes],
    ]
