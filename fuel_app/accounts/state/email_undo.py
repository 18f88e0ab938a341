"""The page of a mail's link that restores the former e-mail."""

import reflex as rx

from fuel_app.accounts.rules.sign_in import LinkGone
from fuel_app.accounts.service import email_change
from fuel_app.accounts.state.session import visitor_of
from fuel_app.kit.errors import Refusal
from fuel_app.server.reflex.private_tabs import link_token


class EmailUndoState(rx.State):
    """The button. The token stays in the address."""

    link: str = ""  # empty until it is looked at, then 'open', 'gone' or 'used'
    error: str = ""
    busy: bool = False

    @rx.event
    async def arrive(self):
        """Look whether the link may be used, without using it: mail scanners open links."""
        self.reset()
        self.link = "open" if await email_change.is_open(link_token(self)) else "gone"

    @rx.event
    async def undo(self):
        """Restore the former e-mail, which uses the link up."""
        self.busy, self.error = True, ""
        yield
        try:
            await email_change.undo(link_token(self), await visitor_of(self))
            self.link = "used"
        except LinkGone:
            self.link = "gone"
        except Refusal as refusal:
            self.error = str(refusal)
        finally:
            self.busy = False
