"""The tab 'Invoices' of one customer, and the dialog that corrects one of them."""

from typing import ClassVar

import reflex as rx

from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.billing.rules.corrections import (
    CHARGE,
    GIFT,
    TO_CARD,
    TO_CREDIT,
    WAIVED,
    WRITE_OFF,
    AboveLimit,
    Account,
    Correction,
    InvoiceCard,
    Item,
    Reason,
)
from fuel_app.billing.service import reports
from fuel_app.kit import money
from fuel_app.kit.limits import Room
from fuel_app.kit.ui.toast import ToastState, report
from fuel_app.office.state.customers import CustomerDashboardState, CustomerTab, OfCustomer
from fuel_app.outcomes.service import corrections as outcomes_corrections
from fuel_app.outcomes.service import requests

INVOICE_SHOWN = "invoices-shown"
OF_AMOUNTS = (TO_CARD, TO_CREDIT, WAIVED, GIFT)
_DONE = {
    TO_CARD: "Refund on its way",
    TO_CREDIT: "Refunded as credit",
    WAIVED: "Waived",
    GIFT: "Credit given",
    CHARGE: "Charged",
    WRITE_OFF: "Marked as uncollectible",
}


def _most_text(left: str, room: Room | None) -> str:
    """Return how much may be given, in words: what is left of the invoice, or of a limit."""
    amount = money.parse(left)
    if room is None or (amount and amount.cents <= room.left):
        return f"Up to {left}" if left else "For later invoices"
    return room.hint


class InvoicesTab(CustomerTab, rx.State):
    """The customer's invoices, the one that is chosen, and the credit balance."""

    KEY: ClassVar = "invoices"

    account: Account = Account()
    shown: InvoiceCard = InvoiceCard()
    requests: tuple[Item, ...] = ()  # to an admin, about this customer

    @staff_only
    async def choose(self, invoice_id: str):
        """Show one invoice; an empty id leads back to the list."""
        self.shown = self._find(invoice_id)
        return rx.set_focus(INVOICE_SHOWN)

    def _find(self, invoice_id: object) -> InvoiceCard:
        chosen = (each for each in self.account.invoices if each.id == invoice_id)
        return next(chosen, InvoiceCard())

    async def _read(self) -> None:
        actor = await actor_of(self)
        self.account = await reports.account_of(actor, self._customer_id)
        self.requests = await requests.requests_of(actor, self._customer_id)
        self.shown = self._find(self.shown.id)


class CorrectionState(OfCustomer, FormDialog, rx.State):
    """The dialog of one correction; its key is made as it opens, so that it happens once."""

    FORM: ClassVar = "correction"
    FIELDS: ClassVar = Correction
    EVENT: ClassVar = "customer.correction_failed"

    kind: str = ""
    left: str = ""
    most: str = ""  # what may be given, in words
    name: str = ""
    ask: str = ""  # label of the button that asks an admin, once an amount is above the limit
    errors: dict[str, str] = Correction.blank()

    _invoice_id: str = ""
    _customer_id: str = ""
    _wanted: Correction | None = None  # what the button asks for

    @staff_only
    async def begin(self, kind: str):
        """Open the dialog; only for what the chosen invoice allows."""
        tab = await self.get_state(InvoicesTab)
        allowed = dict(tab.shown.left) | ({GIFT: ""} if tab._customer_id else {})
        if isinstance(kind, str) and kind in allowed:
            self._open()
            self.kind, self.left, self.name = kind, allowed[kind], tab.shown.name
            self._invoice_id, self._customer_id = tab.shown.id, tab._customer_id
            room = await outcomes_corrections.room_for(await actor_of(self), self._customer_id)
            self.most = _most_text(tab.shown.left.get(kind, ""), room)

    @staff_only
    async def retry(self, refund_id: str):
        """Try a refund again that has failed."""
        trying = outcomes_corrections.retry_refund(await actor_of(self), refund_id)
        await report(self, trying, "customer.refund_failed", _DONE[TO_CARD])
        await (await self.get_state(CustomerDashboardState))._refresh()

    @staff_only
    async def ask_admin(self):
        """Ask an admin for what was refused. A second press finds the dialog closed."""
        if self.opened and self._wanted and not self.busy:
            async for event in self._run(self._ask(self._wanted)):
                yield event

    async def _ask(self, wanted: Correction) -> None:
        actor, whose = await actor_of(self), self._customer_id
        await requests.ask(actor, self.kind, whose, self._invoice_id, wanted, self._key)
        self._close()
        (await self.get_state(ToastState))._show("An admin is asked", seconds=6)
        await (await self.get_state(CustomerDashboardState))._refresh()

    def _recheck(self, form: object) -> bool:
        """Take the question back once something else is typed."""
        is_other = super()._recheck(form)
        if is_other:
            self.ask, self._wanted = "", None
        return is_other

    def _rules(self) -> type[Correction | Reason]:
        return Correction if self.kind in OF_AMOUNTS else Reason

    async def _send(self, sent: object) -> None:
        actor, form = await actor_of(self), self._rules().parse(sent)
        try:
            if isinstance(form, Reason):
                act = (
                    outcomes_corrections.charge_invoice
                    if self.kind == CHARGE
                    else outcomes_corrections.write_off_open
                )
                await act(actor, self._invoice_id, form)
            elif self.kind == GIFT:
                await outcomes_corrections.give_credit(actor, self._customer_id, form, self._key)
            else:
                await outcomes_corrections.correct_invoice(
                    actor, self._invoice_id, self.kind, form, self._key
                )
            (await self.get_state(ToastState))._show(_DONE[self.kind])
            self._close()
        except AboveLimit:
            if isinstance(form, Correction):
                self.ask, self._wanted = f"Ask an admin for {form.amount}", form
            raise
        finally:
            await (await self.get_state(CustomerDashboardState))._refresh()
