"""The prices' screen in a tab without a browser."""

from datetime import timedelta

import pytest

from fuel_app.areas import queries
from fuel_app.areas.rules.prices import EIA_SERIES, GradeLine, read_proposals
from fuel_app.areas.service import areas, prices
from fuel_app.areas.state import PriceFormState, PricesState
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.forms import AGREED
from tests.areas.eia_server import row
from tests.areas.prices import set_prices
from tests.helpers.admins import AdminTab
from tests.helpers.open_area import open_area
from tests.helpers.tabs import problems

pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN = "/settings/prices"
TYPED = {"price": "3.459", "source": "Our supplier", "effective": ""}


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


async def fill(admin: AdminTab, area_id: str, **differs: str) -> PriceFormState:
    """Send the dialog of the regular grade."""
    await admin.fire(PriceFormState.begin, area_id, "regular", False)
    await admin.fire(PriceFormState.submit, TYPED | differs)
    return await admin.screen(PriceFormState)


async def test_a_price_is_set_and_shown_with_age_source_and_chart(admin, area_id):
    before = await line(admin)
    assert (before.price, before.problem, before.path) == ("", "No price: cannot be booked", "")
    form = await fill(admin, area_id)
    assert (form.opened, form.busy) == (False, False)
    now = await line(admin)
    assert (now.name, now.price, now.problem) == ("Regular, Sarasota", "$3.459", "")
    assert now.notes == ("Set today by Grace Hopper", "Our supplier")
    [trend] = now.trend
    assert trend.startswith("$3.459 from ")
    assert trend.endswith(", Our supplier, Grace Hopper")
    assert await admin.said() == ["Regular, Sarasota: $3.459"]
    at = (clock.now() + timedelta(days=2)).astimezone(clock.NEW_YORK)
    await fill(admin, area_id, price="3.559", effective=at.strftime("%Y-%m-%dT%H:%M"))
    now = await line(admin)
    assert (now.price, now.notes[2]) == ("$3.459", f"$3.559 from {clock.date_and_time(at)}")


async def test_wrong_fields_are_named_and_checked_again_while_they_change(admin, area_id):
    await admin.fire(PriceFormState.begin, area_id, "regular", False)
    assert await admin.fire(PriceFormState.submit, TYPED | {"price": "3"}) == ["price_price"]
    form = await admin.screen(PriceFormState)
    assert problems(form.errors) == {"price": "Enter dollars per gallon, such as 3.459"}
    await admin.fire(PriceFormState.edit, TYPED | {"source": ""})
    assert problems(form.errors) == {"source": "Source is required"}
    assert form.opened
    await admin.fire(PriceFormState.submit, TYPED | {"effective": "2020-01-01T08:00"})
    assert list(problems(form.errors)) == ["effective"]


async def test_a_big_jump_is_asked_about_and_set_when_confirmed(admin, area_id):
    await set_prices(area_id, regular=3000)
    await admin.fire(PricesState.load)
    four, five = TYPED | {"price": "4.000"}, TYPED | {"price": "5.000"}
    await admin.fire(PriceFormState.begin, area_id, "regular", False)
    form = await admin.screen(PriceFormState)
    for _ in range(2):  # a double click: the second press answers nothing
        await admin.fire(PriceFormState.submit, four | {AGREED: ""})
        assert form.question.startswith("$4.00 is 33 % above $3.00")
    asked = {AGREED: form.question}
    await admin.fire(PriceFormState.edit, five | asked)
    assert form.question == ""
    for other in (five, four):  # void for other values
        await admin.fire(PriceFormState.submit, other | asked)
        assert (form.opened, (await line(admin)).price) == (True, "$3.00")
    await admin.fire(PriceFormState.submit, four | {AGREED: form.question})
    assert (form.opened, (await line(admin)).price) == (False, "$4.00")


async def test_a_price_that_another_admin_has_set_is_not_overwritten(admin, area_id):
    await admin.fire(PriceFormState.begin, area_id, "regular", False)
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(PricesState.load)
    await fill(other, area_id, price="3.499")
    await admin.fire(PriceFormState.submit, TYPED)
    form = await admin.screen(PriceFormState)
    assert form.error.startswith("Somebody else has changed this price")
    assert (form.line.price, form.opened) == ("$3.499", True)
    await admin.fire(PriceFormState.submit, TYPED)
    assert (await line(admin)).price == "$3.459"


async def test_a_proposal_fills_the_dialog_and_sets_nothing(admin, area_id):
    rows = [row(next(iter(EIA_SERIES)), "2026-11-23", "2.991")]
    async with transaction() as session:
        await queries.propose(session, read_proposals({"response": {"data": rows}}))
    assert (await line(admin)).proposal == "$2.991"
    await admin.fire(PriceFormState.begin, area_id, "regular", True)
    form = await admin.screen(PriceFormState)
    assert form.values == {
        "price": "2.991",
        "cost": "",
        "source": "EIA, Florida, week of Nov 23, 2026",
        "effective": "",
    }
    assert (form.opened, (await line(admin)).price) == (True, "")


async def test_a_failure_is_said_and_the_dialog_stays(admin, area_id, monkeypatch):
    await admin.fire(PriceFormState.begin, area_id, "regular", False)
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        await admin.fire(PriceFormState.submit, TYPED)
    form = await admin.screen(PriceFormState)
    assert (form.error, form.opened, form.busy) == (FAILED, True, False)

    async def gone(*_: object, **__: object) -> None:
        raise areas.AreaGone

    monkeypatch.setattr(prices, "set_price", gone)
    monkeypatch.setattr(prices, "board", gone)
    await admin.fire(PriceFormState.submit, TYPED)
    assert (form.error, form.line.grade) == ("This area is not there any more.", "regular")


@pytest.mark.parametrize("grade", [None, [], {}, "kerosene", 3])
async def test_price_dialog_stays_closed_for_an_unknown_grade(admin, area_id, grade):
    for proposed in (True, "yes"):
        await admin.fire(PriceFormState.begin, area_id, grade, proposed)
    form = await admin.screen(PriceFormState)
    await admin.fire(PriceFormState.submit, TYPED)
    assert not form.opened
    await admin.fire(PriceFormState.begin, area_id, "regular", False)
    await admin.fire(PriceFormState.close, False)
    await admin.fire(PriceFormState.submit, None)
    assert (await line(admin)).price == ""
