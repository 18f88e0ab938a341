"""A proposal at its contact's: the link in the address is the key to reading it."""

from collections.abc import Awaitable
from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.state.session import Answer, guarded_event
from fuel_app.kit.errors import attempt
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState
from fuel_app.proposals.rules.documents import Acceptance, Refused
from fuel_app.proposals.rules.listing import Offer
from fuel_app.proposals.service import offers
from fuel_app.server.reflex.private_tabs import PrivateScreen, link_token

ACCEPT, DECLINE = "accept", "decline"


async def _check(tab: rx.State) -> Answer:
    """Open the screen, emptied, to a connection that it was not shown to yet."""
    state = await tab.get_state(OfferState)
    connection = tab.router.session.session_id
    if state._shown_to != connection:
        state.reset()
        state._open_to(connection)
    return None


for_holders = guarded_event(_check)


class OfferState(PrivateScreen, rx.State):
    """A proposal, sent to the connection alone that has its link."""

    offer: Offer = Offer()
    problem: str = ""  # why nothing is shown
    stage: str = ""  # the form that is open
    error: str = ""  # beside the buttons
    sent_to: str = ""  # the address that has got the code
    busy: bool = False

    @for_holders
    async def arrive(self):
        """Show what the link shows, and note that it was seen."""
        self._start_over()
        await self._show()
        if not self.problem:
            await self._try(offers.note_viewed(link_token(self)))

    async def _show(self) -> None:
        """Show it as it is now."""
        reading = offers.open_link(link_token(self), self.router.session.client_ip)
        offer, self.problem = await attempt(reading, "proposal.read_failed")
        if offer:
            self.offer = offer
            self.stage = "" if offer.over else self.stage

    async def _try(self, change: Awaitable[Any]) -> Any:
        done, self.error = await attempt(change, "proposal.answer_failed")
        return done

    @for_holders
    async def begin_acceptance(self):
        """Send a code to the contact, and ask for it; again if it is pressed again."""
        if self.busy:
            return
        self.busy = True
        yield
        sending = offers.send_code(link_token(self), self.router.session.client_ip)
        if sent_to := await self._try(sending):
            self.stage, self.sent_to = ACCEPT, sent_to
            yield focus_field(AcceptState.FORM, "code")
        else:
            refused = self.error
            await self._show()  # another may have answered it
            self.error = "" if self.offer.over else refused
        self.busy = False

    @for_holders
    async def begin_decline(self):
        """Ask why."""
        self.stage, self.error = DECLINE, ""
        return focus_field(DeclineState.FORM, "reason")

    @for_holders
    async def leave(self):
        """Close the form."""
        self.stage = self.error = ""


class _AnswerForm(FormState, mixin=True):
    """A form of the page, whose answer shows the proposal as it is then."""

    @rx.event
    async def edit(self, form: dict[str, Any]):
        """Check the refused fields again once something else is typed."""
        self._edit(form)

    @rx.event
    async def submit(self, form: dict[str, Any]):
        """Answer. A second press does nothing."""
        async for event in self._submit(form):
            yield event

    async def _renew(self) -> None:
        await (await self.get_state(OfferState))._show()


class AcceptState(_AnswerForm, rx.State):
    """The form that accepts."""

    FORM: ClassVar = "acceptance"
    FIELDS: ClassVar = Acceptance
    EVENT: ClassVar = "proposal.accept_failed"

    errors: dict[str, str] = Acceptance.blank()

    async def _send(self, sent: object) -> None:
        acceptance = Acceptance.parse(sent)
        await offers.accept(link_token(self), acceptance, self.router.session.client_ip)
        await self._renew()


class DeclineState(_AnswerForm, rx.State):
    """The form that declines."""

    FORM: ClassVar = "decline"
    FIELDS: ClassVar = Refused
    EVENT: ClassVar = "proposal.decline_failed"

    errors: dict[str, str] = Refused.blank()

    async def _send(self, sent: object) -> None:
        await offers.decline(link_token(self), Refused.parse(sent))
        await self._renew()
