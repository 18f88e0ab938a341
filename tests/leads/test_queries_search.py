"""Substring search over leads, on both databases."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, text

from fuel_app.kit.db.session import transaction
from fuel_app.kit.search import searchable
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import LeadQuery, fold
from fuel_app.leads.tables import Lead
from tests.leads.test_queries_listing import lead, page, store


async def found(search: str) -> list[str]:
    """Return the e-mails that the list shows, which are those that an export contains."""
    query = LeadQuery.parse({"q": search, "sort": "date"})
    shown = [row.email for row in (await page(query)).rows]
    assert [
        row.email for batch in [b async for b in leads.in_batches(query)] for row in batch
    ] == shown
    return shown


@pytest.mark.parametrize(
    ("search", "emails"),
    [
        ("ADA LOVE", ["ada@example.com"]),
        ("Ångström", ["anders@example.com"]),
        ("gulf side", ["bob@x.org"]),
        ("x.org", ["bob@x.org"]),
        ("o", ["ada@example.com", "anders@example.com", "bob@x.org"]),
        ("5", ["bob@x.org"]),
        ("rg", ["bob@x.org"]),
        ("b@", ["bob@x.org"]),
        ("o'a", ["anders@example.com"]),
        ("e c", ["ada@example.com", "anders@example.com"]),
        ("love ada", ["ada@example.com"]),
        ("oangstrom", ["anders@example.com"]),
        ("anders o'angstrom", ["anders@example.com"]),
        ("side - GULF, bob", ["bob@x.org"]),
        ("bob side org 5550", ["bob@x.org"]),
        ("ada bob", []),
        ("@x.", ["bob@x.org"]),
        ("x@example", []),
        ("e 🚚", ["ada@example.com"]),
        ("%", []),
        ("_", []),
        ('"', []),
        ("NEAR", []),
        ("ada*", ["ada@example.com"]),
        ("ada OR bob", []),
        (", -", []),
        ("🚚🚚🚚", []),
        ("ada\nlovelace", ["ada@example.com"]),
        ("x" * 10_000, []),
        ("\\", []),
    ],
)
async def test_search_matches_any_part_of_name_company_email_or_phone(database, search, emails):
    await store(
        lead(0, type="waitlist", name="Ada Lovelace 🚚", email="ada@example.com", phone=""),
        lead(4, type="waitlist", name="Anders O'Ångström", email="anders@example.com", phone=""),
        lead(
            9, type="fleet", name="Bob", company="Gulf Side", email="bob@x.org", phone="9415550101"
        ),
    )
    assert await found(search) == emails


@pytest.mark.parametrize(
    "search", ["941 555 0101", "(941) 555-0101", "555-0101", "+1 (941) 555-0101", "19415550101"]
)
async def test_phone_stored_as_ten_digits_is_found_in_any_form(database, search):
    await store(lead(0, email="bob@x.org", phone="9415550101"), lead(1))
    assert await found(search) == ["bob@x.org"]


@pytest.mark.parametrize("search", ["9415550101", "+1 941 555 0101", "(941) 555", "555.0101"])
@pytest.mark.parametrize("phone", ["(941) 555-0101", "941.555.0101", "+1 941 555 0101 ext. 7"])
async def test_business_phone_stored_as_typed_is_found_by_its_digits(database, search, phone):
    await store(lead(1, email="bob@x.org", phone=phone), lead(2))
    assert await found(search) == ["bob@x.org"]


@pytest.mark.parametrize("search", ["24-7", "24-7 tow", "(24-7)"])
async def test_digits_and_punctuation_match_text_as_typed(database, search):
    await store(
        lead(0, company="24-7 Towing", email="tow@x.org"),
        lead(1, company="Open (24-7)", email="open@x.org"),
        lead(2, email="digits@x.org", phone="9415552470"),
        lead(3),
    )
    expected = {
        "24-7": ["tow@x.org", "open@x.org", "digits@x.org"],
        "24-7 tow": ["tow@x.org"],
        "(24-7)": ["tow@x.org", "open@x.org", "digits@x.org"],
    }
    assert await found(search) == expected[search]


async def test_words_are_found_in_any_order_without_accents_and_apostrophes(database):
    names = ("Joshua González", "Sam Smith, Jr.", "Tim O’Neil", "Łukasz Nowak", "Al Smithson")  # noqa: RUF001
    await store(*(lead(n, name=name, email=f"{n}@x.org") for n, name in enumerate(names)))
    for search, emails in {
        "gonzalez joshua": ["0@x.org"],
        "smith jr": ["1@x.org"],
        "jr. smith": ["1@x.org"],
        "oneil": ["2@x.org"],
        "o'neil": ["2@x.org"],
        "lukasz": ["3@x.org"],
        "ŁUKASZ": ["3@x.org"],
        "smith": ["1@x.org", "4@x.org"],
        "smith al": ["4@x.org"],
    }.items():
        assert await found(search) == emails, search


@pytest.mark.parametrize("search", ["34236", "342", "ada 34236", "34 ada"])
async def test_zip_code_is_found(database, search):
    await store(
        lead(0, name="Ada", company="", email="ada@x.org", phone="", zip_code="34236"),
        lead(1, name="Bob", company="", email="bob@x.org", phone="", zip_code="34108"),
        lead(2, name="Cy", company="", email="cy@x.org", phone=""),
    )
    assert await found(search) == ["ada@x.org"]


@pytest.mark.parametrize("near", [5, 1_000])
@pytest.mark.parametrize(
    ("search", "lead_type", "sort"),
    [("example", "", "name"), ("person", "fleet", "-source"), ("e", "waitlist", "status")],
)
async def test_common_search_shows_the_same_leads_as_a_counted_one(
    database, monkeypatch, search, lead_type, sort, near
):
    """Its matches lie at the head of the order, or far along it."""
    monkeypatch.setattr("fuel_app.leads.rules.PAGE_SIZE", 5)
    await store(*(lead(number) for number in range(60)))
    query = LeadQuery(q=search, type=lead_type, sort=sort)
    counted = await page(query, 2)
    monkeypatch.setattr("fuel_app.leads.rules.FEW_MATCHES", 15)
    monkeypatch.setattr(leads, "_NEAR", near)
    common = await page(query, 2)
    assert common.rows == counted.rows != ()
    assert (counted.counted, common.counted, common.total) == (True, False, 15)


async def test_deleted_lead_is_gone_from_the_search_index(database):
    await store(lead(1, name="Zebulon"), lead(2, name="Someone Else"))
    async with transaction() as session:
        await session.execute(delete(Lead).where(Lead.name == "Zebulon"))  # type: ignore[arg-type]
        if database.dialect.name == "sqlite":
            check = "INSERT INTO lead_search(lead_search, rank) VALUES ('integrity-check', 1)"
            await session.execute(text(check))
    assert await found("zebulon") == []
    assert await found("z") == []


async def test_postgresql_without_trigrams_finds_the_same(database):
    if database.dialect.name == "postgresql":
        async with transaction() as session:
            await session.execute(text("DROP EXTENSION pg_trgm CASCADE"))
    await store(lead(1, name="Zebulon"), lead(2))
    assert await found("ebul") == ["person1@example.com"]


@given(st.text("ab1-'\"%_*\\ éß🚚", max_size=6), st.text("ab1-'\"%_*\\ éß🚚", max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_text_is_found_by_itself_and_never_an_operator(database, name, search):
    async with transaction() as session:
        await session.execute(delete(Lead))
    await store(lead(0, name=name, company="", email="x@y.org", phone=""))
    text = fold(f"{name}\n\nx@y.org")
    words = fold(search).split()
    if words and all(word in text for word in words):
        assert await found(search)
    elif words and not any(map(searchable, words)) and not search.isascii():
        assert await found(search) == []
