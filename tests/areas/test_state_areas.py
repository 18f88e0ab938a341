"""The areas' screen in a tab without a browser."""

import pytest

from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.service import areas, company
from fuel_app.areas.state import AreasState
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.launch.state.areas import AreaFormState, AreaStepState
from tests.helpers.admins import AdminTab

pytestmark = pytest.mark.usefixtures("sqlite_database")

SCREEN = "/settings/areas"
SARASOTA = {"name": "Sarasota", "zips": "34236, 34237", "grades": ["regular"], "tax": "0"}
GONE = "This area is not there any more."


@pytest.fixture
async def admin() -> AdminTab:
    tab = await AdminTab.at(SCREEN)
    await tab.fire(AreasState.load)
    return tab


async def make(admin: AdminTab) -> str:
    """Make an area by the dialog. Return its id."""
    await admin.fire(AreaFormState.begin, "")
    await admin.fire(AreaFormState.submit, SARASOTA)
    return next(area.id for area in (await admin.screen(AreasState)).areas)


async def step(admin: AdminTab, kind: str, area_id: str) -> AreaStepState:
    await admin.fire(AreaStepState.ask, kind, area_id)
    await admin.fire(AreaStepState.submit, {})
    return await admin.screen(AreaStepState)


async def statuses(admin: AdminTab) -> list[tuple[str, str]]:
    return [(area.name, area.label) for area in (await admin.screen(AreasState)).areas]


async def test_an_area_is_made_opened_paused_and_resumed(admin):
    shown = await admin.screen(AreasState)
    assert (shown.areas, shown.loading) == ([], False)
    area_id = await make(admin)
    assert [(a.label, a.zips, a.count) for a in shown.areas] == [
        ("Waitlist", "34236, 34237", "2 ZIP codes")
    ]
    await admin.fire(AreaStepState.ask, "open", area_id)
    asked = await admin.screen(AreaStepState)
    assert (asked.opened, asked.title, asked.problem) == (True, "Open Sarasota?", "")
    assert asked.missing == "A price for each offered grade, Mail, Payments"
    assert len(asked.points) == 9
    await admin.fire(AreaStepState.close, False)
    await admin.fire(AreaStepState.submit, {})
    assert not await company.is_open()
    for kind in ("open", "pause", "resume", "close"):
        await step(admin, kind, area_id)
        assert await company.is_open() is (kind != "close")
    assert await statuses(admin) == [("Sarasota", "Waitlist")]
    assert await admin.said() == [
        "Sarasota is paused",
        "Sarasota is open again",
        "Sarasota is closed",
    ]


async def test_a_public_site_says_why_it_cannot_open(admin, configure):
    configure(areas, site_url="https://fuel.example")
    asked = await step(admin, "open", await make(admin))
    assert asked.problem.startswith("This area cannot open yet. Missing: A price")
    assert asked.opened
    assert not await company.is_open()


async def test_wrong_fields_are_named_and_checked_again_while_they_change(admin):
    await make(admin)
    await admin.fire(AreaFormState.begin, "")
    form = await admin.screen(AreaFormState)
    sent = SARASOTA | {"name": "Bay", "zips": "34237"}
    assert await admin.fire(AreaFormState.submit, sent) == ["area_zips"]
    assert form.errors == AreaForm.blank() | {"zips": "34237 belongs to Sarasota"}
    assert (form.opened, form.busy) == (True, False)
    await admin.fire(AreaFormState.edit, sent)
    assert form.errors["zips"] == "34237 belongs to Sarasota"
    await admin.fire(AreaFormState.edit, SARASOTA | {"name": "", "zips": "34285"})
    assert form.errors == AreaForm.blank() | {"name": "Area name is required"}


async def test_a_change_offers_undo(admin):
    area_id = await make(admin)
    shown, form = await admin.screen(AreasState), await admin.screen(AreaFormState)
    for sent, offered in ((SARASOTA, ""), (SARASOTA | {"name": "Bay", "zips": "34236"}, "Bay")):
        await admin.fire(AreaFormState.begin, area_id)
        await admin.fire(AreaFormState.submit, sent)
        assert not form.opened
        assert await admin.offered() == (f"{offered} changed" if offered else "")
    assert [(a.name, a.count) for a in shown.areas] == [("Bay", "1 ZIP code")]
    assert "Undone." in await admin.undo()
    await admin.fire(AreasState.load)
    assert [area.name for area in shown.areas] == ["Sarasota"]


async def test_a_form_of_an_older_screen_overwrites_nothing(admin):
    area_id = await make(admin)
    await admin.fire(AreaFormState.begin, area_id)
    other = await AdminTab.at(SCREEN, email="ada@example.com")
    await other.fire(AreasState.load)
    await other.fire(AreaFormState.begin, area_id)
    await other.fire(AreaFormState.submit, SARASOTA | {"name": "Gulf"})
    await admin.fire(AreaFormState.submit, SARASOTA | {"name": "Bay"})
    form = await admin.screen(AreaFormState)
    assert "Somebody else has changed this area" in form.error
    assert await statuses(other) == [("Gulf", "Waitlist")]
    assert form.area.name == "Gulf"  # the newer state, which may be changed now
    await admin.fire(AreaFormState.submit, SARASOTA | {"name": "Bay"})
    assert (form.opened, await statuses(admin)) == (False, [("Bay", "Waitlist")])


async def test_what_is_done_to_an_area_that_has_gone_says_so(admin):
    area_id = await make(admin)
    await admin.fire(AreaFormState.begin, area_id)
    await admin.fire(AreaStepState.ask, "delete", area_id)
    await areas.remove(area_id, actor=admin.actor)
    asked = await admin.screen(AreaStepState)
    await admin.fire(AreaStepState.ask, "open", area_id)
    assert asked.problem == GONE
    await admin.fire(AreaStepState.ask, "delete", area_id)
    await admin.fire(AreaStepState.submit, {})
    assert asked.error == GONE
    for _ in range(2):  # it makes no other one
        await admin.fire(AreaFormState.submit, SARASOTA | {"name": "Bay"})
        assert (await admin.screen(AreaFormState)).error == GONE
    assert await statuses(admin) == []


async def test_a_failure_is_said_and_the_dialogs_stay(admin, monkeypatch):
    area_id = await make(admin)
    await admin.fire(AreaFormState.begin, "")
    await admin.fire(AreaStepState.ask, "delete", area_id)
    async with transaction():  # nobody else can write
        monkeypatch.setattr("fuel_app.kit.db.session.BUSY_TIMEOUT_MS", 1)
        await admin.fire(AreaFormState.submit, SARASOTA | {"name": "Bay", "zips": "34285"})
        await admin.fire(AreaStepState.submit, {})
    form, asked = await admin.screen(AreaFormState), await admin.screen(AreaStepState)
    assert (form.error, form.opened, form.busy) == (FAILED, True, False)
    assert (asked.error, asked.opened, asked.busy) == (FAILED, True, False)

    async def fails(*, actor: object) -> None:
        raise failure

    monkeypatch.setattr(areas, "listing", fails)
    failure: Exception = RuntimeError("gone")
    await admin.fire(AreasState.load)
    shown = await admin.screen(AreasState)
    assert (shown.failed, len(shown.areas)) == (True, 1)
    failure = areas.NeedsNamedAdmin()  # the role has gone meanwhile
    await admin.fire(AreasState.load)
    assert shown.areas == []


async def test_a_question_about_nothing_is_not_asked(admin):
    await make(admin)
    for kind in (None, [], "open", "explode"):
        await admin.fire(AreaStepState.ask, kind, "nonsense")
        await admin.fire(AreaStepState.submit, {})
    await admin.fire(AreaFormState.submit, SARASOTA | {"name": "Bay", "zips": "34285"})
    assert not (await admin.screen(AreaStepState)).opened
    assert await statuses(admin) == [("Sarasota", "Waitlist")]
