"""Policies: numbers that admins change on /settings/business, such as a late fee.

A package registers the policies that it uses; a change takes effect for what is made after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import Field, col

from fuel_app.kit import audit, money
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.db.tables import TableModel, UtcTime
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money


class StoredPolicy(TableModel, table=True):
    """A policy that staff have changed; without a row its default holds."""

    __tablename__ = "figures"

    name: str = Field(primary_key=True, max_length=40)
    value: int
    changed_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)


class PolicyChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    def __init__(self, label: str) -> None:
        message = f"Somebody else has changed '{label}' meanwhile. You now see the new value."
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Policy:
    """One number with its default and range, in whole units such as cents or days."""

    name: str
    label: str
    unit: str  # 'cents', 'days', 'minutes', ...
    default: int
    least: int
    most: int

    @property
    def is_money(self) -> bool:
        return self.unit == "cents"

    @property
    def hint(self) -> str:
        """Return the range and the default in words."""
        least = Money(self.least).short if self.is_money else str(self.least)
        return f"{least} to {self.text(self.most)}. Default: {self.text(self.default)}."

    def text(self, value: int) -> str:
        """Return a value with its unit, such as '$15' or '30 days'."""
        if self.is_money:
            return Money(value).short
        return f"{value:,} {self.unit.removesuffix('s') if value == 1 else self.unit}"

    def typed(self, value: int) -> str:
        """Return a value as it stands in a field."""
        return Money(value).decimal if self.is_money else str(value)

    def parse(self, typed: object) -> int:
        """Return what was typed.

        Raises:
            ValueError: With the message to show beside the field.
        """
        if self.is_money:
            amount = money.parse(typed)
            value = amount.cents if amount else None
        else:
            value = _whole(typed)
        if value is None or not self.least <= value <= self.most:
            kind, shown = ("an amount", self.text) if self.is_money else ("a whole number", str)
            raise ValueError(f"Enter {kind} from {shown(self.least)} to {shown(self.most)}")
        return value


def _whole(typed: object) -> int | None:
    text = typed.strip() if isinstance(typed, str) and len(typed) < 50 else ""
    return int(text) if text.isascii() and text.isdigit() else None


POLICIES: dict[str, Policy] = {}


def policy(name: str, label: str, *, unit: str, default: int, least: int, most: int) -> Policy:
    """Register a policy."""
    POLICIES[name] = made = Policy(name, label, unit, default, least, most)
    return made


async def values(session: AsyncSession) -> dict[str, int]:
    """Return every policy's value by name."""
    stored = await session.execute(select(col(StoredPolicy.name), col(StoredPolicy.value)))
    defaults = {name: each.default for name, each in POLICIES.items()}
    return defaults | {name: value for name, value in stored}


async def value(session: AsyncSession, asked: Policy) -> int:
    """Return one policy's value."""
    query = select(col(StoredPolicy.value)).where(col(StoredPolicy.name) == asked.name)
    stored = await session.scalar(query)
    return asked.default if stored is None else stored


async def change(
    session: AsyncSession, action: Action, seen: Mapping[str, int], wanted: Mapping[str, int]
) -> list[str]:
    """Change policies by name and write it to the audit log; return which ones have changed.

    Args:
        wanted: Values within their ranges.

    Raises:
        PolicyChanged: If one of them is not as seen any more.
    """
    names = sorted(name for name in wanted if wanted[name] != seen[name])
    for name in names:
        await put(session, name, seen[name], wanted[name])
    changes = [Change(name, {"value": seen[name]}, {"value": wanted[name]}) for name in names]
    await audit.record(session, action, changes)
    return names


async def put(session: AsyncSession, name: str, seen: int, wanted: int) -> None:
    """Set one policy from the value `seen` to another. Raises PolicyChanged."""
    row = {"name": name, "value": POLICIES[name].default, "changed_at": now()}
    await session.execute(insert_new(session, StoredPolicy).values(row))
    same = (col(StoredPolicy.name) == name, col(StoredPolicy.value) == seen)
    changed = update(StoredPolicy).where(*same).values(value=wanted, changed_at=now())
    if await session.scalar(changed.returning(col(StoredPolicy.name))) is None:
        raise PolicyChanged(POLICIES[name].label)
