"""One person's data in accounts, for their own download."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import factors, login_history, people, sessions
from fuel_app.kit import audit, clock

_HISTORY_MAX = 1000
_OF_PERSON = {
    *("id", "first_name", "last_name", "email", "email_verified_at", "phone", "phone_verified_at"),
    *("terms_version", "privacy_version", "terms_accepted_at"),
    *("created_at", "password_changed_at"),
}
_OF_SESSION = {"device", "created_at", "last_seen_at", "expires_at"}


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's profile, second factors, sessions and Login History, without secrets."""
    person = await people.by_id(session, person_id)
    if person is None:
        return {}
    return {
        "person": person.model_dump(include=_OF_PERSON)
        | {"roles": sorted(await people.roles(session, person_id))},
        "second_factors": {
            "authenticator_app_since": person.totp_confirmed_at,
            "text_message_codes": person.sms_codes,
            "passkeys": [
                {"name": each.name, "created_at": each.created_at, "last_used": each.last_used_at}
                for each in await factors.passkeys(session, person_id)
            ],
        },
        "sessions": [
            each.model_dump(include=_OF_SESSION)
            for each in await sessions.of_person(session, person_id, clock.now())
        ],
        "login_history": [
            {"kind": each.kind, "at": each.at} | (each.after or {})
            for each in await login_history.last_entries(session, person_id, _HISTORY_MAX)
        ],
        "account_changes": [
            {"kind": each.kind, "at": each.at, "before": each.before, "after": each.after}
            for each in await audit.history(
                session, login_history.NOUN, person_id, limit=_HISTORY_MAX
            )
            if each.kind not in login_history.KINDS
        ],
    }
