"""Admins change policies and fetch a dispute's evidence; staff look at one neighborhood."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Self
from zipfile import ZipFile

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.service import invoices, reports
from fuel_app.customers.service import neighborhood
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import audit, clock, policies
from fuel_app.kit.audit import Action, AuditEntry, Done
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form
from fuel_app.kit.policies import POLICIES
from fuel_app.kit.signals import FIGURES as TOPIC
from fuel_app.kit.signals import signals
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import MemberQuery, NeighborhoodDetail

NOUN = "figure"
_SHOWN = 20  # changes


@dataclass(frozen=True)
class PolicyChange:
    """One change of one policy, in words."""

    when: str
    label: str
    what: str
    who: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for a dispute, as a ZIP."""

    name: str  # of the file
    data: bytes


async def evidence(payment_id: object, *, actor: Actor) -> Evidence:
    """Return the receipt of a disputed payment, which is its fuel ticket, and the fill's photos.

    Raises:
        NotAllowed
        InvoiceGone: If there is no such payment, or no receipt of it.
    """
    invoice_id, booking_id = await reports.disputed_invoice(actor, payment_id)
    receipt = await invoices.find_receipt(actor, invoice_id)
    if receipt is None:
        raise InvoiceGone
    pdf = await invoices.receipt_pdf(receipt)
    photos = await fill_records.photo_files(actor, booking_id) if booking_id else []
    files = {pdf.name: pdf.data}
    for number, (data, kind) in enumerate(photos, 1):
        files[f"{receipt.name}-photo-{number}.{kind.removeprefix('image/')}"] = data
    return Evidence(f"{receipt.name}-evidence.zip", await asyncio.to_thread(_zipped, files))


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:  # PDF and photos are compressed already
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


async def values(*, actor: Actor) -> dict[str, int]:
    """Return every policy's value by name."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return await policies.values(session)


class PolicyForm(Form):
    """The text of every policy, and their values."""

    values: dict[str, int] = {}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(POLICIES)

    @classmethod
    def parse(cls, sent: object, **_known: Any) -> Self:
        wanted, messages = {}, {}
        for name, text in cls.typed(sent).items():
            try:
                wanted[name] = POLICIES[name].parse(text)
            except ValueError as error:
                messages[name] = str(error)
        if messages:
            raise InvalidForm(messages)
        return cls(values=wanted)


async def change(seen: Mapping[str, int], typed: object, *, actor: Actor) -> Done:
    """Change the policies that are typed otherwise than seen.

    Args:
        typed: A `PolicyForm`, as a browser sends it.

    Raises:
        InvalidForm: With the message of each policy that is not right.
        FigureChanged: If one of them has been changed meanwhile.
    """
    actor.require(Role.ADMIN)
    wanted, action = PolicyForm.parse(typed).values, Action(NOUN, "change", str(actor))
    async with transaction() as session:
        changed = await policies.change(session, action, seen, wanted)
    if changed:
        await signals().publish(TOPIC)
    return Done(action.id, len(changed))


@audit.undoes(NOUN, "change", topics=(TOPIC,))
async def _change_back(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    for entry in sorted(entries, key=lambda entry: entry.subject_id):
        before, after = entry.before or {}, entry.after or {}
        await policies.put(session, entry.subject_id, after["value"], before["value"])
    return {entry.subject_id for entry in entries}


async def list_changes(*, actor: Actor) -> list[PolicyChange]:
    """Return the last changes, newest first."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        entries = await audit.history(session, NOUN, *POLICIES, limit=_SHOWN)
    names = await directory.names(entry.actor for entry in entries)
    return [_describe(entry, names[entry.actor]) for entry in entries]


def _describe(entry: AuditEntry, who: str) -> PolicyChange:
    changed = POLICIES[entry.subject_id]
    before, after = (
        changed.text(values["value"]) for values in (entry.before or {}, entry.after or {})
    )
    what = f"{before} → {after}" + " (undone)" * (entry.undone_at is not None)
    return PolicyChange(clock.date_and_time(entry.at), changed.label, what, who)


async def neighborhood_detail(
    neighborhood_id: object, query: MemberQuery, *, actor: Actor
) -> NeighborhoodDetail | None:
    """Return a neighborhood with a page of its members, and how many count for money."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        detail = await neighborhoods.detail(session, neighborhood_id, query)
        if detail is None:
            return None
        confirmed = await neighborhood.confirmed_in(session, detail.neighborhood.id)
    return replace(detail, confirmed=confirmed)
