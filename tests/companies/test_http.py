"""Files of companies over HTTP: who may send and get which, how much, and as what."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.companies import http
from fuel_app.companies.rules.documents import FILE_MAX_BYTES
from fuel_app.companies.rules.people import CompanyRole
from fuel_app.companies.service import documents
from fuel_app.companies.tables import CompanyDocument
from tests.factories import UNKNOWN_ID
from tests.helpers.companies import DISPATCHER, a_company, a_member, site_ids
from tests.helpers.people import a_person, rows
from tests.helpers.signed_in import cookie_for

pytestmark = pytest.mark.usefixtures("sqlite_database")

PDF, JPEG = b"%PDF-1.7 a permit", b"\xff\xd8\xff a lot"
SIGNED_OUT = 401


async def as_(browser, who: Actor | str) -> None:
    person_id = who if isinstance(who, str) else who.person_id
    browser.cookies.set(COOKIE, await cookie_for(person_id))


def address(company_id: str, kind: str, site_id: str = "", name: str = "p.pdf") -> str:
    asked = {"company": company_id, "kind": kind, "site": site_id, "name": name}
    return routes.asking(routes.COMPANY_DOCUMENTS, asked)


async def test_staff_and_the_companys_people_send_and_get_files(browser):
    company_id = await a_company()
    yard = (await site_ids(company_id))["Main yard"]
    owner = await a_member(company_id)
    dispatcher = await a_person(Role.DISPATCHER, email="dispatcher@example.com")
    called = "Lot „A“.x"
    for who, kind, file in ((owner, "permit", PDF), (dispatcher.id, "picture", JPEG)):
        await as_(browser, who)
        sent = await browser.post(address(company_id, kind, yard, called), content=file)
        assert sent.status_code == 201
        got = await browser.get(routes.company_document(sent.text))
        assert (got.status_code, got.content) == (200, file)
        assert got.headers["content-type"] in ("application/pdf", "image/jpeg")
        how = "attachment" if file == PDF else "inline"
        name = "filename*=UTF-8''Lot%20%E2%80%9EA%E2%80%9C.x"
        assert got.headers["content-disposition"] == f"{how}; {name}"
        assert "sandbox" in got.headers["content-security-policy"]
        assert (got.headers["cache-control"], got.headers["x-content-type-options"]) == (
            "no-store",
            "nosniff",
        )


async def test_others_neither_send_nor_get(browser):
    company_id = await a_company()
    yard = (await site_ids(company_id))["Main yard"]
    file = await documents.add_document(DISPATCHER, company_id, "permit", "p.pdf", PDF, yard)
    accountant = await a_member(company_id, CompanyRole.ACCOUNTANT)
    viewer = await a_member(company_id, CompanyRole.VIEWER)
    other = await a_member(await a_company(name="Other"), email="other@example.com")
    technician = await a_person(Role.TECHNICIAN, email="technician@example.com")
    tried = {
        "nobody": (SIGNED_OUT, SIGNED_OUT),
        technician.id: (403, 403),
        other.person_id: (422, 404),  # no such company, no such file
        accountant.person_id: (403, 403),
        viewer.person_id: (403, 200),
    }
    for person_id, expected in tried.items():
        if person_id != "nobody":
            await as_(browser, person_id)
        sent = await browser.post(address(company_id, "permit", yard), content=PDF)
        got = await browser.get(routes.company_document(file))
        assert (sent.status_code, got.status_code) == expected, person_id
    assert len(await rows(CompanyDocument)) == 1
    assert (await browser.get(routes.company_document("no-id"))).status_code == 404


async def test_what_is_no_file_of_ours_is_refused_in_words(browser):
    company_id = await a_company()
    yard = (await site_ids(company_id))["Main yard"]
    await as_(browser, await a_member(company_id))
    for asked, body, status in (
        (address(company_id, "poem", yard), PDF, 422),
        (address(company_id, "permit", yard), b"<svg/>", 422),
        (address(company_id, "permit", UNKNOWN_ID), PDF, 422),
        (address("", "permit", yard), PDF, 422),
    ):
        answer = await browser.post(asked, content=body)
        assert (answer.status_code, bool(answer.text)) == (status, True), asked
    foreign = {"origin": "https://evil.example"}
    refused = await browser.post(address(company_id, "permit", yard), content=PDF, headers=foreign)
    assert refused.status_code == 403
    assert await rows(CompanyDocument) == []


async def test_a_large_file_is_refused_before_it_is_read(browser):
    company_id = await a_company()
    yard = (await site_ids(company_id))["Main yard"]
    await as_(browser, await a_member(company_id))
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1_000_000
            yield bytes(1_000_000)

    declared = {"content-length": str(FILE_MAX_BYTES + 1)}
    target = address(company_id, "permit", yard)
    answer = await browser.post(target, content=b"", headers=declared)
    assert (answer.status_code, answer.text) == (413, "Choose a file of 5 MB or less.")
    assert (await browser.post(target, content=endless())).status_code == 413
    assert read <= FILE_MAX_BYTES + 2_000_000


async def test_a_slow_file_and_a_session_that_has_ended_meanwhile(browser, monkeypatch):
    company_id = await a_company()
    yard = (await site_ids(company_id))["Main yard"]
    await as_(browser, await a_member(company_id))
    target = address(company_id, "permit", yard)

    async def find(_id: str) -> None:
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "find", find)
        assert (await browser.post(target, content=PDF)).status_code == SIGNED_OUT

    async def slow() -> AsyncIterator[bytes]:
        yield PDF
        await asyncio.sleep(5)

    monkeypatch.setattr(http, "_TIMEOUT_S", 0.05)
    assert (await browser.post(target, content=slow())).status_code == 408
    assert await rows(CompanyDocument) == []
