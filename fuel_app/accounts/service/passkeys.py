"""Passkeys (WebAuthn): registered on /security, and a sign-in that needs no password.

A passkey verifies its user, by a finger or a PIN, so that it counts as a second factor.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import structlog
import webauthn
from sqlalchemy.ext.asyncio import AsyncSession
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, options_to_json
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from fuel_app.accounts.queries import challenges, login_history, people
from fuel_app.accounts.rules import SYSTEM, Purpose, Session
from fuel_app.accounts.rules.security import (
    FACTORS,
    PASSKEY,
    PASSKEYS_MAX,
    NotSetUp,
    PasskeyForm,
    PasskeyRefused,
    TooManyPasskeys,
    Visitor,
)
from fuel_app.accounts.service import security, sessions
from fuel_app.accounts.service.sessions import Cookie, SignedIn
from fuel_app.accounts.tables import Challenge, Passkey
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import insert_new, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import PASSKEY_OPTIONS, PASSKEY_SIGN_INS, throttle
from fuel_app.settings import settings

log = structlog.get_logger()

Verified = TypeVar("Verified")
_ID_MAX = 1400  # characters of a credential id, as stored


@dataclass(frozen=True, slots=True)
class Ceremony:
    """A browser's request for a passkey: options as JSON, and the challenge's id."""

    challenge_id: str
    options: str


async def begin_registration(by: Session) -> Ceremony:
    """Open the registration of a passkey.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `security.change` says.
        TooManyPasskeys
    """
    async with security.change(by) as (session, person):
        passkeys = await _with_room(session, person.id)
        opened = await challenges.issue(session, Purpose.PASSKEY, clock.now(), person_id=person.id)
    options = webauthn.generate_registration_options(
        rp_id=_host(),
        rp_name=settings.brand_name,
        user_id=person.passkey_user.encode(),
        user_name=person.email or "",
        user_display_name=f"{person.first_name} {person.last_name}".strip(),
        challenge=_challenge(opened),
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(id=base64url_to_bytes(each.credential_id))
            for each in passkeys
        ],
    )
    return Ceremony(opened, options_to_json(options))


async def register(
    by: Session, challenge_id: object, answer: object, name: object, visitor: Visitor
) -> None:
    """Store the passkey that a browser has made.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `security.change` says.
        InvalidForm: If it has no name.
        PasskeyRefused: If the answer is not right, or the challenge is not this person's.
        TooManyPasskeys
    """
    async with security.change(by) as (session, person):
        named = PasskeyForm.parse({"name": name})
        opened = await _spent(session, challenge_id)
        made = None
        is_first = not await security.list_methods(session, person)
        if opened and opened.person_id == person.id:
            await _with_room(session, person.id)
            made = _checked(
                lambda: webauthn.verify_registration_response(
                    credential=answer,  # type: ignore[arg-type]
                    expected_challenge=_challenge(opened.id),
                    expected_rp_id=_host(),
                    expected_origin=settings.public_url,
                    require_user_verification=True,
                )
            )
        row_id = made and await _store(session, person.id, named.name, made)
        if row_id:
            await security.record_added(session, by, FACTORS[PASSKEY], visitor, is_first=is_first)
    if not row_id:  # after the commit, which uses the challenge up
        raise PasskeyRefused


async def remove(by: Session, passkey_id: object, visitor: Visitor) -> None:
    """Forget a passkey of this person.

    Raises:
        NotAllowed, ReauthenticationNeeded: As `security.change` says.
        NotSetUp: If there is none such.
        LastFactor: If it is an admin's only factor.
    """
    async with security.change(by) as (session, person):
        if not await people.remove_passkey(session, person.id, well_formed_id(passkey_id) or ""):
            raise NotSetUp
        await security.record_removed(session, by, FACTORS[PASSKEY], visitor)


async def begin_sign_in(visitor: Visitor) -> Ceremony:
    """Open a sign-in; the browser offers the passkeys that it has for the site.

    Raises:
        TooManyRequests
    """
    await throttle().spend(PASSKEY_OPTIONS, visitor.address)
    async with transaction() as session:
        opened = await challenges.issue(session, Purpose.PASSKEY, clock.now())
    options = webauthn.generate_authentication_options(
        rp_id=_host(),
        challenge=_challenge(opened),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return Ceremony(opened, options_to_json(options))


async def sign_in(challenge_id: object, answer: object, visitor: Visitor) -> Cookie:
    """Open a session for the owner of a passkey, in place of a former one. Return its cookie.

    Raises:
        PasskeyRefused: Whatever is wrong.
        TooManyRequests: After 10 wrong ones from one address in 15 minutes.
    """
    async with throttle().failing(PASSKEY_SIGN_INS, visitor.address):
        async with transaction() as session:
            opened = await _sign_in(session, challenge_id, answer, visitor)
        cookie = await sessions.redeem_ticket(opened.ticket) if opened else None
        if cookie is None:
            log.warning("passkey.refused")
            raise PasskeyRefused
        return cookie


async def _sign_in(
    session: AsyncSession, challenge_id: object, answer: object, visitor: Visitor
) -> SignedIn | None:
    """Return the new session; None if the passkey is refused."""
    now = clock.now()
    credential_id, handle = _named(answer)
    passkey = await people.find_passkey(session, credential_id) if credential_id else None
    # The person before the challenge, in the lock order of all that uses codes and links.
    person = await people.by_id(session, passkey.person_id, lock=True) if passkey else None
    opened = await _spent(session, challenge_id)
    if opened is None or opened.person_id or passkey is None or person is None:
        return None
    if handle != bytes_to_base64url(person.passkey_user.encode()):
        return None
    seen = _checked(
        lambda: webauthn.verify_authentication_response(
            credential=answer,  # type: ignore[arg-type]
            expected_challenge=_challenge(opened.id),
            expected_rp_id=_host(),
            expected_origin=settings.public_url,
            credential_public_key=base64url_to_bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    )
    if seen is None:
        await login_history.note(
            session,
            login_history.SIGN_IN_FAILED,
            passkey.person_id,
            visitor,
            actor=SYSTEM,
            what=FACTORS[PASSKEY],
        )
        return None
    used = await people.use_passkey(
        session,
        passkey.id,
        sign_count=seen.new_sign_count,
        backed_up=seen.credential_backed_up,
        now=now,
    )
    if not used:  # it was removed meanwhile
        return None
    return await sessions.start_for_person(session, person, visitor, second_factor=True)


def _host() -> str:
    """Return the site by its setting: a `Host` header is the sender's word."""
    return urlsplit(settings.public_url).hostname or ""


def _named(answer: object) -> tuple[str, str | None]:
    """Return the credential id and the user handle that an answer names; both are unchecked."""
    sent = answer if isinstance(answer, dict) else {}
    named, response = sent.get("rawId"), sent.get("response")
    text = named if isinstance(named, str) else ""
    credential_id = text if len(text) <= _ID_MAX and text.isascii() else ""
    handle = response.get("userHandle") if isinstance(response, dict) else None
    return credential_id, handle if isinstance(handle, str) else None


def _challenge(challenge_id: str) -> bytes:
    return secrets.digest("passkey", challenge_id)


async def _spent(session: AsyncSession, challenge_id: object) -> Challenge | None:
    row_id = well_formed_id(challenge_id) or ""
    return await challenges.spend(session, Purpose.PASSKEY, row_id, clock.now())


async def _with_room(session: AsyncSession, person_id: str) -> list[Passkey]:
    passkeys = await people.passkeys(session, person_id)
    if len(passkeys) >= PASSKEYS_MAX:
        raise TooManyPasskeys
    return passkeys


async def _store(session: AsyncSession, person_id: str, name: str, made: Any) -> str | None:
    """Return the new passkey's id; None if its credential is known."""
    row = Passkey(
        person_id=person_id,
        credential_id=bytes_to_base64url(made.credential_id),
        public_key=bytes_to_base64url(made.credential_public_key),
        sign_count=made.sign_count,
        name=name,
        backed_up=made.credential_backed_up,
    )
    added = insert_new(session, Passkey).values(**row.model_dump()).returning(Passkey.id)
    return await session.scalar(added)


def _checked(verify: Callable[[], Verified]) -> Verified | None:
    """Return the outcome; None for a wrong answer. The library fails in many ways on odd ones."""
    try:
        return verify()
    except Exception as error:
        log.info("passkey.not_verified", error=type(error).__name__)
        return None
