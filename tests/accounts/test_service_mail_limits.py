"""Limits of all mails to a typed e-mail together."""

from collections.abc import Awaitable, Callable

import pytest

from fuel_app.accounts.rules import NewEmail
from fuel_app.accounts.rules.security import ForgotPassword, Visitor
from fuel_app.accounts.service import account, passwords, sign_up
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.outbox import Message
from tests.helpers.people import a_person
from tests.helpers.sign_ups import ELSEWHERE, EMAIL, HERE, completed, rows
from tests.helpers.signed_in import session_of

pytestmark = pytest.mark.usefixtures("sqlite_database")

Causes = Callable[[str, Visitor], Awaitable[object]]


async def resets(email: str, visitor: Visitor) -> None:
    await passwords.send_reset_link(ForgotPassword(email=email), visitor)


async def signs_up(email: str, visitor: Visitor) -> None:
    await completed(email=email, visitor=visitor)


each_way = pytest.mark.parametrize("cause", [resets, signs_up])
whoever = pytest.mark.parametrize("email", [EMAIL, "nobody@example.com"])


async def refused(cause: Causes, email: str, visitor: Visitor) -> None:
    sent = len(await rows(Message))
    with pytest.raises(TooManyRequests, match="60 minutes"):
        await cause(email, visitor)
    assert len(await rows(Message)) == sent


@each_way
@whoever
async def test_one_household_causes_eight_mails_an_hour_to_one_mailbox(cause, email):
    await a_person()
    for n in range(8):
        await cause(email, Visitor(f"2001:db8::{n}"))
    await refused(cause, email, Visitor("2001:db8::9"))
    await cause(email, Visitor("2001:db8:0:1::"))
    await cause("grace@example.com", Visitor("2001:db8::9"))


@each_way
@whoever
async def test_all_households_together_cause_thirty_mails_an_hour_to_one_mailbox(cause, email):
    await a_person()
    for n in range(30):
        await cause(email, Visitor(f"198.51.100.{n}"))
    await refused(cause, email, HERE)


async def test_one_household_causes_thirty_mails_an_hour():
    for n in range(15):
        await signs_up(f"{n}@example.com", HERE)
        await resets(f"{n}@example.com", HERE)
    for cause in (signs_up, resets):
        await refused(cause, EMAIL, HERE)
        await cause(EMAIL, ELSEWHERE)


async def test_codes_that_are_sent_again_count():
    session = await completed()
    for _ in range(7):
        await resets(EMAIL, HERE)
    with pytest.raises(TooManyRequests):
        await sign_up.resend(session, HERE)
    await sign_up.resend(session, ELSEWHERE)


async def test_codes_for_a_new_e_mail_count_whoever_asks():
    accounts = [await session_of((await a_person(email=f"{n}@example.com")).id) for n in "12"]
    for n in range(8):
        await account.send_email_code(accounts[n % 2], NewEmail(email=EMAIL), HERE)
    await refused(resets, EMAIL, HERE)
    with pytest.raises(TooManyRequests, match="60 minutes"):
        await account.send_email_code(accounts[0], NewEmail(email=EMAIL), HERE)
    await account.send_email_code(accounts[1], NewEmail(email=EMAIL), ELSEWHERE)
