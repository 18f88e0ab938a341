"""The launch screen in a tab without a browser."""

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.areas.service import company, places
from fuel_app.areas.state import AreasState
from fuel_app.launch import jobs
from fuel_app.launch.service import waves
from fuel_app.launch.state.areas import AreaFormState, AreaStepState
from fuel_app.launch.state.waves import DemandState, FunnelState, WavesState, WaveStartState
from tests.helpers.admins import AdminTab
from tests.helpers.launch import (
    NOON,
    a_neighborhood,
    area_opened_before,
    invited,
    set_prices,
    waits,
)
from tests.helpers.outbox import set_clock
from tests.helpers.people import messages

SCREEN = "/launch"
PLACES = {"34236": (27.33, -82.54), "34205": (27.48, -82.58)}
GRADES = {"grades": ["regular"], "tax": "0"}


@pytest.fixture(autouse=True)
async def waitlist(monkeypatch, sqlite_database):
    set_clock(monkeypatch, NOON)
    monkeypatch.setattr(places, "zip_positions", lambda: PLACES)
    group = await a_neighborhood("Palm Court")
    for _ in range(3):
        await waits(neighborhood_id=group)
    for zip_code in ("34205", "34205", ""):
        await waits(zip_code=zip_code)


async def admin(*roles: Role) -> AdminTab:
    tab = await AdminTab.at(SCREEN, *roles)
    for state in (DemandState, WavesState, AreasState):
        await tab.fire(state.load)
    return tab


async def test_zips_are_listed_and_drawn_by_people_waiting():
    shown = await (await admin()).screen(DemandState)
    assert shown.headline == "6 people are waiting, 1 without a ZIP."
    assert [(row.name, row.waiting_text) for row in shown.rows] == [
        ("34236", "3"),
        ("34205", "2"),
        ("No ZIP", "1"),
    ]
    assert [(circle.zip_code, circle.people) for circle in shown.circles] == [
        ("34236", "3"),
        ("34205", "2"),
    ]
    assert shown.circles[0].label == "34236: 3 people waiting, no area"
    assert (shown.summary, shown.loading, shown.failed) == ("3 ZIP codes", False, False)


async def test_neighborhoods_are_listed_and_found():
    tab = await admin()
    await tab.fire(DemandState.narrow, {"of": "neighborhoods", "q": "palm", "area": ""})
    shown = await tab.screen(DemandState)
    assert [(row.name, row.zip_code) for row in shown.rows] == [("Palm Court", "34236")]
    assert shown.summary == "1 neighborhood"
    assert shown.address == "/launch?q=palm&of=neighborhoods"
    assert shown.looks


async def test_unreadable_waitlist_is_an_error_and_an_empty_one_says_so(monkeypatch):
    async def none(**_who: object) -> list:
        return []

    async def broken(**_who: object) -> list:
        raise OSError

    monkeypatch.setattr(waves, "list_zips", none)
    tab = await admin()
    shown = await tab.screen(DemandState)
    assert shown.headline == "Nobody is waiting yet."
    monkeypatch.setattr(waves, "list_zips", broken)
    await tab.fire(DemandState.load)
    assert (shown.failed, shown.loading, shown.rows) == (True, False, [])


async def test_ticked_zips_become_an_area_that_is_opened_and_invites():
    tab = await admin()
    await tab.fire(DemandState.tick, "34236")
    await tab.fire(DemandState.press, "34205")
    shown = await tab.screen(DemandState)
    assert shown.ticked_text == "2 ZIP codes, 5 people waiting"
    await tab.fire(DemandState.press, "34205")
    assert shown.ticked_text == "1 ZIP code, 3 people waiting"
    await tab.fire(DemandState.make_area)
    form = await tab.screen(AreaFormState)
    assert (form.opened, form.area.id, form.area.zips) == (True, "", "34236")
    await tab.fire(AreaFormState.submit, {"name": "Sarasota", "zips": "34236"} | GRADES)
    for state in (DemandState, WavesState):
        await tab.fire(state.load)
    assert shown.ticked == []
    (card,) = (await tab.screen(WavesState)).areas
    assert (card.status, card.state_text) == ("waitlist", "Only an open area invites its waitlist.")

    await tab.fire(AreaStepState.ask, "open", card.area_id)
    await tab.fire(AreaStepState.submit, {})
    assert await company.is_open()
    await tab.fire(WavesState.load)
    question = await tab.screen(WaveStartState)
    await tab.fire(WaveStartState.ask, "nowhere")
    await tab.fire(WaveStartState.send_test)
    assert not question.opened
    await tab.fire(WaveStartState.ask, card.area_id)
    assert question.error.startswith("No grade has a current price there")
    await tab.fire(WaveStartState.send_test)
    assert (question.mail.text, question.tested) == ("", "")
    await set_prices(card.area_id)
    await tab.fire(WaveStartState.ask, card.area_id)
    assert (question.name, question.forecast[:9]) == ("Sarasota", "3 waiting")
    assert (question.error, question.mail.subject) == ("", "Gulfside Fuel is open in Sarasota")
    assert "We now deliver fuel in Sarasota" in question.mail.text
    for _ in range(2):
        await tab.fire(WaveStartState.send_test)
    assert question.tested == "grace@example.com"
    assert len(await messages("area_open_test")) == 1
    for _ in range(2):
        await tab.fire(WaveStartState.submit, {})
    assert await tab.offered() == "Inviting the waitlist of Sarasota"
    assert len(await invited()) == 0
    await jobs.send_due(NOON)
    await tab.fire(WavesState.load)
    (card,) = (await tab.screen(WavesState)).areas
    assert (card.invited_text, card.state_text) == (
        "3 invited, 3 today",
        "Everybody has been invited.",
    )
    await tab.fire(FunnelState.load)
    funnel = await tab.screen(FunnelState)
    assert [(line.name, line.invited) for line in funnel.areas] == [("Sarasota", 3)]
    assert [line.name for line in funnel.neighborhoods] == ["Palm Court (34236)"]


async def test_circle_of_an_area_narrows_the_list_and_a_second_press_widens_it():
    await area_opened_before()
    tab = await admin()
    await tab.fire(DemandState.press, "34236")
    shown = await tab.screen(DemandState)
    assert (shown.question.q, [row.name for row in shown.rows], shown.ticked) == (
        "34236",
        ["34236"],
        [],
    )
    await tab.fire(DemandState.press, "34236")
    assert len(shown.rows) == 3


@pytest.mark.parametrize("wrong", ["", "99999", "34236", None], ids=["none", "new", "area", "null"])
async def test_only_zips_of_people_without_an_area_are_ticked(wrong):
    await area_opened_before()
    tab = await admin()
    await tab.fire(DemandState.tick, wrong)
    await tab.fire(DemandState.tick, "34205")
    assert (await tab.screen(DemandState)).ticked == ["34205"]
    await tab.fire(DemandState.clear_ticked)
    assert (await tab.screen(DemandState)).ticked == []


async def test_waves_are_paused_resumed_and_undone():
    area = await area_opened_before()
    tab = await admin()
    await tab.fire(WavesState.step, "start", area)
    for kind in ("pause", "resume"):
        await tab.fire(WavesState.step, kind, area)
    shown = await tab.screen(WavesState)
    assert shown.areas[0].state_text == "A wave goes out each day, 8 AM to 8 PM."
    assert await tab.undo() == ["Undone."]
    await tab.fire(WavesState.load)
    assert shown.areas[0].state_text == "Invitations are paused."
    await tab.fire(WavesState.step, "start", area)
    assert "Somebody else has changed these waves" in (await tab.said())[-1]


@pytest.mark.parametrize(
    ("kind", "area"),
    [("explode", ""), (None, ""), ("start", "unknown")],
    ids=["kind", "none", "area"],
)
async def test_unknown_step_does_nothing(kind, area):
    own = await area_opened_before()
    tab = await admin()
    await tab.fire(WavesState.step, kind, area or own)
    assert (await tab.screen(WavesState)).areas[0].state == ""
    assert await tab.offered() == ""


async def test_dispatcher_sees_nothing():
    tab = await admin(Role.DISPATCHER)
    await tab.fire(DemandState.tick, "34236")
    await tab.fire(FunnelState.load)
    places_shown, waves_shown = await tab.screen(DemandState), await tab.screen(WavesState)
    assert (places_shown.rows, places_shown.circles, places_shown.ticked) == ([], [], [])
    assert (waves_shown.areas, (await tab.screen(FunnelState)).areas) == ([], [])
