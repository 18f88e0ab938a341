"""Pages, searches, totals and details of leads, and their export."""

import csv
import io
from datetime import datetime

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.joining import service as neighborhoods
from fuel_app.kit.csv import BOM
from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.rules import COMMON_REACH, DELETE, PAGE_SIZE, Change, LeadQuery
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.details import Linked
from fuel_app.submissions.rules.exports import ALL_COLUMNS, EXPORT_COLUMNS
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import STAFF
from tests.helpers.leads import business, fleet, joined
from tests.lead_files import HEADER, counts, rejected, run, table
from tests.leads.test_queries_listing import lead, store


async def exported(parts) -> list[list[str]]:
    """Return the rows of a file, without its header."""
    text = "".join([part async for part in parts])
    assert text.startswith(BOM)
    header, *rows = csv.reader(io.StringIO(text.removeprefix(BOM), newline=""))
    assert tuple(header) == EXPORT_COLUMNS
    return rows


async def test_joins_and_quotes_are_listed_at_once_newest_first(database):
    empty = await submissions.list_page(LeadQuery(page=3), actor=STAFF)
    assert (empty.rows, empty.page, empty.pages, empty.total) == ((), 1, 1, 0)
    ids = [await joined(), await fleet(company_name="Gulf Trucks"), await business()]
    page = await submissions.list_page(LeadQuery(), actor=STAFF)
    assert [row.id for row in page.rows] == ids[::-1]
    assert [row.shown_status for row in page.rows] == ["Not Contacted", "Not Contacted", "pending"]
    assert [row.company for row in page.rows] == ["Analytical Engines", "Gulf Trucks", ""]
    assert (page.page, page.pages, page.total, page.counted) == (1, 1, 3, True)


async def test_page_beyond_the_end_is_the_last_one(database):
    await store(*(lead(number) for number in range(PAGE_SIZE + 1)))
    page = await submissions.list_page(LeadQuery(page=9), actor=STAFF)
    assert (len(page.rows), page.page, page.pages) == (1, 2, 2)
    found = await submissions.list_page(LeadQuery(q="example", page=9), actor=STAFF)
    assert (len(found.rows), found.page, found.pages, found.total) == (1, 2, 2, PAGE_SIZE + 1)


async def test_a_common_search_shows_its_first_matches_and_says_that_there_are_more(
    database, monkeypatch
):
    await store(*(lead(number) for number in range(PAGE_SIZE + 10)))
    monkeypatch.setattr("fuel_app.leads.rules.FEW_MATCHES", 55)
    page = await submissions.list_page(LeadQuery(q="example"), actor=STAFF)
    assert len(page.rows) == PAGE_SIZE
    assert not page.counted
    assert page.pages == COMMON_REACH // PAGE_SIZE
    assert (
        len((await submissions.list_page(LeadQuery(q="example", page=2), actor=STAFF)).rows) == 10
    )


async def test_details_hold_every_column_but_secrets(database):
    pioneer = await joined(resume_key="x")
    neighborhood = await neighborhoods.create(pioneer, "Palm Court", "34236")
    guest = await joined(referrer=pioneer, first_name="Bob", last_name="B")
    await submissions.change_lead(pioneer, 0, Change.status("Contacted"), actor=STAFF)
    details = await submissions.find_details(pioneer, actor=STAFF)
    assert details is not None
    assert (details.name, details.kind) == ("Ada Lovelace", "Waitlist")
    shown = {field.label: field.value for field in details.fields}
    assert (shown["ZIP code"], shown["Stored status"]) == ("34236", "Contacted")
    assert details.neighborhood == Linked(neighborhood.id, "Palm Court")
    assert (details.referred_by, details.more_referred) == (Linked(), 0)
    assert details.referred == (Linked(guest, "Bob B"),)
    assert [(line.who, line.what) for line in details.log] == [
        ("by shared password", "Status: Not Contacted → Contacted")
    ]
    of_guest = await submissions.find_details(guest, actor=STAFF)
    assert of_guest is not None
    assert of_guest.referred_by == Linked(pioneer, "Ada Lovelace")


async def test_details_of_a_quote_hold_its_columns(database):
    details = await submissions.find_details((await fleet(notes="Gate 12")).upper(), actor=STAFF)
    assert details is not None
    shown = {field.label: field.value for field in details.fields}
    assert (shown["Notes"], shown["Fuel types"]) == ("Gate 12", "diesel")
    assert (details.neighborhood, details.referred_by) == (Linked(), Linked())
    assert (details.referred, details.log) == ((), ())


@pytest.mark.parametrize("lead_id", [None, 7, "", "nobody", UNKNOWN_ID, "x" * 10_000, ["a"]])
async def test_unknown_lead_id_has_no_details(sqlite_database, lead_id):
    assert await submissions.find_details(lead_id, actor=STAFF) is None


async def test_export_holds_what_the_list_shows_in_its_order(database):
    await joined(first_name="Bob")
    await joined(first_name="Ada")
    await fleet(contact_name="Cleo King")
    await business(contact_name="Abe King")
    for asked, contacts in (
        ({}, ["Abe King", "Cleo King", "Ada Lovelace", "Bob Lovelace"]),
        ({"sort": "name"}, ["Abe King", "Ada Lovelace", "Bob Lovelace", "Cleo King"]),
        ({"type": "waitlist", "sort": "-name"}, ["Bob Lovelace", "Ada Lovelace"]),
        ({"q": "king", "sort": "name"}, ["Abe King", "Cleo King"]),
        ({"q": "king", "type": "fleet"}, ["Cleo King"]),
        ({"q": "nobody"}, []),
    ):
        rows = await exported(submissions.export_leads(LeadQuery.parse(asked), actor=STAFF))
        assert [row[2] for row in rows] == contacts
    quote, *_, waitlisted = await exported(
        submissions.export_leads(LeadQuery(sort="type"), actor=STAFF)
    )
    assert (quote[:2], quote[5]) == (["Business", "Analytical Engines"], "Not Contacted")
    assert (waitlisted[:2], waitlisted[5]) == (["Waitlist", "N/A"], "pending")


async def test_export_of_chosen_leads_skips_deleted_ones(database, monkeypatch):
    monkeypatch.setattr(submissions, "_MANY", 2)
    ids = [await joined(first_name=name) for name in ("Ada", "Bob", "Cleo", "Dora")]
    asked = [ids[3], ids[0], "01a1fec0-4fd5-7ff3-96b4-210824c24ff5", ids[1]]
    rows = await exported(submissions.export_chosen(asked, actor=STAFF))
    assert sorted(row[2].split()[0] for row in rows) == ["Ada", "Bob", "Dora"]
    assert await exported(submissions.export_chosen([], actor=STAFF)) == []


async def test_exported_lead_is_imported_unchanged(database):
    name = '=1+1, "quoted" 👩‍🔬'
    first = await run(table(f'"{name.replace(chr(34), chr(34) * 2)}",-O\'Brien,ada@import.example'))
    assert counts(first) == (1, 0, 0)
    ((_, company, contact, email, *_),) = await exported(
        submissions.export_leads(LeadQuery(), actor=STAFF)
    )
    assert (company, contact, email) == ("N/A", f"'{name} -O'Brien", "ada@import.example")
    again = io.StringIO(newline="")
    csv.writer(again).writerows([HEADER.split(",")[:3], [contact, "King", "other@import.example"]])
    assert counts(await run(again.getvalue().encode("utf-8-sig"))) == (1, 0, 0)
    (row,) = (await submissions.list_page(LeadQuery(q="other@import"), actor=STAFF)).rows
    assert row.name == f"{name} -O'Brien King"


async def test_all_rejected_rows_are_exported(database, monkeypatch):
    monkeypatch.setattr(submissions, "_MANY", 2)
    outcome = await run(table(*(f"A,,x{n}@import.example" for n in range(5))))
    file = (await rejected(outcome.id)).splitlines()
    assert file[0] == f"reason,{HEADER}"
    assert [line.split(",")[3] for line in file[1:]] == [f"x{n}@import.example" for n in range(5)]
    assert await submissions.export_rejected("no such import", actor=STAFF) is None


async def test_export_of_all_fields_comes_back_in_as_it_is(database):
    ada = await joined(first_name="Ada", last_name="Lovelace King", zip_code="34236")
    async with transaction() as session:
        await session.execute(
            update(WaitlistSubmission).values(notes="Call; after 5\n=SUM(1)", lead_source="Owner 1")
        )
        await session.execute(update(Lead).values(lead_source="Owner 1"))
    await fleet(contact_name="Cleo van King", service_location="1 Main St, Sarasota, FL 34237")
    parts = submissions.export_leads(LeadQuery(sort="date"), whole=True, actor=STAFF)
    text = "".join([part async for part in parts])
    header, waiting, quote = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    assert tuple(header) == ALL_COLUMNS
    shown, cells = dict(zip(header, waiting, strict=True)), dict(zip(header, quote, strict=True))
    assert (shown["Last Name"], shown["ZIP Code"], shown["Lead Source"]) == (
        "Lovelace King",
        "34236",
        "Owner 1",
    )
    assert datetime.fromisoformat(shown["Submitted At"]).tzinfo
    assert (cells["First Name"], cells["Last Name"], cells["ZIP Code"]) == (
        "Cleo",
        "van King",
        "34237",
    )
    assert cells["Vehicles"].isdecimal()
    assert float(cells["Gallons per Fill"])
    before = await waiting_lead()
    await submissions.change_lead(ada, 0, DELETE, actor=STAFF)
    outcome = await run(text.encode())
    assert counts(outcome) == (1, 0, 1)
    assert await submissions.reasons_of_rejects(outcome.id, actor=STAFF) == [
        "Only leads of the waitlist are imported, no quotes: 1 row"
    ]
    assert await waiting_lead() == before


async def waiting_lead() -> dict[str, object]:
    """Return what is stored of the one on the waitlist, but what an import makes anew."""
    async with reading() as session:
        row = (await session.scalars(select(WaitlistSubmission))).one()
    return row.model_dump(exclude={"id", "created_at", "resume_hash"})


async def test_export_of_chosen_leads_has_all_fields_with_the_neighborhood(database):
    ids = [await joined(first_name=name) for name in ("Ada", "Bob")]
    async with transaction() as session:
        palm = Neighborhood(name="Palm Court", zip_code="34236", name_key="p", search_name="p")
        session.add(palm)
        await session.flush()
        member = update(WaitlistSubmission).where(col(WaitlistSubmission.id) == ids[0])
        await session.execute(member.values(neighborhood_id=palm.id))
    parts = submissions.export_chosen(ids, whole=True, actor=STAFF)
    text = "".join([part async for part in parts])
    _header, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    place = ALL_COLUMNS.index("Neighborhood")
    assert [(row[2], row[place]) for row in rows] == [("Ada", "Palm Court"), ("Bob", "")]
