"""Fuel prices: in effect, set by admins, never overwritten."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas import queries
from fuel_app.areas.rules.areas import AreaGone
from fuel_app.areas.rules.prices import (
    BigJumps,
    FuelPriceChanged,
    GradeLine,
    Jump,
    NewPrice,
    PriceNow,
    PriceTerms,
    UnknownGrade,
    clean_price,
)
from fuel_app.areas.service import prices
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.signals import PRICES, listening
from tests.areas.prices import MILLS, set_prices
from tests.factories import UNKNOWN_ID
from tests.helpers.open_area import open_area

ADMIN = Actor(frozenset({Role.ADMIN}), session_id=new_id())
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
async def area_id() -> str:
    return await open_area()


async def set_regular(
    area_id: object, price: str = "3.459", effective: str = "", **differs: object
) -> None:
    line = {"grade": "regular", "seen": "", "cost": None}
    line |= {name: differs.pop(name) for name in line if name in differs}  # type: ignore[misc]
    new = NewPrice(area_id, mills=clean_price(price), **line)  # type: ignore[arg-type]
    terms = PriceTerms.parse({"source": "Us", "effective": effective})
    await prices.set_prices([new], terms, **{"actor": ADMIN} | differs)  # type: ignore[arg-type]


async def regular_of(area_id: str) -> GradeLine:
    board = await prices.board(actor=ADMIN)
    return next(each for each in board if (each.area_id, each.grade) == (area_id, "regular"))


async def revision(area_id: str) -> str:
    return (await regular_of(area_id)).revision


async def logged(area_id: str) -> list[AuditEntry]:
    async with reading() as session:
        return await audit.history(session, prices.NOUN, area_id, limit=10)


async def now_of(area_id: str, days: float = 0) -> PriceNow:
    async with reading() as session:
        at = clock.now() + timedelta(days=days)
        price = await prices.price_at(session, area_id, "regular", at)
    assert price
    return price


async def test_a_price_is_in_effect_at_once_with_its_source(area_id):
    async with listening(PRICES) as changes:
        await set_regular(area_id)
        assert await changes.next(5) == {PRICES}
    now = await now_of(area_id)
    assert (now.mills, now.source, now.is_stale) == (3459, "Us", False)
    [entry] = await logged(area_id)
    assert (entry.before, entry.kind, entry.actor) == ({"mills": None}, "set", "shared password")
    at = now.effective_at.isoformat()
    assert entry.after == {"grade": "regular", "mills": 3459, "source": "Us", "effective_at": at}


async def test_cost_is_kept_beside_the_price_until_another_is_said(area_id):
    for cost in (2950, None):
        await set_regular(area_id, cost=cost, seen=await revision(area_id))
    async with reading() as session:
        assert await prices.costs_at(session, clock.now()) == {(area_id, "regular"): 2950}
    assert (await regular_of(area_id)).cost == "$2.95"


async def test_the_newest_price_of_each_grade_is_in_effect_until_it_is_stale(area_id):
    now = clock.now()
    await set_prices(area_id, since=now - timedelta(days=20), regular=3000, diesel=4000)
    await set_prices(area_id, since=now - timedelta(days=2), regular=3100)
    async with reading() as session:
        in_effect = await prices.prices_at(session, area_id, now)
        assert await prices.price_at(session, area_id, "plus", now) is None
        assert await prices.prices_at(session, UNKNOWN_ID, now) == {}
    assert {grade: (price.mills, price.is_stale) for grade, price in in_effect.items()} == {
        "regular": (3100, False),
        "diesel": (4000, True),
    }
    assert not (await now_of(area_id, days=11.9)).is_stale
    assert (await now_of(area_id, days=12.1)).is_stale


async def test_a_price_for_later_is_not_in_effect_yet(area_id):
    await set_prices(area_id, regular=3459)
    at = (clock.now() + timedelta(days=2)).astimezone(clock.NEW_YORK)
    await set_regular(area_id, "3.559", at.strftime("%Y-%m-%dT%H:%M"), seen=await revision(area_id))
    assert (await now_of(area_id)).mills == 3459
    assert (await now_of(area_id, days=2.1)).mills == 3559
    regular = await regular_of(area_id)
    later = f"$3.559 from {clock.date_and_time(at)}"
    assert (regular.price, regular.notes[-1]) == ("$3.459", later)
    with pytest.raises(InvalidForm):
        await set_regular(area_id, effective="2026-01-01T08:00", seen=regular.revision)


async def test_a_jump_over_20_percent_asks_for_its_own_confirmation(area_id):
    await set_prices(area_id, regular=3000)
    seen = await revision(area_id)
    with pytest.raises(BigJumps) as question:
        await set_regular(area_id, "3.601", seen=seen)
    [jump] = question.value.jumps
    assert jump == Jump("Regular, Sarasota", 3000, 3601)
    for older in ((3000, 3602), (2999, 3601), (3601, 3000), (0, 0)):
        with pytest.raises(BigJumps):
            await set_regular(area_id, "3.601", seen=seen, confirmed=[Jump(jump.name, *older)])
    await set_regular(area_id, "3.601", seen=seen, confirmed=[jump])
    assert (await now_of(area_id)).mills == 3601


async def test_prices_of_several_areas_are_set_together_or_not_at_all(area_id):
    other = await open_area("34285", name="Venice")
    await set_prices(other, regular=3000)
    async with reading() as session:
        seen = await queries.price_revision(session, other, "regular")
    terms = PriceTerms.parse({"source": "Us", "effective": ""})
    new = [
        NewPrice(other, "regular", 4000, 2900, seen),
        NewPrice(area_id, "regular", 3459, None, ""),
        NewPrice(other, "diesel", 3999, None, ""),
    ]
    with pytest.raises(BigJumps) as question:
        await prices.set_prices(new, terms, actor=ADMIN)
    board = await prices.board(actor=ADMIN)
    assert {each.price for each in board} == {"", "$3.00"}
    await prices.set_prices(new, terms, confirmed=question.value.jumps, actor=ADMIN)
    set_now = {
        each.name: (each.price, each.cost) for each in await prices.board(actor=ADMIN) if each.price
    }
    assert set_now == {
        "Regular, Sarasota": ("$3.459", ""),
        "Regular, Venice": ("$4.00", "$2.90"),
        "Diesel, Venice": ("$3.999", ""),
    }


async def test_of_two_admins_at_once_the_second_sees_the_newer_price_first(area_id):
    await set_prices(area_id, regular=3400)
    seen = await revision(area_id)
    both = (set_regular(area_id, price, seen=seen) for price in ("3.459", "3.469"))
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert sorted(map(type, outcomes), key=str) == [type(None), FuelPriceChanged]
    assert len((await regular_of(area_id)).trend) == 2


async def test_history_is_kept(area_id):
    await set_prices(area_id, regular=3400, since=clock.now() - timedelta(days=15))
    assert [(each.grade, each.problem) for each in await prices.board(actor=ADMIN)] == [
        ("regular", "Older than 14 days: cannot be booked"),
        *((grade, "No price: cannot be booked") for grade in list(MILLS)[1:]),
    ]
    for price in ("3.459", "3.469"):
        await set_regular(area_id, price, seen=await revision(area_id))
    regular = await regular_of(area_id)
    assert [line.partition(" ")[0] for line in regular.trend] == ["$3.469", "$3.459", "$3.40"]
    assert all(line.endswith(", shared password") for line in regular.trend)
    assert [entry.before for entry in await logged(area_id)] == [{"mills": 3459}, {"mills": 3400}]


async def test_an_unknown_grade_or_area_is_refused(area_id):
    with pytest.raises(UnknownGrade):
        await set_regular(area_id, grade="kerosene")
    for unknown in (UNKNOWN_ID, "x' OR 1=1"):
        with pytest.raises(AreaGone):
            await set_regular(unknown)


async def test_admins_alone_see_and_set_prices(area_id):
    for refused in (
        set_regular(area_id, actor=DISPATCHER),
        prices.board(actor=DISPATCHER),
        prices.board(actor=Actor()),
    ):
        with pytest.raises(NotAllowed):
            await refused
