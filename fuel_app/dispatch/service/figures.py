"""Business figures of dispatch."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.dispatch.providers.routing import NEAR_M
from fuel_app.dispatch.rules.timing import ServiceTimes
from fuel_app.kit import figures
from fuel_app.kit.figures import figure


def _minutes(name: str, label: str, default: int, most: int = 120):
    return figure(name, label, unit="minutes", default=default, least=1, most=most)


FIRST = _minutes("service_minutes", "A fill takes", 11)
NEAR = _minutes("service_minutes_near", "A second car beside it takes", 7)
REFILL = _minutes("refill_minutes", "A truck's refill takes", 20)
TOLD_AFTER = _minutes("arrival_moved_minutes", "Customers are told when arrival moves by", 15)
ROAD_NEAR = figure(
    "road_near_meters",
    "A stop has a road within",
    unit="meters",
    default=NEAR_M,
    least=50,
    most=2000,
)
PHOTO_DAYS = figure(
    "photo_days", "Photos of fills are kept", unit="days", default=90, least=1, most=3650
)


async def service_times(session: AsyncSession) -> ServiceTimes:
    """Return how long stops take."""
    numbers = await figures.values(session)
    return ServiceTimes(numbers[FIRST.name], numbers[NEAR.name], numbers[REFILL.name])


async def road_near(session: AsyncSession) -> int:
    """Return the meters beyond which no road leads to a point."""
    return (await figures.values(session))[ROAD_NEAR.name]
