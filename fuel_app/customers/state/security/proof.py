"""'Confirm it is you': the password, before a change of security."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx

from fuel_app.accounts.rules.factors import NotProved
from fuel_app.accounts.service import passwords
from fuel_app.accounts.state.session import OwnScreen, person_only, session_of, visitor_of
from fuel_app.kit import clock
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field

FORM = "proof"
AFTER_PROOF: dict[str, Any] = {}  # events that go on after it, by name


class ProofState(OwnScreen, rx.State):
    """The dialog. The password is checked and dropped."""

    opened: bool = False
    busy: bool = False
    error: str = ""
    _then: tuple[str, ...] = ()  # the name of a step, and what it takes

    @person_only
    async def show(self, opened: bool):
        """Close the dialog; what it was for is given up."""
        if opened is not True:
            self.opened, self.error, self._then = False, "", ()

    @person_only
    async def confirm(self, form: dict[str, Any]):
        """Check the password, and go on with what needed it."""
        if not self.opened or self.busy:
            return
        self.busy, self.error = True, ""
        yield
        given = form if isinstance(form, dict) else {}
        try:
            session, who = await session_of(self), await visitor_of(self)
            await passwords.give_again(session, given.get("password"), who)
            then, self.opened, self._then = self._then, False, ()
            if then:
                yield AFTER_PROOF[then[0]](*then[1:])
        except InvalidForm as error:
            self.error = next(iter(error.messages.values()))
            yield focus_field(FORM, "password")
        except Refusal as error:
            self.error = str(error)
        finally:
            self.busy = False

    def _ask(self, *then: str) -> None:
        self.opened, self.error, self._then = True, "", then


async def is_proved(tab: rx.State, *then: str) -> bool:
    """Return whether the password was given a moment ago; else ask for it, as `proved` does."""
    if (await session_of(tab)).is_proved(clock.now()):
        return True
    (await tab.get_state(ProofState))._ask(*then)
    return False


async def proved(tab: rx.State, change: Awaitable[Any], *then: str) -> bool:
    """Make a change, or ask for the password first. Return whether it is made.

    Args:
        then: The step of `AFTER_PROOF` that follows the password, and what it takes.
    """
    try:
        await change
    except NotProved:
        (await tab.get_state(ProofState))._ask(*then)
        return False
    return True
