"""The list of what waits for an answer, and its dialog."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.session import SessionState
from fuel_app.bookings.tables import FillQuestion
from fuel_app.dispatch.service import fill_records
from fuel_app.dispatch.state.questions import AnswerState, QuestionsState
from fuel_app.kit import clock
from fuel_app.kit.ui.forms import AGREED
from tests.helpers import fills, phone
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import STAFF
from tests.helpers.people import rows
from tests.helpers.phone import METER, Road, a_road, action, send
from tests.helpers.tabs import run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")
WHY = {"reason": "As agreed by phone"}
FIGURES = {"gallons": "", "meter_start": "100", "ticket": "T-1"}


async def a_tab(*roles: Role) -> AdminTab:
    email = "+".join(("grace", *roles)) + "@example.com"
    tab = await AdminTab.at(routes.DASHBOARD, *(roles or (Role.DISPATCHER,)), email=email)
    await (await tab.screen(SessionState))._look()
    await (await tab.screen(QuestionsState))._refresh()
    return tab


async def pumped(road: Road, booking_id: str = "", **differs: Any) -> None:
    figures = METER | {"confirmed": True} | differs
    await send(road.technician, action("complete", booking_id or road.id, figures))


async def a_kept_fill(monkeypatch) -> Road:
    road = await a_road(monkeypatch)
    await fills.change(road.booking, state="cancelled")
    await pumped(road)
    return road


async def shown(tab: AdminTab) -> list[tuple[str, str, str]]:
    screen = await tab.screen(QuestionsState)
    assert screen.total == len(screen.rows)
    return [(each.title, each.customer, each.why) for each in screen.rows]


async def begun(tab: AdminTab, act: str) -> AnswerState:
    [line, *_] = (await tab.screen(QuestionsState)).rows
    await tab.fire(AnswerState.begin, line.id, act)
    return await tab.screen(AnswerState)


async def answered() -> list[str]:
    return [each.answer for each in await rows(FillQuestion)]


async def test_kept_fill_is_shown_with_its_figures_and_charged_once(monkeypatch):
    road = await a_kept_fill(monkeypatch)
    tab = await a_tab()
    assert await shown(tab) == [
        ("Fuel pumped beside a booking", "Ada Lovelace", "This stop was cancelled.")
    ]
    [line] = (await tab.screen(QuestionsState)).rows
    assert line.what == "12.345 gallons, ticket T-1, meter 100.000 to 112.345"
    assert (line.cost, line.can_charge, line.needs_admin) == ("$42.70", True, False)
    assert line.who.startswith("Tech1 Nician, ")
    assert line.link == routes.customer_tab(road.customer.id, "bookings")
    dialog = await begun(tab, "charge")
    assert await tab.fire(AnswerState.submit, {"reason": ""}) == ["answer_reason"]
    assert dialog.errors["reason"] == "Reason is required"
    await tab.fire(AnswerState.edit, WHY)
    assert dialog.errors["reason"] == ""
    for _ in range(2):
        await tab.fire(AnswerState.submit, WHY)
    assert (dialog.line.id, await tab.said(), await shown(tab)) == ("", ["Charged"], [])
    assert (await road.now()).state == "completed"


async def test_charge_names_the_visit_that_ends_with_it_and_the_late_fee_that_stays(monkeypatch):
    road = await a_kept_fill(monkeypatch)
    tab = await a_tab()
    [line] = (await tab.screen(QuestionsState)).rows
    assert line.charge_means == ""
    await fills.change(road.booking, late_fee_cents=1500)
    await (await tab.screen(QuestionsState))._refresh()
    [line] = (await tab.screen(QuestionsState)).rows
    stays = "The late fee of $15.00 stays: waive or refund it with its bill."
    assert line.charge_means == stays
    moved = {
        "starts_at": clock.now() + timedelta(days=3),
        "ends_at": clock.now() + timedelta(days=4),
    }
    await fills.change(road.booking, state="booked", late_fee_cents=0, **moved)
    await (await tab.screen(QuestionsState))._refresh()
    [line] = (await tab.screen(QuestionsState)).rows
    day = moved["starts_at"]
    assert line.charge_means == f"Its visit on {day:%A, %B} {day.day} ends with it."


async def test_guests_are_linked_and_another_act_is_not_begun(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await fills.change(guest, state="cancelled")
    await pumped(road, guest.id)
    tab = await a_tab()
    [line] = (await tab.screen(QuestionsState)).rows
    assert line.link == f"/customer-dashboard?guest={guest.id}"
    for question_id, act in ((line.id, "confirm"), ("x", "charge"), (line.id, "nonsense")):
        await tab.fire(AnswerState.begin, question_id, act)
    assert (await tab.screen(AnswerState)).line.id == ""
    await tab.fire(AnswerState.submit, WHY)
    assert await answered() == [""]


async def test_answer_of_a_colleague_meanwhile_is_said_and_the_list_is_read_again(monkeypatch):
    await a_kept_fill(monkeypatch)
    tab = await a_tab()
    dialog = await begun(tab, "waive")
    await fill_records.answer_question(STAFF, dialog.line.id, "waive", WHY)
    await tab.fire(AnswerState.submit, WHY)
    assert dialog.error == "This has been answered already. You now see the list as it is."
    assert await shown(tab) == []
    await tab.fire(AnswerState.close, False)
    assert dialog.line.id == ""


async def test_fill_that_another_has_completed_can_only_be_waived(monkeypatch):
    road = await a_road(monkeypatch)
    other = await phone.reassign(road)
    await pumped(road)
    await send(other, action("complete", road.id, METER | {"ticket": "T-8"}))
    tab = await a_tab()
    [line] = (await tab.screen(QuestionsState)).rows
    assert (line.can_charge, line.why.startswith("Another fill has completed")) == (False, True)
    await begun(tab, "waive")
    await tab.fire(AnswerState.submit, WHY)
    assert await tab.said() == ["Waived"]


async def test_gallons_are_corrected_and_those_above_the_tank_asked_about(monkeypatch):
    road = await a_road(monkeypatch)
    await pumped(road, meter_end="210")
    tab = await a_tab(Role.ADMIN)
    dialog = await begun(tab, "correct")
    assert dialog.line.needs_admin
    assert dialog.line.fields == FIGURES | {"meter_start": "100.000", "meter_end": "210.000"}
    form = FIGURES | {"meter_end": "120"} | WHY
    await tab.fire(AnswerState.submit, form)
    assert dialog.question.startswith("The tank holds 17.600 gallons at most.")
    await tab.fire(AnswerState.edit, form | {"meter_end": "119"})
    assert dialog.question == ""
    await tab.fire(AnswerState.submit, form)
    await tab.fire(AnswerState.submit, form)  # the second press of a double click has not read it
    assert dialog.question
    await tab.fire(AnswerState.submit, form | {AGREED: dialog.question})
    assert await tab.said() == ["Gallons corrected"]
    assert (await road.now()).filled_milligallons == 20_000


async def test_dispatcher_cannot_confirm_what_an_admin_can(monkeypatch):
    road = await a_road(monkeypatch)
    await pumped(road, meter_end="210")
    tab = await a_tab()
    dialog = await begun(tab, "confirm")
    await tab.fire(AnswerState.submit, WHY)
    assert dialog.error
    assert (await road.now()).total is None
    admin = await a_tab(Role.ADMIN)
    await begun(admin, "confirm")
    await admin.fire(AnswerState.submit, WHY)
    assert await admin.said() == ["Gallons confirmed"]
    assert (await road.now()).total is not None


async def test_repeated_ticket_is_seen(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await pumped(road)
    await pumped(road, guest.id)
    tab = await a_tab()
    [(title, customer, why)] = await shown(tab)
    assert (title, customer) == ("Repeated ticket number", "Gus Guest")
    assert why == f"The same ticket of this meter: Ada Lovelace, {road.booking.when}."
    await begun(tab, "see")
    await tab.fire(AnswerState.submit, {})
    assert await tab.said() == ["Ticket number seen"]


async def test_list_follows_for_staff_alone(monkeypatch, waiting):
    monkeypatch.setattr(screens, "_PAUSE_S", 0)
    await a_kept_fill(monkeypatch)
    stranger = await tab_at(routes.DASHBOARD).get_state(QuestionsState)
    await run(QuestionsState.follow.fn(stranger))
    assert stranger.rows == []
    tab = await AdminTab.at(routes.DASHBOARD, Role.DISPATCHER)
    screen = await tab.screen(QuestionsState)
    task = asyncio.create_task(run(QuestionsState.follow.fn(screen)))
    await waiting.wait()
    task.cancel()
    assert screen.total == 1
