"""A named admin in a signed-in tab without a browser."""

from typing import Any, Self, TypeVar

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ui.toast import ToastState
from tests.helpers.people import a_person
from tests.helpers.tabs import focused, run, tab_at

Screen = TypeVar("Screen", bound=rx.State)


class AdminTab:
    """An admin, or somebody of other roles, at one address."""

    def __init__(self, tab: rx.State, actor: Actor) -> None:
        self.tab, self.actor = tab, actor

    @classmethod
    async def at(cls, address: str, *roles: Role, email: str = "grace@example.com") -> Self:
        held = roles or (Role.ADMIN,)
        person = await a_person(*held, email=email, first_name="Grace", last_name="Hopper")
        async with transaction() as session:
            opened = await sessions.start(session, person_id=person.id, second_factor=True)
        cookie = await sessions.redeem_ticket(opened.ticket)
        assert cookie
        tab = tab_at(address, cookie=f"{COOKIE}={cookie.token}")
        return cls(tab, Actor(frozenset(held), person_id=person.id, session_id=opened.session_id))

    async def screen(self, state: type[Screen]) -> Screen:
        return await self.tab.get_state(state)

    async def fire(self, event: Any, *arguments: Any) -> list[str | None]:
        """Fire an event. Return the ids of the fields that got the focus."""
        state = next(
            s for s in rx.State.get_substates() if s.event_handlers.get(event.fn.__name__) is event
        )
        sent = await run(event.fn(await self.tab.get_state(state), *arguments))
        return [name for each in sent if (name := focused(each))]

    async def said(self) -> list[str]:
        return [toast.text for toast in (await self.tab.get_state(ToastState)).toasts]

    async def offered(self) -> str:
        """Return the text beside Undo."""
        undo = await self.tab.get_state(UndoState)
        return undo.text if undo.action_id else ""

    async def undo(self) -> list[str]:
        """Undo the offered action. Return the toasts."""
        undo = await self.tab.get_state(UndoState)
        await self.fire(UndoState.undo, undo.action_id)
        return await self.said()
