"""Ceremonies of passkeys, without a browser."""

import json
from typing import Any

from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import passkeys
from fuel_app.accounts.service.passkeys import Ceremony
from fuel_app.settings import settings
from tests.helpers.signed_in import session_of
from tests.helpers.soft_key import SoftKey

HERE = Visitor("203.0.113.7", "Safari on iPhone")


def asked(ceremony: Ceremony) -> dict[str, Any]:
    return json.loads(ceremony.options)


async def registered(person_id: str, key: SoftKey | None = None) -> SoftKey:
    """Add a passkey to a person's account."""
    key = key or SoftKey(settings.public_url)
    session = await session_of(person_id)
    begun = await passkeys.begin_registration(session)
    answer = key.create(asked(begun))
    await passkeys.register(session, begun.challenge_id, answer, "My phone", HERE)
    return key


async def sign_in(key: SoftKey, begun: Ceremony | None = None, **differs: Any):
    begun = begun or await passkeys.begin_sign_in(HERE)
    answer = key.get(asked(begun)) | differs
    return await passkeys.sign_in(begun.challenge_id, answer, HERE)
