"""The question what becomes of bookings that a change would end: keep, offer, or cancel them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.session import admin_only
from fuel_app.areas.rules.hours import REASON_MAX
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.kit.forms import Form, line, typed
from fuel_app.kit.ui.forms import FormData, NoFields
from fuel_app.kit.words import counted
from fuel_app.launch.rules import CANCEL, KEEP, OFFER, Answer, count_told, movable

HOW = "how"  # the field of the answer


class ReasonForm(Form):
    """Why bookings are cancelled, or offered another time; their customers are told."""

    reason: Annotated[str, line("Reason", REASON_MAX)]


@dataclass(frozen=True)
class BookedLine:
    """A booking that a change would end; `link` leads to its customer."""

    when: str
    name: str
    car: str
    link: str

    @classmethod
    def of(cls, each: Booking, names: Mapping[str, str]) -> Self:
        if not each.person_id:
            name = " ".join(each.contact.get(part, "") for part in ("first_name", "last_name"))
            return cls(each.when, f"{name} (guest)", each.cars, "")
        address = routes.customer_tab(each.person_id, "bookings")
        return cls(each.when, names[each.person_id], each.cars, address)


class BookedQuestion(FormDialog, rx.State, mixin=True):
    """The part of a dialog that asks about bookings. The button says what it does, to how many."""

    ROLES: ClassVar = (Role.ADMIN,)
    NOTHING: ClassVar[str]  # the button's text where nothing is booked

    booked: list[BookedLine] = []
    how: str = KEEP
    button: str = ""
    is_offered: bool = False  # other times can be chosen

    _buttons: dict[str, str] = {}  # by answer

    @admin_only
    async def edit(self, form: FormData[str, Any]):
        """Check the refused fields again, and say what the button does."""
        if self.opened:
            self._note(form)
            self._recheck(form)

    def _note(self, form: object) -> None:
        """Follow what is chosen."""
        self._choose(_chosen(form))

    def _choose(self, how: str) -> None:
        self.how = how if how in self._buttons else KEEP
        self.button = self._buttons.get(self.how, "")

    def _ask_about(
        self, bookings: Sequence[Booking], names: Mapping[str, str], *, is_offered: bool
    ) -> None:
        """Show the bookings; to begin with they are kept, which tells nobody."""
        self.booked = [BookedLine.of(each, names) for each in bookings]
        offered = movable(bookings) if is_offered else ()
        self.is_offered = bool(offered)
        self._buttons = {
            KEEP: f"Keep {counted(len(bookings), 'booking')}" if bookings else self.NOTHING,
            CANCEL: f"Cancel {counted(len(bookings), 'booking')}, {_tell(bookings)}",
        }
        if offered:
            self._buttons[OFFER] = f"Offer other times, {_tell(offered)}"
        self._choose(KEEP)

    def _answer(self, sent: object) -> Answer:
        """Return the answer of a form, with its reason. Raises InvalidForm."""
        self._choose(_chosen(sent))
        return Answer(self.how, "" if self.how == KEEP else ReasonForm.parse(sent).reason)

    def _rules(self) -> type[Form]:
        return NoFields if self.how == KEEP else ReasonForm


def _chosen(form: object) -> str:
    return typed(form, [HOW])[HOW]


def _tell(bookings: Sequence[Booking]) -> str:
    return f"tell {counted(count_told(bookings), 'customer')}"
