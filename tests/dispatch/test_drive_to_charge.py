"""From a phone without a connection to the customer's invoice: the page with its own endpoints."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import socket

import pytest
import uvicorn
from playwright.sync_api import expect, sync_playwright
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from fuel_app.accounts.state.session import COOKIE
from fuel_app.dispatch.http import ROUTES
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit import clock
from fuel_app.kit.money import Money
from fuel_app.settings import ROOT
from tests.flows.technician_phone import ALL_SENT, Phone
from tests.helpers import phone
from tests.helpers.bank import Bank, bank
from tests.helpers.people import rows
from tests.helpers.signed_in import cookie_for
from tests.helpers.technician_server import a_stop

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """Serve dispatch's addresses in this process, with its database."""
    app = Starlette(routes=[*ROUTES, Mount("/", StaticFiles(directory=ROOT / "assets"))])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    with socket() as listening:
        listening.bind(("127.0.0.1", 0))
        running = asyncio.create_task(server.serve([listening]))
        yield f"http://localhost:{listening.getsockname()[1]}"
        server.should_exit = server.force_exit = True
        await running


def drive(address: str, profile: Path, cookie: str, milliseconds: int) -> None:
    """Fill the stop offline, with the browser killed before the line is back."""
    with sync_playwright() as playwright:
        opened = Phone(playwright, address, profile, **{COOKIE: cookie})
        opened.context.clock.set_fixed_time(milliseconds)
        opened.page.reload()
        opened.expect_ready()
        expect(opened.page.get_by_text("Up to 17.6 gallons are covered.")).to_be_visible()
        opened.line(is_up=False)
        opened.page.reload()
        opened.fill_stop("Ada Lovelace", end="1012.345")
        expect(opened.page.get_by_text("That was the last stop of this route.")).to_be_visible()
        opened.kill()
        opened.open(offline=True)
        opened.expect_line("Saved on this phone · 5 to send")
        opened.line(is_up=True)
        opened.expect_line(ALL_SENT)
        assert opened.kept() == {"actions": [], "photos": []}
        expect(opened.page.locator("#refused .notice")).to_have_count(0)
        expect(opened.page.get_by_text("Done · 12.345 gallons")).to_be_visible()
        opened.close()


@pytest.mark.slow
async def test_a_fill_made_without_a_connection_is_charged_once_with_its_photo(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    road = await phone.a_road(monkeypatch, held=True)
    cookie = await cookie_for(road.technician.person_id)
    async with served() as address:
        await asyncio.to_thread(drive, address, tmp_path / "profile", cookie, phone.ms())
    done = await road.now()
    assert (done.state, done.filled_milligallons) == ("completed", 12_345)
    assert done.total == Money(4270)
    assert [each.kind for each in await phone.actions()] == [
        *("drive", "arrive", "fuel", "photo", "complete")
    ]
    [photo] = await rows(FillPhoto)
    assert (photo.file or b"").startswith(b"\xff\xd8")
    assert photo.taken_at <= clock.now()


async def test_the_stand_in_speaks_as_the_endpoint_does(monkeypatch: pytest.MonkeyPatch):
    road = await phone.a_road(monkeypatch)
    assert set(await road.told()) == set(a_stop(1)) | {"state_text"}
