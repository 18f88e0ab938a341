"""The mail of an announcement as a page: for admins alone."""

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from tests.factories import UNKNOWN_ID
from tests.helpers.announcements import a_draft
from tests.office.test_http import as_

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_admin_sees_the_mail_as_its_recipients_do(browser):
    await as_(browser, Role.ADMIN)
    answer = await browser.get(routes.announcement_mail(await a_draft(subject="<i>News</i>")))
    assert answer.status_code == 200
    assert "&lt;i&gt;News&lt;/i&gt;</h1>" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "script" not in answer.headers["content-security-policy"]
    assert (await browser.get(routes.announcement_mail(UNKNOWN_ID))).status_code == 404


async def test_nobody_else_does(browser):
    page = routes.announcement_mail(await a_draft())
    assert (await browser.get(page)).status_code == 401
    await as_(browser, Role.DISPATCHER)
    assert (await browser.get(page)).status_code == 403
