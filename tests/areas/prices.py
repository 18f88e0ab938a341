"""Fuel prices of an area, as if staff had set them."""

from datetime import datetime, timedelta

from fuel_app.areas.rules.prices import GRADES
from fuel_app.areas.tables import StoredPrice
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction

MILLS = dict(zip(GRADES, (3459, 3759, 4059, 3999), strict=True))


async def set_prices(
    area_id: str, *, since: datetime | None = None, source: str = "Our supplier", **mills: int
) -> None:
    """Set the price of some grades, by default of all, since yesterday or another time."""
    at = since or clock.now() - timedelta(days=1)
    async with transaction() as session:
        session.add_all(
            StoredPrice(
                area_id=area_id,
                grade=grade,
                mills=price,
                effective_at=at,
                source=source,
                set_by="shared password",
            )
            for grade, price in (mills or MILLS).items()
        )
