"""Searches among the leads, on both databases."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, literal, select, text

from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.queries import listing as leads
from fuel_app.leads.queries import names as lead_names
from fuel_app.leads.queries import postgresql as postgresql_search
from fuel_app.leads.queries import search as lead_search
from fuel_app.leads.queries import sqlite as sqlite_search
from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import Lead
from tests.leads.test_queries_listing import lead, store


async def found(search: str, **more: str) -> list[str]:
    query = LeadQuery.parse(search, more.get("type", ""), more.get("sort", "date"))
    return [row.email for batch in [b async for b in leads.walk(query)] for row in batch]


@pytest.mark.parametrize(
    ("search", "emails"),
    [
        ("ada", ["ada@example.com"]),
        ("ADA LOVE", ["ada@example.com"]),
        ("Ångström", ["anders@example.com"]),
        ("angstrom", ["anders@example.com"]),
        ("gulf side", ["bob@x.org"]),
        ("(941) 555-0101", ["bob@x.org"]),
        ("555-0101", ["bob@x.org"]),
        ("x.org", ["bob@x.org"]),
        ("o", ["ada@example.com", "anders@example.com", "bob@x.org"]),
        ("z", []),
        ("5", ["bob@x.org"]),
        ("rg", ["bob@x.org"]),
        ("01", ["bob@x.org"]),
        ("b@", ["bob@x.org"]),
        ("x.", ["bob@x.org"]),
        ("o'", ["anders@example.com"]),
        ("e c", []),
        ("o'a", ["anders@example.com"]),
        ("@x.", ["bob@x.org"]),
        ("@y.", []),
        ("e 🚚", ["ada@example.com"]),
        ("🚚", ["ada@example.com"]),
        ("%", []),
        ("_", []),
        ("100%", []),
        ('"', []),
        ("'", ["anders@example.com"]),
        ("NEAR", []),
        ("ada*", []),
        ("ada OR bob", []),
        ("🚚🚚🚚", []),
        ("lovelace ada", []),
        ("ada\nlovelace", ["ada@example.com"]),
        ("x" * 10_000, []),
        ("\\", []),
    ],
)
async def test_a_search_finds_a_part_of_name_company_email_or_phone(database, search, emails):
    await store(
        lead(0, type="waitlist", name="Ada Lovelace 🚚", email="ada@example.com", phone=""),
        lead(4, type="waitlist", name="Anders O'Ångström", email="anders@example.com", phone=""),
        lead(
            9, type="fleet", name="Bob", company="Gulf Side", email="bob@x.org", phone="9415550101"
        ),
    )
    assert await found(search) == emails


async def test_a_search_and_a_type_and_an_order_go_together(database):
    await store(*(lead(number) for number in range(60)))
    rows = [
        r async for batch in leads.walk(LeadQuery.parse("gulf", "business", "name")) for r in batch
    ]
    assert {(row.company, row.type) for row in rows} == {("Gulf LLC", "business")}
    assert [row.name.replace("é", "e") for row in rows] == sorted(
        row.name.replace("é", "e") for row in rows
    )
    assert len(rows) == 10


COMMON = [("example", "", "name"), ("person1", "fleet", "-source"), ("e", "waitlist", "status")]


async def few_and_many(monkeypatch, query: LeadQuery, **where: int) -> tuple[list[int], list[int]]:
    """What a search gives that finds few, and what it gives when that is too many."""
    async with reading() as session:
        few = await lead_search.matches(session, query)
        assert few is not None
        monkeypatch.setattr(lead_search, "FEW_MATCHES", 3)
        assert await lead_search.matches(session, query) is None
        many = await lead_search.common(session, query, **where)
    return few, list(many)


@pytest.mark.parametrize(("search", "lead_type", "sort"), COMMON)
async def test_a_common_search_gives_the_same_lines_as_a_rare_one(
    database, monkeypatch, search, lead_type, sort
):
    await store(*(lead(number) for number in range(60)))
    query = LeadQuery.parse(search, lead_type, sort)
    few, many = await few_and_many(monkeypatch, query, offset=2, limit=5)
    assert many == few[2:7]


@pytest.mark.parametrize(("search", "lead_type", "sort"), COMMON)
async def test_a_common_search_finds_what_lies_far_along_the_order(
    database, monkeypatch, search, lead_type, sort
):
    await store(*(lead(number) for number in range(60)))
    monkeypatch.setattr(lead_search, "_AHEAD", -40)  # with what is added for 2 + 5 lines: 30 leads
    query = LeadQuery.parse(search, lead_type, sort)
    few, many = await few_and_many(monkeypatch, query, offset=2, limit=5)
    assert many == few[2:7]


NAMES = (
    *("Mary Ann", "Mary", "mary bo", "Maryam", "Mary-Jo", "MARY SUE", "Mary Élan"),
    *("Ann Mary", "Marc Mary", "Élan Mary", "Élan", "Mar", "M"),
)
BY_NAME = [("mary", ""), ("MARY ", "fleet"), ("élan", "waitlist"), ("marc mary", ""), ("mar", "")]


@pytest.mark.parametrize("many", [5, 15, 35, 1_000])
@pytest.mark.parametrize("sort", ["name", "-name", "source"])
@pytest.mark.parametrize(("search", "lead_type"), BY_NAME)
async def test_names_that_begin_with_the_search_and_others_are_found_in_one_order(
    database, monkeypatch, search, lead_type, sort, many
):
    monkeypatch.setattr(lead_search, "_AHEAD", -120)  # with what is added for 2 + 10 lines: none
    monkeypatch.setattr(sqlite_search, "_SORTABLE", many)
    monkeypatch.setattr(lead_names, "_MANY", many)
    await store(*(lead(number, name=NAMES[number % len(NAMES)]) for number in range(90)))
    query = LeadQuery.parse(search, lead_type, sort)
    few, found = await few_and_many(monkeypatch, query, offset=2, limit=10)
    assert found == few[2:12]
    assert found


BEGINNINGS = st.sampled_from(["mary", "mary's", "élan", "ma", ""])
ANY_NAME = st.builds(str.__add__, BEGINNINGS, st.text("mary \n'\"é🚚", max_size=5))


@given(st.lists(ANY_NAME, min_size=4, max_size=12))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_names_are_they_are_found_in_their_order(database, monkeypatch, names):
    async with transaction() as session:
        await session.execute(delete(Lead))
    monkeypatch.setattr(lead_names, "_MANY", 4)
    await store(*(lead(number, name=name, company="") for number, name in enumerate(names)))
    for typed in {name[:5] for name in names}:
        query = LeadQuery.parse(typed, "", "name")
        if not query.term:
            continue
        async with reading() as session:
            few = await lead_search.matches(session, query) or []
            assert await lead_search._of(session).far(session, query, 3) == few[:3]


@pytest.mark.parametrize(("search", "surely"), [("person", True), ("person9", False)])
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_a_look_at_some_tells_what_is_surely_common(database, monkeypatch, search, surely):
    """Here the sample is all of them."""
    await store(*(lead(number) for number in range(100)))
    monkeypatch.setattr(postgresql_search, "_SAMPLE", 100)
    async with reading() as session:
        assert await postgresql_search._is_surely_common(session, search, 20) is surely


async def test_a_deleted_lead_is_not_found_though_the_search_index_remembers_it(database):
    await store(lead(1, name="Zebulon"))
    async with transaction() as session:
        await session.execute(delete(Lead))
    await store(lead(2, name="Someone Else"))
    assert await found("zebulon") == []
    assert await found("z") == []


SIGNS = st.sampled_from("ab1'\\&|!():*<->\"%_ \n\x02é\u0301\u200d🚚") | st.characters(
    exclude_categories=["Cs"], exclude_characters="\0\x01"
)


@given(st.text(SIGNS, max_size=5), st.text(SIGNS, min_size=1, max_size=5), st.text(SIGNS))
@example("", "a", "")
@example("a", "b", "")
@example("ab", "c", "")
@example("", "\\", "'")
@example("'", "'\\':*", "")
@example("", "!!", "!!")
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_whatever_a_text_holds_its_index_names_it(database, before, term, after):
    async with reading() as session:
        texts = literal(before + term + after), literal("")
        held = postgresql_search._lexemes(term, "", texts)
        assert await session.scalar(select(held))


@pytest.mark.parametrize("search", ["o", "rg", "🚚", "':*", "@x."])
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_what_is_no_trigram_is_asked_of_the_index_of_pairs(database, search):
    await store(*(lead(number) for number in range(60)))
    query = postgresql_search._sorted(LeadQuery.parse(search), 10)
    async with database.connect() as connection:
        compiled = query.compile(connection.sync_engine)
        given = tuple(compiled.params[name] for name in compiled.positiontup or ())
        await connection.execute(text("SET LOCAL enable_seqscan = off"))
        plan = await connection.exec_driver_sql(f"EXPLAIN {compiled}", given)
        assert "ix_leads_search_lexemes" in "\n".join(plan.scalars())
