"""Queries on neighborhood groups."""

from sqlalchemy import bindparam, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.db import constraints
from fuel_app.db.models import Neighborhood, WaitlistSubmission
from fuel_app.domain.errors import NeighborhoodNameTaken, NotOnTheList
from fuel_app.domain.neighborhoods import Group, name_key

PICKER_LIMIT = 100

_id = col(Neighborhood.id)
_name = col(Neighborhood.name)
_name_key = col(Neighborhood.name_key)
_zip_code = col(Neighborhood.zip_code)


_members = (
    select(func.count()).where(col(WaitlistSubmission.neighborhood_id) == _id).scalar_subquery()
)
_GROUPS = select(_id, _name, _zip_code, _members)
_IN_ZIP = (
    _GROUPS.where(_zip_code == bindparam("zip_code")).order_by(_name_key, _id).limit(PICKER_LIMIT)
)
_BY_ID = _GROUPS.where(_id == bindparam("neighborhood_id"))


async def in_zip(session: AsyncSession, zip_code: str) -> list[Group]:
    """The groups of one ZIP by name; one index range, one count per group from an index."""
    rows = await session.execute(_IN_ZIP, {"zip_code": zip_code})
    return [Group(*row) for row in rows]


async def find(session: AsyncSession, neighborhood_id: str) -> Group | None:
    row = (await session.execute(_BY_ID, {"neighborhood_id": neighborhood_id})).first()
    return Group(*row) if row else None


async def get(session: AsyncSession, neighborhood_id: str) -> Group:
    """The group, where the transaction already knows that it is there."""
    return Group(*(await session.execute(_BY_ID, {"neighborhood_id": neighborhood_id})).one())


async def add(session: AsyncSession, name: str, zip_code: str, pioneer_id: str) -> str:
    """Store a group and return its id.

    Raises:
        NeighborhoodNameTaken: If the ZIP has a group of that name, case and spaces aside.
        NotOnTheList: If the pioneer's submission is not there any more.
    """
    row = Neighborhood(name=name, name_key=name_key(name), zip_code=zip_code, pioneer_id=pioneer_id)
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if constraints.is_unique_violation(error):
            raise NeighborhoodNameTaken(zip_code) from error
        if constraints.is_foreign_key_violation(error):
            raise NotOnTheList from error
        raise
    return row.id
