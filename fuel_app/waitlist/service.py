"""Joining the waitlist and resuming an entry."""

import hashlib

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.service.directory import count_mail
from fuel_app.areas.service import company
from fuel_app.kit import metrics, outbox, policies
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.policies import policy
from fuel_app.kit.signals import LEADS, signals
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WELCOME_KEY, Resumable, WaitlistEntry

FREE_FILL_CAP = policy(
    "free_fill_cap",
    "Fuel in a free first fill, up to",
    unit="cents",
    default=5000,
    least=0,
    most=50_000,
)


async def free_fill_cap(zip_code: str) -> Money | None:
    """Return the cap of the free first fill; None in an open ZIP, which promises none any more."""
    if await company.serves(zip_code):
        return None
    async with reading() as session:
        return await _cap(session)


async def _cap(session: AsyncSession) -> Money:
    return Money(await policies.value(session, FREE_FILL_CAP))


async def join(
    entry: WaitlistEntry, *, referrer: object, address: str, resume_key: str | None = None
) -> str:
    """Put a visitor on the list. Returns their submission id.

    Args:
        referrer: What the `ref` parameter held; anything but a stored submission is ignored.
        resume_key: A secret of the visitor's tab, by which `resume` finds the entry again.

    Raises:
        EmailTaken: If that address is already on the list.
        TooManyRequests: As `count_mail` says; a refused join counts, too.
    """
    await count_mail(entry.email, address)
    referrer_id = well_formed_id(referrer)
    async with transaction() as session:
        if referrer_id and not await waitlist.exists(session, referrer_id):
            referrer_id = None
        joined = await waitlist.add(session, entry, referrer_id, _hashed(resume_key))
        await outbox.add(
            session,
            "waitlist_welcome",
            to=entry.email,
            payload={"submission": joined, "free_fill_cap": (await _cap(session)).short},
            key=f"{WELCOME_KEY}{joined}",
        )
    metrics.JOINS.inc()
    await signals().publish(LEADS)
    return joined


async def resume(resume_key: object) -> Resumable | None:
    """Return the entry that was made with this secret, or None."""
    resume_hash = _hashed(resume_key)
    if resume_hash is None:
        return None
    async with reading() as session:
        return await waitlist.find_resumable(session, resume_hash)


def _hashed(resume_key: object) -> str | None:
    """Hash a resume key, so that the table holds no usable secret."""
    if not isinstance(resume_key, str) or not resume_key:
        return None
    return hashlib.sha256(resume_key.encode(errors="surrogatepass")).hexdigest()


async def count() -> int:
    """Count the submissions; start-up also uses it to test the database."""
    async with reading() as session:
        return await waitlist.count(session)
