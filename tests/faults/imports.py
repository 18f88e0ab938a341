"""A file of leads that is brought while something breaks."""

from collections import Counter
from dataclasses import dataclass, field

from aiohttp import ClientSession

from fuel_app.submissions.rules.imports import UNDER_WAY
from tests.faults.running import Running
from tests.lead_files import people, table
from tests.waiting import comes_true

DEADLINE_S = 240


@dataclass(frozen=True)
class Brought:
    """One file, sent to a site."""

    site: Running
    rows: int
    id: str = field(kw_only=True)

    async def _told(self) -> tuple[str, int]:
        """How it stands, and how many rows have come in."""
        query = f"SELECT state, imported FROM lead_imports WHERE id = '{self.id}'"
        ((state, imported),) = await self.site.rows(query)
        return state, imported

    async def under_way(self, rows: int) -> None:
        """Wait until so many rows have come in."""

        async def come_in() -> bool:
            return (await self._told())[1] >= rows

        assert await comes_true(come_in, within=DEADLINE_S)

    async def ended(self) -> str:
        """Wait until it has; returns how."""

        async def no_longer_runs() -> bool:
            return (await self._told())[0] not in UNDER_WAY

        assert await comes_true(no_longer_runs, within=DEADLINE_S)
        return (await self._told())[0]

    async def stored(self) -> Counter[str]:
        """Everybody of such files who is on the waitlist."""
        query = "SELECT email FROM waitlist_submissions WHERE email LIKE '%@import.example'"
        return Counter(email for (email,) in await self.site.rows(query))


async def bring(site: Running, rows: int, cookie: str) -> Brought:
    """Send a file of so many leads, as staff do."""
    async with ClientSession(headers={"Cookie": cookie}) as session:
        address = f"{site.url}/api/leads/imports?name=leads.csv"
        async with session.post(address, data=table(*people(rows))) as answer:
            answer.raise_for_status()
            return Brought(site, rows, id=await answer.text())
