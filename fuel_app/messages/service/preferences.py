"""The nine switches of a person."""

from fuel_app.accounts.rules import Actor, NotAllowed
from fuel_app.accounts.service import recipients as accounts
from fuel_app.kit.db.session import reading, transaction
from fuel_app.messages.queries import recipients
from fuel_app.messages.rules.preferences import COMING_LATER, NotificationSettings
from fuel_app.messages.service import consents


async def of(person_id: str) -> NotificationSettings:
    async with reading() as session:
        return await recipients.preferences(session, person_id)


async def toggle(actor: Actor, name: object) -> NotificationSettings:
    """Turn one of the actor's own switches over; unknown ones and `COMING_LATER` change nothing.

    Raises:
        NotAllowed: If the actor is no person.
        ConsentNeeded: If text messages would be turned on without a consent.
        PhoneStopped: Or to a phone that has sent STOP.
    """
    if not actor.person_id:
        raise NotAllowed
    refusal = None
    if name == "sms":
        person = await accounts.find(actor.person_id)
        refusal = await consents.refusal(person.phone if person else "")
    async with transaction() as session:
        before = await recipients.lock_preferences(session, actor.person_id)
        after = before if name in COMING_LATER else before.toggled(name)
        if after.sms and not before.sms and refusal:
            raise refusal
        if after != before:
            await recipients.save_preferences(session, actor.person_id, after)
    return after
