"""Proposals as PDF, with a page of evidence once they are accepted."""

from collections.abc import Mapping, Sequence
from typing import Any

from reportlab.platypus import CondPageBreak, PageBreak, Spacer

from fuel_app.kit.pdf import BODY, MUTED_TEXT, STRONG, TITLE, built, columns, letterhead, text
from fuel_app.proposals.rules.documents import Document, evidence_facts
from fuel_app.settings import settings

_SECOND = 338  # points


def render(document: Document, evidence: Mapping[str, Any] | None = None) -> bytes:
    """Return a proposal as PDF; the same one is always the same bytes."""
    company = (settings.brand_name, settings.company_address)
    company += (settings.support_phone, settings.support_email)
    parts = [letterhead([each for each in company if each]), Spacer(1, 18)]
    parts += [text(f"Proposal {document.name}", TITLE), text(document.company, MUTED_TEXT)]
    for section in document.sections:
        parts += [CondPageBreak(90), Spacer(1, 14), text(section.title, STRONG), Spacer(1, 4)]
        parts.append(_facts(section.facts))
    parts.append(Spacer(1, 18))
    parts += [text(each, MUTED_TEXT) for each in document.notes]
    if evidence:
        parts += [PageBreak(), text("Evidence of acceptance", TITLE)]
        parts += [text(f"Proposal {document.name}", MUTED_TEXT), Spacer(1, 14)]
        parts.append(_facts(evidence_facts(evidence)))
    title = f"Proposal {document.name}"
    return built(parts, title=title, author=settings.brand_name)


def _facts(facts: Sequence[tuple[str, str]]) -> Any:
    return columns([[text(a, MUTED_TEXT), text(b, BODY)] for a, b in facts], _SECOND)
