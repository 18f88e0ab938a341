"""Upload CSV and Export in the list of leads."""

import csv
import io
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Download, Locator, Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.staff import row, rows
from tests.flows.visitor import modal
from tests.site import STAFF_PASSWORD

HEADER = ["first_name", "last_name", "email", "phone", "zip_code"]
UNPROCESSABLE = "422 (Unprocessable"


@pytest.fixture
def open_modal(visit_as_staff):
    """Opens Upload CSV as signed-in staff."""

    def open_it(query: str = "", viewport: dict[str, int] = DESKTOP) -> Page:
        page = visit_as_staff(f"/submissions{query}", viewport)
        upload_button(page).click()
        expect(modal(page).get_by_role("heading", name="Upload CSV")).to_be_visible()
        return page

    return open_it


@pytest.fixture
def word(company) -> str:
    """A first name of this test's own."""
    return "Zoe" + company.rsplit(" ", 1)[1].translate(str.maketrans("0123456789", "abcdefghij"))


def upload_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Upload CSV")


def choose(page: Page, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "text/csv", "buffer": data}
    modal(page).get_by_label("Choose a CSV file").set_input_files(file)  # type: ignore[arg-type]


def bring(page: Page, name: str, data: bytes) -> None:
    """Choose a file and import it as it is."""
    choose(page, name, data)
    modal(page).get_by_role("button", name=re.compile("^Import [0-9,]+ rows$")).click()


def table(word: str, *differing: list[str], good: int = 3) -> list[list[str]]:
    """A file's rows: so many that are right, then others."""
    people = [
        [word, f"Núñez {n}", f"{word}{n}@import.example".lower(), "(941) 555-0123", "34236"]
        for n in range(1, good + 1)
    ]
    return [HEADER, *people, *differing]


def written(lines: list[list[str]], encoding: str = "utf-8", delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(lines)
    return out.getvalue().encode(encoding)


def read(download: Download) -> list[list[str]]:
    data = Path(download.path()).read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def imported(page: Page, text: str) -> None:
    expect(modal(page).get_by_role("status").get_by_text(text)).to_be_visible()


def test_file_is_imported_corrected_exported_and_undone(open_modal, word):
    page = open_modal(f"?q={word}")
    lines = table(
        word,
        [f"={word}", 'O"Neil, the 👩‍🔬', f"{word}@import.example".lower(), "", ""],
        [word, "Again", f"{word}1@IMPORT.example", "", ""],
        [word, "", f"{word}5@import.example".lower(), "", ""],
    )
    bring(page, "March & April.csv", written(lines, "utf-16", "\t"))
    imported(page, "4 imported, 1 duplicate, 1 invalid")
    imported(page, "Last name is required: 1 row")
    assert_accessible(page)
    with page.expect_download() as rejected:
        modal(page).get_by_role("link", name="Download rejected rows").click()
    header, twin, nameless = read(rejected.value)
    assert header == ["reason", *HEADER]
    assert (twin[0], nameless[0]) == (
        "The email is already in line 2 of the file",
        "Last name is required",
    )
    nameless[2] = "Corrected"
    bring(page, "corrected.csv", written([header, nameless]))
    imported(page, "1 imported, 0 duplicates, 0 invalid")
    page.keyboard.press("Escape")
    expect(rows(page)).to_have_count(5)

    with page.expect_download() as exported:
        page.get_by_role("link", name="Export", exact=True).click()
    assert exported.value.suggested_filename.startswith("submissions-")
    _header, *exported_lines = read(exported.value)
    assert len(exported_lines) == 5
    assert f"'={word} O\"Neil, the 👩‍🔬" in {line[2] for line in exported_lines}

    for name in (f"{word} Núñez 1", f"{word} Corrected"):
        page.get_by_role("checkbox", name=f"Select {name}").click()
    expect(page.get_by_text("2 selected")).to_be_visible()
    bar = page.get_by_role("status").filter(has_text="2 selected")
    with page.expect_download() as chosen:
        bar.get_by_role("link", name="Export").click()
    assert {line[2] for line in read(chosen.value)[1:]} == {f"{word} Núñez 1", f"{word} Corrected"}

    upload_button(page).click()
    undo = modal(page).get_by_role("button", name="Undo the import of March & April.csv").first
    undo.click()
    expect(modal(page).get_by_role("button", name="Undo import")).to_be_focused()
    assert_accessible(page)
    modal(page).get_by_role("button", name="Undo import").click()
    expect(modal(page).get_by_text("Undone").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(rows(page)).to_have_count(1)
    expect(row(page, f"{word} Corrected")).to_be_visible()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_columns_are_mapped_and_rows_counted_before_the_import(open_modal, word, viewport):
    page = open_modal("", viewport)
    lines = [
        ["Mail", "First Name", "Last Name", "Campaign", "Zip"],
        [f"{word}1@import.example".lower(), word, "One", "Spring", "34236-1234"],
        [f"{word}2@import.example".lower(), word, "", "Fall", "3423"],
    ]
    choose(page, "ads.csv", written(lines))
    problem = modal(page).get_by_role("alert").filter(has_text="Missing required fields: email")
    expect(problem).to_be_visible()
    begin = modal(page).get_by_role("button", name=re.compile("^Import"))
    expect(begin).to_be_disabled()
    email = modal(page).get_by_role("combobox", name="Email", exact=True)
    email.select_option("Mail")
    expect(problem).to_be_hidden()
    keeps = modal(page).get_by_label("Keep them as a note of the lead")
    keeps.click()
    expect(keeps).to_be_checked()  # once the server has heard of it
    status = modal(page).get_by_role("status")
    expect(status.filter(has_text="1 to import · 0 already known · 1 refused")).to_be_visible()
    expect(modal(page).get_by_text("ZIP code must be 5 digits: 1 row")).to_be_visible()
    expect(modal(page).get_by_text("Campaign: Spring")).to_be_visible()
    assert_accessible(page)
    begin.click()
    imported(page, "1 imported, 0 duplicates, 1 invalid")
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("searchbox", name="Search submissions").fill(f"one {word}")
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name=f"{word} One", exact=True).click()
    expect(page.get_by_role("dialog").get_by_text("Campaign: Spring")).to_be_visible()
    href = page.get_by_role("dialog").get_by_role("link", name=f"{word}1@import.example".lower())
    expect(href).to_have_attribute("href", f"mailto:{word}1@import.example".lower())


def test_refused_file_shows_its_reason_at_the_field(open_modal, witness, tmp_path):
    witness.expected.append(UNPROCESSABLE)
    data, why = b"x" * (20 * 2**20 + 1), "The file must be 20 MB or smaller."
    page = open_modal()
    (tmp_path / "leads.csv").write_bytes(data)  # a path is faster than bytes
    field = modal(page).get_by_label("Choose a CSV file")
    field.set_input_files(tmp_path / "leads.csv")
    expect(modal(page).get_by_role("alert").filter(has_text=why)).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile(why))
    expect(field).to_be_focused()


def test_file_can_be_dropped_on_the_modal(open_modal, word):
    page = open_modal()
    text = written(table(word)).decode()
    transfer = page.evaluate_handle(
        """text => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], "dropped.csv"));
          return transfer;
        }""",
        text,
    )
    zone = modal(page).get_by_text("or drop it here")
    zone.dispatch_event("dragover", {"dataTransfer": transfer})
    zone.dispatch_event("drop", {"dataTransfer": transfer})
    modal(page).get_by_role("button", name="Import 3 rows").click()
    imported(page, "3 imported, 0 duplicates, 0 invalid")


def test_ended_session_asks_for_the_password_and_keeps_the_modal(open_modal, site, witness, word):
    witness.expected.append("401 (Unauthorized)")
    page = open_modal()
    with closing(sqlite3.connect(site.database)) as connection:
        connection.execute("DELETE FROM sessions")
        connection.commit()
    choose(page, "leads.csv", written(table(word)))
    login = page.get_by_role("dialog").filter(has_text="Staff Login")
    expect(login).to_be_visible()
    expect(login.get_by_text("Your session has ended. Sign in to go on here.")).to_be_visible()
    login.get_by_label("Password").fill(STAFF_PASSWORD)
    login.get_by_role("button", name="Login").click()
    expect(login).to_be_hidden()
    bring(page, "leads.csv", written(table(word)))
    imported(page, "3 imported, 0 duplicates, 0 invalid")


def test_modal_works_at_360_px_and_by_keyboard(open_modal, word):
    page = open_modal("", PHONE)
    expect(modal(page).get_by_label("Choose a CSV file")).to_be_focused()
    assert_accessible(page)
    bring(page, "a file with quite a long name of the month of March.csv", written(table(word)))
    imported(page, "3 imported, 0 duplicates, 0 invalid")
    assert_accessible(page)
    undo = modal(page).get_by_role("button", name="Undo the import of a file").first
    undo.press("Enter")
    expect(modal(page).get_by_role("button", name="Undo import")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(modal(page).get_by_role("button", name="Keep")).to_be_focused()
    page.keyboard.press("Enter")
    expect(modal(page).get_by_role("button", name="Undo import")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    expect(upload_button(page)).to_be_focused()
