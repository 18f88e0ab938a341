"""Upload and download of leads over HTTP: access, limits and refusals."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator

import httpx
import pytest

from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit import clock
from fuel_app.kit.table_file import BYTES_MAX
from fuel_app.submissions import http as lead_files
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.imports import LeadMapping
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due
from tests.helpers.leads import joined
from tests.lead_files import found, people, run, stored, table
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("password", "sqlite_database")

IMPORTS, EXPORT = "/api/leads/imports", "/api/leads/export"


@pytest.fixture
async def staff_browser(browser):
    browser.cookies.set(COOKIE, await a_token())
    return browser


class Body:
    """An upload of a hundred parts; `read` counts those that were taken."""

    def __init__(self, part: bytes) -> None:
        self.part, self.read = part, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(100):
            self.read += 1
            yield self.part


async def sent(browser: httpx.AsyncClient, body, name: str = "leads.csv", **headers: str):
    return await browser.post(IMPORTS, params={"name": name}, content=body, headers=headers)


def rows_of(answer: httpx.Response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


async def test_export_is_a_csv_file_named_by_the_day(staff_browser):
    await joined(first_name="Ada")
    answer = await staff_browser.get(EXPORT)
    assert answer.status_code == 200
    day = clock.day_of(clock.now())
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="submissions-{day}.csv"'
    )
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.content.startswith(b"\xef\xbb\xbfType,Company,Contact,Email,Phone,Status,")
    assert [row[2] for row in rows_of(answer)] == ["Contact", "Ada Lovelace"]


async def test_export_takes_the_query_of_the_list(staff_browser):
    for name in ("Bob", "Ada", "Cleo"):
        await joined(first_name=name)
    answer = await staff_browser.get(f"{EXPORT}?q=b&type=waitlist&sort=name")
    assert [row[2] for row in rows_of(answer)][1:] == ["Bob Lovelace"]
    answer = await staff_browser.get(f"{EXPORT}?sort=-name&q=&type=made-up")
    assert [row[2].split()[0] for row in rows_of(answer)][1:] == ["Cleo", "Bob", "Ada"]


async def test_export_of_chosen_leads_holds_only_those(staff_browser):
    ids = [await joined(first_name=name) for name in ("Ada", "Bob", "Cleo")]
    for asked, names in (
        (f"ids={ids[2]},nonsense,,{ids[0]}", {"Ada", "Cleo"}),
        ("ids=", set()),
        (f"q=cleo&ids={ids[2]},{ids[0]}", {"Cleo"}),
    ):
        answer = await staff_browser.get(f"{EXPORT}?{asked}")
        assert {row[2].split()[0] for row in rows_of(answer)[1:]} == names


async def test_uploaded_file_is_kept_until_it_is_imported(staff_browser):
    answer = await sent(staff_browser, table(*people(3)), name="March & April.csv")
    assert answer.status_code == 202
    assert answer.headers["cache-control"] == "no-store"
    assert (await stored(), await submissions.list_imports(actor=STAFF)) == ((0, 0), [])
    session = await sessions.find_by_token(staff_browser.cookies[COOKIE])
    assert session
    by = session.actor
    mapping = LeadMapping.guess(await submissions.read_file(answer.text, actor=by))
    import_id = await submissions.start_import(answer.text, mapping, actor=by)
    await run_due()
    outcome = await found(import_id)
    assert (outcome.file_name, outcome.state, outcome.imported) == ("March & April.csv", "done", 3)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("leads.xlsx", table(*people(1)), "Only .csv files can be uploaded."),
        ("", table(*people(1)), "Only .csv files can be uploaded."),
        ("leads.csv", b"email\n", "The file has no rows."),
    ],
)
async def test_unusable_file_is_refused_with_a_reason(staff_browser, name, data, why):
    answer = await sent(staff_browser, data, name)
    assert (answer.status_code, answer.text[: len(why)]) == (422, why)
    assert await submissions.list_imports(actor=STAFF) == []


async def test_declared_length_over_the_limit_is_refused_unread(staff_browser):
    body = Body(b"x")
    answer = await sent(staff_browser, body, **{"content-length": str(BYTES_MAX + 1)})
    assert (answer.status_code, answer.text) == (413, "The file must be 20 MB or smaller.")
    assert body.read <= 1  # what the test's own client had taken up


@pytest.mark.parametrize("length", [None, "9", "nonsense"])
async def test_body_over_the_limit_is_cut_off(staff_browser, length):
    body = Body(b"x" * 2**20)
    headers = {"content-length": length} if length else {}
    answer = await sent(staff_browser, body, **headers)
    assert (answer.status_code, answer.text) == (413, "The file must be 20 MB or smaller.")
    assert body.read <= 22


async def test_script_imports_a_file_as_its_columns_are_named(staff_browser):
    begin = {"name": "leads.csv", "begin": "1"}
    first = await staff_browser.post(IMPORTS, params=begin, content=table(*people(2)))
    second = await staff_browser.post(IMPORTS, params=begin, content=table(*people(1)))
    assert (first.status_code, second.status_code) == (202, 409)
    assert second.text == "Another import is running. Please wait until it has finished."
    unnamed = await staff_browser.post(IMPORTS, params=begin, content=b"email\na@b.example\n")
    assert (unnamed.status_code, unnamed.text) == (
        422,
        "Missing required fields: first_name, last_name",
    )
    await run_due()
    assert ((await found(first.text)).imported, await stored()) == (2, (2, 2))


async def test_stalled_upload_times_out(staff_browser, monkeypatch):
    async def body():
        yield b"first_name"
        await asyncio.Event().wait()

    monkeypatch.setattr(lead_files, "_TIMEOUT_S", 0.01)
    assert (await sent(staff_browser, body())).status_code == 408


async def test_session_that_ends_during_the_upload_imports_nothing(staff_browser):
    async def body():
        yield table(*people(1))
        session = await sessions.find_by_token(staff_browser.cookies[COOKIE])
        assert session
        await sessions.sign_out(session.id)

    answer = await sent(staff_browser, body())
    assert (answer.status_code, answer.text) == (401, "Please sign in.")
    assert await submissions.list_imports(actor=STAFF) == []


async def test_rejected_rows_are_downloaded(staff_browser):
    outcome = await run(table("Ada,,ada@import.example", *people(1)))
    answer = await staff_browser.get(f"{IMPORTS}/{outcome.id}/rejected.csv")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="rejected-rows.csv"'
    header, row = rows_of(answer)
    assert header[0] == "reason"
    assert row[:2] == ["Last name is required", "Ada"]
    for made_up in (UNKNOWN_ID, "x", "%00"):
        answer = await staff_browser.get(f"{IMPORTS}/{made_up}/rejected.csv")
        assert (answer.status_code, answer.text) == (404, "There is no such import.")


async def test_visitors_can_neither_download_nor_upload(browser):
    outcome, body = await run(table("Ada,,ada@import.example", *people(1))), Body(b"x" * 2**16)
    answers = [
        await browser.get(EXPORT),
        await browser.get(f"{IMPORTS}/{outcome.id}/rejected.csv"),
        await sent(browser, body),
    ]
    assert {(answer.status_code, answer.text) for answer in answers} == {(401, "Please sign in.")}
    assert body.read <= 1
    assert await stored() == (1, 1)


async def test_cross_site_upload_is_refused(staff_browser):
    answer = await sent(staff_browser, table(*people(1)), origin="https://evil.example")
    assert answer.status_code == 403
    assert await submissions.list_imports(actor=STAFF) == []
