"""A company's cost centers and purchase orders: added, changed, closed and opened again."""

from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.companies import queries
from fuel_app.companies.rules.companies import (
    MOST_CENTERS,
    MOST_ORDERS,
    CostCenter,
    CostCenterLine,
    LineGone,
    NameTaken,
    PurchaseOrder,
    PurchaseOrderLine,
    TooManyLines,
)
from fuel_app.companies.rules.people import Action
from fuel_app.companies.service.access import allow, allow_change, record
from fuel_app.companies.tables import StoredCostCenter, StoredPurchaseOrder
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money

Line = TypeVar("Line", StoredCostCenter, StoredPurchaseOrder)


async def list_cost_centers(actor: Actor, company_id: object) -> list[CostCenterLine]:
    """Return the cost centers, the open ones first. Raises as `allow` does."""
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.SEE_INVOICES)
        rows = await queries.lines(session, StoredCostCenter, who.company_id)
    return [
        CostCenterLine(
            id=row.id,
            name=row.name,
            budget=_shown(row.monthly_budget_cents),
            budget_typed=_typed(row.monthly_budget_cents),
            is_closed=row.closed_at is not None,
        )
        for row in rows
    ]


async def list_purchase_orders(actor: Actor, company_id: object) -> list[PurchaseOrderLine]:
    """Return the purchase orders, the open ones first. Raises as `allow` does."""
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.SEE_INVOICES)
        rows = await queries.lines(session, StoredPurchaseOrder, who.company_id)
    return [
        PurchaseOrderLine(
            id=row.id,
            number=row.number,
            amount=_shown(row.amount_cents),
            amount_typed=_typed(row.amount_cents),
            valid_to=clock.short_date(row.valid_to) if row.valid_to else "",
            valid_to_day=row.valid_to.isoformat() if row.valid_to else "",
            is_closed=row.closed_at is not None,
        )
        for row in rows
    ]


def _shown(cents: int | None) -> str:
    return "" if cents is None else str(Money(cents))


def _typed(cents: int | None) -> str:
    return "" if cents is None else Money(cents).decimal


async def save_cost_center(
    actor: Actor, company_id: object, form: CostCenter, line_id: object = ""
) -> None:
    """Save a cost center: a new one, or in place of the one with this id.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; NotAllowed for a closed company, too.
        LineGone, NameTaken, TooManyLines
    """
    budget = form.monthly_budget
    values = {"name": form.name, "monthly_budget_cents": budget.cents if budget else None}
    await _save(StoredCostCenter, MOST_CENTERS, actor, company_id, form.name, values, line_id)


async def save_purchase_order(
    actor: Actor, company_id: object, form: PurchaseOrder, line_id: object = ""
) -> None:
    """Save a purchase order. Raises as `save_cost_center` does."""
    values = {
        "number": form.number,
        "amount_cents": form.amount.cents if form.amount else None,
        "valid_to": form.valid_to,
    }
    await _save(StoredPurchaseOrder, MOST_ORDERS, actor, company_id, form.number, values, line_id)


async def _save(
    table: type[Line],
    most: int,
    actor: Actor,
    company_id: object,
    name: str,
    values: dict[str, Any],
    line_id: object,
) -> None:
    known_id = well_formed_id(line_id) or ""
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_BILLING)
        if await queries.has_line(session, table, who.company_id, name, but=known_id):
            raise NameTaken
        if known_id:
            row = await _find(session, table, who.company_id, known_id)
            row.sqlmodel_update(values)
        elif len(await queries.lines(session, table, who.company_id)) >= most:
            raise TooManyLines
        else:
            row = table(company_id=who.company_id, **values)
        session.add(row)
        kind = "center_saved" if table is StoredCostCenter else "order_saved"
        await record(session, kind, actor, who.company_id, {"name": name})


async def close_cost_center(
    actor: Actor, company_id: object, line_id: object, *, closed: bool
) -> None:
    """Close a cost center, which nothing new is booked to, or open it again.

    Raises:
        CompanyGone, NotAllowed, LineGone: As `save_cost_center` does.
    """
    await _close(StoredCostCenter, actor, company_id, line_id, closed=closed)


async def close_purchase_order(
    actor: Actor, company_id: object, line_id: object, *, closed: bool
) -> None:
    """Close a purchase order, or open it again. Raises as `close_cost_center` does."""
    await _close(StoredPurchaseOrder, actor, company_id, line_id, closed=closed)


async def _close(
    table: type[Line], actor: Actor, company_id: object, line_id: object, *, closed: bool
) -> None:
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_BILLING)
        row = await _find(session, table, who.company_id, well_formed_id(line_id) or "")
        row.closed_at = clock.now() if closed else None
        is_center = isinstance(row, StoredCostCenter)
        name = row.name if isinstance(row, StoredCostCenter) else row.number
        kind = f"{'center' if is_center else 'order'}_{'closed' if closed else 'opened'}"
        await record(session, kind, actor, who.company_id, {"name": name})


async def _find(session: AsyncSession, table: type[Line], company_id: str, line_id: str) -> Line:
    row = await queries.find_line(session, table, company_id, line_id)
    if row is None:
        raise LineGone
    return row
