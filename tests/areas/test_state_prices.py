"""The prices' screen in a tab without a browser."""

from datetime import timedelta

import pytest

from fuel_app.areas import queries
from fuel_app.areas.rules.prices import EIA_SERIES, GradeLine, read_proposals
from fuel_app.areas.service import areas, prices
from fuel_app.areas.state import PricesState, PriceTableState
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from tests.areas.eia_server import row
from tests.areas.prices import set_prices
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area
from tests.helpers.tabs import problems

pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN = "/settings/prices"


@pytest.fixture
async def area_id() -> str:
    return await open_area()


@pytest.fixture
async def admin(area_id: str) -> AdminTab:
    tab = await AdminTab.at(SCREEN)
    await tab.fire(PricesState.load)
    return tab


async def line(admin: AdminTab) -> GradeLine:
    await admin.fire(PricesState.load)
    shown = (await admin.screen(PricesState)).grades
    return next(each for each in shown if each.grade == "regular")


async def save(
    admin: AdminTab, area_id: str, price: str = "3.459", source: str = "Our supplier", **more: str
) -> PriceTableState:
    """Send the table as the browser does, with a new price of the regular grade."""
    shown = await line(admin)
    table = await admin.screen(PriceTableState)
    sent = {f"price-{shown.key}": price, f"seen-{shown.key}": shown.revision, "source": source}
    shared = {"effective": "", "agreed": str(table.edition)}
    await admin.fire(PriceTableState.submit, sent | shared | more)
    return table


async def test_prices_are_set_and_shown_with_age_cost_source_and_chart(admin, area_id):
    before = await line(admin)
    assert (before.price, before.problem, before.path) == ("", "No price: cannot be booked", "")
    table = await save(admin, area_id, **{f"cost-{before.key}": "3.1"})
    assert (table.busy, table.edition, problems(table.errors)) == (False, 1, {})
    now = await line(admin)
    assert (now.name, now.price, now.cost) == ("Regular, Sarasota", "$3.459", "$3.10")
    assert (now.problem, now.notes) == ("", ("Set today by Grace Hopper", "Our supplier"))
    [trend] = now.trend
    assert trend.startswith("$3.459 from ")
    assert trend.endswith(", Our supplier, Grace Hopper")
    assert await admin.said() == ["1 price set"]
    at = (clock.now() + timedelta(days=2)).astimezone(clock.NEW_YORK)
    await save(admin, area_id, "3.559", effective=at.strftime("%Y-%m-%dT%H:%M"))
    now = await line(admin)
    assert (now.price, now.notes[2]) == ("$3.459", f"$3.559 from {clock.date_and_time(at)}")


async def test_second_press_finds_the_column_emptied(admin, area_id):
    typed = {f"price-{(await line(admin)).key}": "3.459", "source": "Us", "agreed": "0"}
    for _ in range(2):
        await admin.fire(PriceTableState.submit, typed)
    assert await admin.said() == ["1 price set"]
    assert (await admin.screen(PricesState)).source == "Us"
    again = await AdminTab.at(SCREEN, email="ada@example.com")
    await again.fire(PricesState.load)
    assert (await again.screen(PricesState)).source == "Us"  # to begin with


async def test_wrong_fields_are_named_and_checked_again_while_they_change(admin, area_id):
    name = f"price-{(await line(admin)).key}"
    wrong = {name: "3", "source": "Us", "effective": ""}
    await admin.fire(PriceTableState.edit, wrong)
    table = await admin.screen(PriceTableState)
    assert problems(table.errors) == {}  # not sent yet
    assert await admin.fire(PriceTableState.submit, wrong) == [f"prices_{name}".replace("-", "_")]
    assert table.error == "Nothing was saved. 1 field to correct above."
    await admin.fire(PriceTableState.edit, wrong)
    assert problems(table.errors) == {name: "Enter dollars per gallon, such as 3.459"}
    await admin.fire(PriceTableState.edit, wrong | {"source": ""})
    assert list(problems(table.errors)) == ["source", name]
    await admin.fire(PriceTableState.edit, wrong | {name: "3.459"})
    assert problems(table.errors) == {}
    past = {name: "3.459", "source": "Us", "effective": "2020-01-01T08:00"}
    assert await admin.fire(PriceTableState.submit, past) == ["prices_effective"]
    assert list(problems(table.errors)) == ["effective"]
    await admin.fire(PriceTableState.edit, {"source": "Us"})
    assert problems(table.errors) == {}
    for nothing in ({"source": "Us"}, {"source": "Us", 3: "x"}):
        await admin.fire(PriceTableState.submit, nothing)
        assert table.error == "Enter a new price first."
    await admin.fire(PriceTableState.submit, None)
    assert list(problems(table.errors)) == ["source"]


async def test_a_big_jump_is_asked_about_and_set_when_confirmed(admin, area_id):
    await set_prices(area_id, regular=3000)
    table = await save(admin, area_id, "4.000")
    assert table.jumps == ["Regular, Sarasota: $4.00 is 33 % above $3.00, the price in effect then"]
    key = (await line(admin)).key
    late = {f"price-{key}": "4.000", f"seen-{key}": (await line(admin)).revision}
    await admin.fire(PriceTableState.edit, late | {"source": "Our supplier", "effective": ""})
    assert len(table.jumps) == 1  # a change that arrives after the press voids nothing
    await save(admin, area_id, "4.000")  # a double click
    assert (len(table.jumps), (await line(admin)).price) == (1, "$3.00")
    await admin.fire(PriceTableState.edit, {"source": "Us"})  # voids the question
    await admin.fire(PriceTableState.confirm)
    assert (table.jumps, (await line(admin)).price) == ([], "$3.00")
    await save(admin, area_id, "4.000")
    await admin.fire(PriceTableState.confirm)
    assert (table.jumps, (await line(admin)).price) == ([], "$4.00")


async def test_a_price_that_another_admin_has_set_is_not_overwritten(admin, area_id):
    seen = await line(admin)
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(PricesState.load)
    await save(other, area_id, "3.499")
    table = await save(admin, area_id, **{f"seen-{seen.key}": seen.revision})
    assert table.error.startswith("Somebody else has changed this price")
    assert (await line(admin)).price == "$3.499"
    await save(admin, area_id)
    assert (await line(admin)).price == "$3.459"


async def test_column_begins_with_todays_prices_or_the_proposed_ones_and_sets_nothing(
    admin, area_id
):
    rows = [
        row(series, "2026-11-23", price)
        for series, price in zip(EIA_SERIES, ("2.991", "3.1", "3.4", "3.9"), strict=True)
    ]
    async with transaction() as session:
        await queries.propose(session, read_proposals({"response": {"data": rows}}))
    await set_prices(area_id, regular=3000)
    key = (await line(admin)).key
    shown = await admin.screen(PricesState)
    assert shown.has_proposals
    await admin.fire(PriceTableState.begin_with, False)
    table = await admin.screen(PriceTableState)
    assert (table.values, table.edition) == ({f"price-{key}": "3.00"}, 1)
    await admin.fire(PriceTableState.begin_with, True)
    assert (table.values[f"price-{key}"], len(table.values), table.edition) == ("2.991", 5, 2)
    assert table.values["source"] == (
        "EIA, Florida, week of Nov 23, 2026; EIA, Lower Atlantic, week of Nov 23, 2026"
    )
    assert (await line(admin)).price == "$3.00"


async def test_a_failure_is_said_and_what_is_typed_stays(admin, area_id, monkeypatch):
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        table = await save(admin, area_id)
    assert (table.error, table.edition, table.busy) == (FAILED, 0, False)

    async def gone(*_: object, **__: object) -> None:
        raise areas.AreaGone

    monkeypatch.setattr(prices, "set_prices", gone)
    await save(admin, area_id)
    assert table.error == "This area is not there any more."


async def test_nothing_is_confirmed_that_was_not_asked(admin, area_id):
    await admin.fire(PriceTableState.confirm)
    assert (await line(admin)).price == ""
