"""An open area, without the checklist of its opening."""

from fuel_app.areas import queries
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.rules.hours import default_week
from fuel_app.areas.tables import Area, AreaZip
from fuel_app.kit.db.session import transaction

ZIP = "34236"
ELSEWHERE_ZIP = "33101"


async def open_area(*zips: str, name: str = "Sarasota") -> str:
    """Open the company in these ZIPs, by default in `ZIP`. Return the area's id."""
    area = Area(name=name, status=OPEN)
    async with transaction() as session:
        session.add(area)
        await session.flush()
        session.add_all(AreaZip(zip_code=each, area_id=area.id) for each in zips or (ZIP,))
        await session.flush()
        await queries.set_week(session, area.id, default_week(6))
    return area.id
