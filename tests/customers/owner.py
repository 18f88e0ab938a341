"""A signed-in person at /security, in a tab without a browser."""

from datetime import timedelta
from typing import Any

from pyotp.totp import TOTP
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Purpose, Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.accounts.tables import Challenge, StoredSession
from fuel_app.customers.state.security import FactorsState, OwnSecurityState
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ui.toast import ToastState
from tests.helpers.people import PASSWORD, rows
from tests.helpers.signed_in import a_person, cookie_for, person_row
from tests.helpers.tabs import run, tab_at
from tests.staff import QUICK

PAGE = "/security"


class Owner:
    """A person at /security."""

    def __init__(self, person_id: str, token: str, tab: Any) -> None:
        self.id, self.token, self.tab = person_id, token, tab

    @classmethod
    async def signed_in(cls, *roles: Role, **differs: Any) -> "Owner":
        person_id = await a_person(*roles, password_hash=QUICK.hash(PASSWORD))
        token = await cookie_for(person_id, **differs)
        owner = cls(person_id, token, tab_at(PAGE, cookie=f"{COOKIE}={token}"))
        await owner.fire(OwnSecurityState.arrive)
        return owner

    async def fire(self, event: Any, *arguments: Any) -> list[Any]:
        state = await self.screen(event.state)
        return await run(event.fn(state, *arguments))

    async def screen(self, state: Any) -> Any:
        return await self.tab.get_state(state)

    async def card(self) -> Any:
        return (await self.screen(OwnSecurityState)).card

    async def said(self) -> list[str]:
        return [toast.text for toast in (await self.screen(ToastState)).toasts]

    async def forget_reauthentication(self) -> None:
        """Let the last proof be long ago."""
        long_ago = clock.now() - timedelta(hours=1)
        theirs = update(StoredSession).where(col(StoredSession.person_id) == self.id)
        async with transaction() as session:
            await session.execute(theirs.values(proved_at=long_ago))

    async def app(self) -> TOTP:
        return TOTP(secrets.decrypt((await person_row(self.id)).totp_seed or "") or "")

    async def with_app(self) -> "Owner":
        await self.fire(FactorsState.choose, "app")
        await self.fire(FactorsState.confirm, {"code": (await self.app()).at(clock.now())})
        return self

    async def code(self, purpose: Purpose) -> str:
        found = await rows(Challenge, person_id=self.id, purpose=purpose.value, used_at=None)
        return secrets.code(purpose, found[-1].id)
