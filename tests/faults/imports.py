"""A file of leads that is imported while something breaks."""

from collections import Counter
from dataclasses import dataclass, field

from aiohttp import ClientSession

from fuel_app.submissions.rules.imports import UNDER_WAY
from tests.faults.running import Running
from tests.lead_files import people, table
from tests.waiting import comes_true

DEADLINE_S = 240


@dataclass(frozen=True)
class Upload:
    """One uploaded file and its import."""

    site: Running
    rows: int
    id: str = field(kw_only=True)

    async def _progress(self) -> tuple[str, int]:
        """Return the state and the number of imported rows."""
        query = f"SELECT state, imported FROM lead_imports WHERE id = '{self.id}'"
        ((state, imported),) = await self.site.rows(query)
        return state, imported

    async def under_way(self, rows: int) -> None:
        """Wait until so many rows are imported."""

        async def come_in() -> bool:
            return (await self._progress())[1] >= rows

        assert await comes_true(come_in, within=DEADLINE_S)

    async def ended(self) -> str:
        """Wait until it has ended. Return its state."""

        async def no_longer_runs() -> bool:
            return (await self._progress())[0] not in UNDER_WAY

        assert await comes_true(no_longer_runs, within=DEADLINE_S)
        return (await self._progress())[0]

    async def stored(self) -> Counter[str]:
        """Count the imported emails of the waitlist."""
        query = "SELECT email FROM waitlist_submissions WHERE email LIKE '%@import.example'"
        return Counter(email for (email,) in await self.site.rows(query))


async def upload(site: Running, rows: int, cookie: str) -> Upload:
    """Upload a file of so many leads, as staff do."""
    async with ClientSession(headers={"Cookie": cookie}) as session:
        address = f"{site.url}/api/leads/imports?name=leads.csv"
        async with session.post(address, data=table(*people(rows))) as answer:
            answer.raise_for_status()
            return Upload(site, rows, id=await answer.text())
