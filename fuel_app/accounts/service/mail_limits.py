"""Limits of the mails to an e-mail that was typed, whoever has typed it."""

from fuel_app.kit.contact import mailbox
from fuel_app.kit.secrets import digest
from fuel_app.kit.throttle import MAILS_BETWEEN, MAILS_FROM, MAILS_TO, household, throttle


async def count_mail(email: str, address: str) -> None:
    """Count a mail that a visitor causes to an e-mail, whether or not there is an account.

    Raises:
        TooManyRequests: After 30 in an hour from one address, 8 of them to one mailbox, which gets
            30 from all addresses.
    """
    to = mailbox(email)
    await throttle().spend(MAILS_FROM, address)
    # This one first: a visitor who has used it up takes nothing from what others may cause.
    await throttle().spend(MAILS_BETWEEN, _key(f"{household(address)} {to}"))
    await throttle().spend(MAILS_TO, _key(to))


def _key(text: str) -> str:
    return digest("mail limit", text).hex()
