"""Areas: made, changed, opened, paused, closed; by admins alone, and logged."""

import asyncio
from functools import partial
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.areas import (
    AreaChanged,
    AreaForm,
    AreaGone,
    AreaRow,
    HasCustomers,
    HasOpened,
    NeedsNamedAdmin,
    NotReady,
    Point,
)
from fuel_app.areas.service import areas, company
from fuel_app.kit import audit
from fuel_app.kit.audit import Done
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import ChangedSince, InvalidForm
from fuel_app.kit.signals import AREAS, listening
from fuel_app.launch.service import areas as area_changes
from fuel_app.launch.service.areas import close_area
from tests.factories import UNKNOWN_ID
from tests.helpers.people import a_person

ADMIN = Actor(frozenset({Role.ADMIN}), person_id=new_id(), session_id=new_id())
SHARED = Actor(frozenset({Role.ADMIN, Role.DISPATCHER}), session_id=new_id())
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
STEPS = (
    *(partial(areas.step, kind) for kind in ("open", "pause", "resume")),
    close_area,
)

pytestmark = pytest.mark.usefixtures("database")


def form(name: str = "Sarasota", zips: str = "34236 34237") -> AreaForm:
    return AreaForm.parse({"name": name, "zips": zips, "grades": ["regular", "diesel"], "tax": "0"})


def values(name: str, *zips: str) -> dict[str, Any]:
    """Return what the log says of an area of `form`."""
    others = {"grades": ["regular", "diesel"], "tax": 0, "streets": False}
    return {"name": name, "zips": list(zips)} | others


async def _changed(area_id: object, seen: AreaForm, wanted: AreaForm, *, actor: Actor) -> Done:
    made = await area_changes.change_area(area_id, seen, wanted, actor=actor)
    assert (made.cancelled, made.ended) == (0, 0)
    return made.done


async def made(name: str = "Sarasota", zips: str = "34236 34237") -> str:
    return await areas.create(form(name, zips), actor=ADMIN)


async def opened() -> str:
    area_id = await made()
    await areas.step("open", area_id, actor=ADMIN)
    return area_id


async def shown(area_id: str) -> AreaRow:
    return next(area for area in await areas.listing(actor=ADMIN) if area.id == area_id)


async def logged(area_id: str) -> list[tuple[str, str, Any, Any]]:
    async with reading() as session:
        entries = await audit.history(session, "area", area_id, limit=10)
    return [(e.kind, e.actor, e.before, e.after) for e in reversed(entries)]


async def undo(action_id: str) -> None:
    async for _ in audit.undo(action_id, actor=str(ADMIN)):
        pass


async def test_a_new_area_collects_a_waitlist():
    area_id = await made("Venice", "34285")
    await made()
    assert [(a.name, a.status, a.zips) for a in await areas.listing(actor=ADMIN)] == [
        ("Sarasota", "waitlist", ("34236", "34237")),
        ("Venice", "waitlist", ("34285",)),
    ]
    assert not await company.is_open()
    assert await logged(area_id) == [("create", str(ADMIN), None, values("Venice", "34285"))]


async def test_a_name_and_a_zip_belong_to_one_area():
    area_id = await made()
    await made("Venice", "34285")
    for other, messages in (
        (form("Venice", "34999"), {"name": "There is an area with this name already"}),
        (form("Bay", "34999 34285"), {"zips": "34285 belongs to Venice"}),
    ):
        with pytest.raises(InvalidForm) as refused:
            await areas.create(other, actor=ADMIN)
        assert refused.value.messages == messages
        with pytest.raises(InvalidForm) as refused:
            await _changed(area_id, form(), other, actor=ADMIN)
        assert refused.value.messages == messages
    assert [area.zips for area in await areas.listing(actor=ADMIN)] == [
        ("34236", "34237"),
        ("34285",),
    ]


async def test_two_admins_cannot_take_one_zip_at_once():
    outcomes = await asyncio.gather(*(made(f"Area {n}") for n in range(5)), return_exceptions=True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == 1
    refused = [each for each in outcomes if isinstance(each, InvalidForm)]
    assert len(refused) == 4
    assert all(each.messages["zips"].startswith("34236, 34237 belong to Area") for each in refused)


async def test_a_change_is_logged_and_undone():
    area_id = await made()
    assert (await _changed(area_id, form(), form(), actor=ADMIN)).changed == 0
    changed = form("Sarasota Bay", "34236 34239")
    done = await _changed(area_id, form(), changed, actor=ADMIN)
    area = await shown(area_id)
    assert (area.name, area.zips) == ("Sarasota Bay", ("34236", "34239"))
    assert (await logged(area_id))[1:] == [
        (
            "change",
            str(ADMIN),
            values("Sarasota", "34236", "34237"),
            values("Sarasota Bay", "34236", "34239"),
        )
    ]
    with pytest.raises(AreaChanged):
        await _changed(area_id, form(), form("Gulf"), actor=ADMIN)
    await undo(done.action_id)
    area = await shown(area_id)
    assert (area.name, area.zips) == ("Sarasota", ("34236", "34237"))


@pytest.mark.parametrize("later", ["changed", "zip taken", "deleted"])
async def test_an_undo_does_not_discard_what_came_later(later):
    area_id = await made()
    changed = form("Bay", "34236")
    done = await _changed(area_id, form(), changed, actor=ADMIN)
    if later == "changed":
        await _changed(area_id, changed, form("Gulf"), actor=ADMIN)
    elif later == "zip taken":
        await made("Venice", "34237")
    else:
        await areas.remove(area_id, actor=ADMIN)
    with pytest.raises(ChangedSince):
        await undo(done.action_id)


async def test_opening_an_area_opens_the_company_and_tells_every_tab():
    area_id = await made()
    with pytest.raises(NeedsNamedAdmin):
        await areas.step("open", area_id, actor=SHARED)
    points = await areas.checklist(area_id, actor=ADMIN)
    assert areas.problem_of_opening(points, actor=ADMIN) == ""
    async with listening(AREAS) as changes:
        await areas.step("open", area_id, actor=ADMIN)
        assert AREAS in await changes.next(1)
    assert await company.is_open()
    assert await company.serves("34236")
    assert not await company.serves("34285")
    kind, _, before, after = (await logged(area_id))[-1]
    assert (kind, before) == ("open", {"status": "waitlist"})
    assert after == {"status": "open", "passed_over": [p.label for p in points if not p.done]}


@pytest.mark.parametrize(
    "site", ["https://fuel.example", "http://fuel.example", "https://localhost"]
)
async def test_a_public_or_https_site_passes_nothing_over(configure, monkeypatch, site):
    area_id = await made()
    configure(areas, site_url=site)
    refusal = r"^This area cannot open yet\. Missing: .*Mail, Payments\.$"
    with pytest.raises(NotReady, match=refusal):
        await areas.step("open", area_id, actor=ADMIN)
    points = await areas.checklist(area_id, actor=ADMIN)
    assert "Missing: " in areas.problem_of_opening(points, actor=ADMIN)
    assert not await company.is_open()

    async def nothing_missing(*_: object) -> list[Point]:
        return []

    monkeypatch.setattr(areas, "_points", nothing_missing)
    await areas.step("open", area_id, actor=ADMIN)
    assert await company.is_open()


async def test_pausing_keeps_the_company_open():
    area_id = await opened()
    first = (await shown(area_id)).opened_at
    await areas.step("pause", area_id, actor=ADMIN)
    assert (await shown(area_id)).status == "paused"
    assert await company.is_open()
    assert not await company.serves("34236")
    await areas.step("resume", area_id, actor=ADMIN)
    assert await company.serves("34236")
    assert (await shown(area_id)).opened_at == first


async def test_two_admins_at_once_change_a_status_once():
    area_id = await opened()
    outcomes = await asyncio.gather(
        *(areas.step("pause", area_id, actor=ADMIN) for _ in range(3)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [AreaChanged] * 2
    with pytest.raises(AreaChanged):
        await areas.step("open", area_id, actor=ADMIN)


async def test_an_area_closes_only_while_there_is_no_customer():
    area_id = await opened()
    await close_area(area_id, actor=ADMIN)
    assert not await company.is_open()
    await areas.step("open", area_id, actor=ADMIN)
    await a_person(Role.CUSTOMER)
    with pytest.raises(HasCustomers):
        await close_area(area_id, actor=ADMIN)
    assert (await shown(area_id)).status == "open"
    assert [kind for kind, *_ in await logged(area_id)] == ["create", "open", "close", "open"]


async def test_only_an_area_that_never_opened_is_deleted():
    area_id, other_id = await opened(), await made("Venice", "34285")
    await areas.remove(other_id, actor=ADMIN)
    assert [area.name for area in await areas.listing(actor=ADMIN)] == ["Sarasota"]
    assert (await logged(other_id))[-1][0] == "delete"
    assert await made("Bay", "34285")
    await close_area(area_id, actor=ADMIN)
    with pytest.raises(HasOpened):
        await areas.remove(area_id, actor=ADMIN)


@pytest.mark.parametrize("area_id", [None, 7, "nonsense", UNKNOWN_ID])
async def test_an_unknown_area_is_gone(area_id):
    for call in (*STEPS, areas.remove, areas.checklist):
        with pytest.raises(AreaGone):
            await call(area_id, actor=ADMIN)
    with pytest.raises(AreaGone):
        await _changed(area_id, form(), form("Bay"), actor=ADMIN)


@pytest.mark.parametrize("actor", [Actor(), DISPATCHER])
async def test_nobody_but_an_admin_reaches_areas(actor):
    area_id = await made()
    calls = (
        areas.listing(actor=actor),
        areas.create(form("Venice", "34285"), actor=actor),
        _changed(area_id, form(), form("Bay"), actor=actor),
        *(call(area_id, actor=actor) for call in (areas.checklist, areas.remove, *STEPS)),
    )
    for call in calls:
        with pytest.raises(NotAllowed):
            await call
    assert [a.status for a in await areas.listing(actor=ADMIN)] == ["waitlist"]
    assert [kind for kind, *_ in await logged(area_id)] == ["create"]
