"""Exports of leads and of rejected rows."""

import csv
import io

from fuel_app.kit.csv import BOM
from fuel_app.leads.rules import LeadQuery
from fuel_app.quotes import service as quotes
from fuel_app.submissions.rules.csv import EXPORT_COLUMNS
from fuel_app.submissions.service import export as lead_export
from fuel_app.submissions.service import listing as leads
from fuel_app.waitlist import service as waitlist
from tests.factories import business_quote, fleet_quote, waitlist_entry
from tests.lead_files import HEADER, counts, rejected, run, table

HERE = "203.0.113.7"


async def exported(parts) -> list[list[str]]:
    """The rows of the file, without its header."""
    text = "".join([part async for part in parts])
    assert text.startswith(BOM)
    header, *rows = csv.reader(io.StringIO(text.removeprefix(BOM), newline=""))
    assert tuple(header) == EXPORT_COLUMNS
    return rows


async def joined(**differs) -> str:
    return await waitlist.join(waitlist_entry(**differs), referrer=None, address=HERE)


async def test_export_holds_what_the_list_shows_in_its_order(database):
    await joined(first_name="Bob")
    await joined(first_name="Ada")
    await quotes.request(fleet_quote(contact_name="Cleo King"), address=HERE)
    await quotes.request(business_quote(contact_name="Abe King"), address=HERE)
    for asked, contacts in (
        (("", "", ""), ["Abe King", "Cleo King", "Ada Lovelace", "Bob Lovelace"]),
        (("", "", "name"), ["Abe King", "Ada Lovelace", "Bob Lovelace", "Cleo King"]),
        (("", "waitlist", "-name"), ["Bob Lovelace", "Ada Lovelace"]),
        (("king", "", "name"), ["Abe King", "Cleo King"]),
        (("king", "fleet", ""), ["Cleo King"]),
        (("nobody", "", ""), []),
    ):
        rows = await exported(lead_export.matching(LeadQuery.parse(*asked)))
        assert [row[2] for row in rows] == contacts
    fleet, *_, waitlisted = await exported(lead_export.matching(LeadQuery.parse("", "", "type")))
    assert (fleet[:2], fleet[5]) == (["Business", "Analytical Engines"], "Not Contacted")
    assert (waitlisted[:2], waitlisted[5]) == (["Waitlist", "N/A"], "pending")


async def test_export_of_chosen_leads_skips_deleted_ones(database, monkeypatch):
    monkeypatch.setattr(lead_export, "_MANY", 2)
    ids = [await joined(first_name=name) for name in ("Ada", "Bob", "Cleo", "Dora")]
    asked = [ids[3], ids[0], "01a1fec0-4fd5-7ff3-96b4-210824c24ff5", ids[1]]
    rows = await exported(lead_export.chosen(asked))
    assert sorted(row[2].split()[0] for row in rows) == ["Ada", "Bob", "Dora"]
    assert await exported(lead_export.chosen([])) == []


async def test_exported_lead_is_imported_unchanged(database):
    """Formulas, separators, quotes, emoji: through both files and back."""
    name = '=1+1, "quoted" 👩‍🔬'
    first = await run(table(f'"{name.replace(chr(34), chr(34) * 2)}",-O\'Brien,ada@import.example'))
    assert counts(first) == (1, 0, 0)
    ((_, company, contact, email, *_),) = await exported(lead_export.matching(LeadQuery()))
    assert (company, contact, email) == ("N/A", f"'{name} -O'Brien", "ada@import.example")
    again = io.StringIO(newline="")
    csv.writer(again).writerows([HEADER.split(",")[:3], [contact, "King", "other@import.example"]])
    assert counts(await run(again.getvalue().encode("utf-8-sig"))) == (1, 0, 0)
    (row,) = (await leads.page(LeadQuery.parse("other@import"), 1)).rows
    assert row.name == f"{name} -O'Brien King"


async def test_all_rejected_rows_are_exported(database, monkeypatch):
    monkeypatch.setattr(lead_export, "_MANY", 2)
    outcome = await run(table(*(f"A,,x{n}@import.example" for n in range(5))))
    file = (await rejected(outcome.id)).splitlines()
    assert file[0] == f"reason,{HEADER}"
    assert [line.split(",")[3] for line in file[1:]] == [f"x{n}@import.example" for n in range(5)]
    assert await rejected("no such import") == ""
