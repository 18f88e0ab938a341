"""The staff's figures."""

from fuel_app.dashboard import queries
from fuel_app.dashboard.rules import NEAREST, Figures, per_day, type_counts, week_until
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from fuel_app.leads.rules import TYPES
from fuel_app.neighborhoods.queries import listing as neighborhood_list
from fuel_app.neighborhoods.rules import NeighborhoodQuery, next_tier


async def now() -> Figures:
    """Count leads and neighborhoods."""
    starts = week_until(clock.now())
    async with reading() as session:
        statuses = await queries.by_status(session)
        new = await queries.since(session, starts)
        neighborhoods, members = await queries.neighborhoods(session)
        ids = await neighborhood_list.ids(session, NeighborhoodQuery(sort="missing"))
        nearest = await neighborhood_list.by_ids(session, ids[:NEAREST])
    return Figures(
        types=type_counts(statuses),
        days=per_day(starts, new),
        new_by_type={type_: sum(day.get(type_, 0) for day in new.values()) for type_ in TYPES},
        neighborhoods=neighborhoods,
        members=members,
        nearest=tuple(row for row in nearest if next_tier(row.members)),
    )
