"""Questions about fills: the open ones, and the dialog of an answer."""

from dataclasses import dataclass, field
from typing import ClassVar, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.dialogs import AskingDialog
from fuel_app.accounts.state.session import (
    StaffScreen,
    actor_of,
    staff_only,
)
from fuel_app.areas.state import are_staff_of_open
from fuel_app.billing.rules.receipts import gallons_text
from fuel_app.bookings.rules.fills import (
    GALLONS,
    KEPT,
    TICKET,
    AnswerForm,
    CorrectionForm,
    MoreThanTank,
    QuestionAnswered,
)
from fuel_app.bookings.rules.states import OPEN_STATES
from fuel_app.dispatch.service import fill_records as service
from fuel_app.dispatch.service.fill_records import CHARGE, CONFIRM, CORRECT, SEE, WAIVE, Asked
from fuel_app.kit import clock
from fuel_app.kit.forms import Form
from fuel_app.kit.signals import BOOKINGS, SHIFTS
from fuel_app.kit.ui.toast import ToastState

_ACTS = {KEPT: (CHARGE, WAIVE), GALLONS: (CONFIRM, CORRECT), TICKET: (SEE,)}
_DONE = {
    CHARGE: "Charged",
    WAIVE: "Waived",
    CONFIRM: "Gallons confirmed",
    CORRECT: "Gallons corrected",
    SEE: "Ticket number seen",
}
_TITLES = {
    KEPT: "Fuel pumped beside a booking",
    GALLONS: "More than the tank holds",
    TICKET: "Repeated ticket number",
}
_TWO_TANKS = "More than two tanks"
_FILLED = "Another fill has completed this booking: this one can only be waived."


@dataclass(frozen=True)
class QuestionLine:
    """One question as staff read it; empty for none."""

    id: str = ""
    kind: str = ""
    title: str = ""
    customer: str = ""
    link: str = ""  # to the customer or guest
    when: str = ""  # the booking's window
    what: str = ""  # '12.345 gallons, ticket T-1, meter 100.000 to 112.345'
    who: str = ""  # recorded it, and when
    why: str = ""
    cost: str = ""  # if it is charged
    charge_means: str = ""  # for a visit that is still to come, and for a late fee
    photos: list[str] = field(default_factory=list)
    can_charge: bool = False
    needs_admin: bool = False
    fields: dict[str, str] = field(default_factory=dict)  # to be corrected

    @classmethod
    def of(cls, asked: Asked) -> Self:
        booking, kind, ticket = asked.booking, asked.question.kind, asked.ticket
        number = str(ticket.get("number", ""))
        start, end = (_reading(ticket.get(name)) for name in ("meter_start", "meter_end"))
        figures = (
            f"{gallons_text(asked.milligallons)} gallons",
            f"ticket {number}" if number else "",
            f"meter {start} to {end}" if end else "",
        )
        at = clock.date_and_time(asked.question.at)
        return cls(
            id=asked.question.id,
            kind=kind,
            title=_TWO_TANKS if kind == GALLONS and asked.needs_admin else _TITLES[kind],
            customer=asked.customer,
            link=routes.customer_tab(booking.person_id, "bookings")
            if booking.person_id
            else routes.guest(booking.id),
            when=booking.when,
            what=", ".join(filter(None, figures)),
            who=f"{asked.recorded_by or 'Staff'}, {at}",
            why=_FILLED if asked.is_filled else _why(asked),
            cost=str(asked.most),
            charge_means=_charge_means(asked),
            photos=[*map(routes.fill_photo, asked.photos)],
            can_charge=not asked.is_filled,
            needs_admin=asked.needs_admin,
            fields={
                "gallons": "" if end else gallons_text(asked.milligallons),
                "meter_start": start,
                "meter_end": end,
                "ticket": number,
            },
        )


def _reading(milligallons: object) -> str:
    return gallons_text(milligallons) if isinstance(milligallons, int) and milligallons else ""


def _why(asked: Asked) -> str:
    same = "; ".join(f"{who}, {booking.when}" for who, booking in asked.repeated)
    repeated = f"The same ticket of this meter: {same}." if same else ""
    return " ".join(filter(None, (asked.question.why, repeated)))


def _charge_means(asked: Asked) -> str:
    booking, day = asked.booking, asked.booking.day
    is_ahead = booking.state in OPEN_STATES and booking.starts_at > asked.question.at
    said = (
        f"Its visit on {day:%A, %B} {day.day} ends with it." if is_ahead else "",
        f"The late fee of {booking.late_fee} stays: waive or refund it with its bill."
        if booking.late_fee.cents
        else "",
    )
    return " ".join(filter(None, said))


class QuestionsState(StaffScreen, rx.State):
    """The questions that wait for an answer, the oldest first."""

    rows: list[QuestionLine] = []
    total: int = 0

    @rx.event(background=True)
    async def follow(self):
        """Follow what is asked while the screen is open, for staff of an open company only."""
        async with self:
            if not await are_staff_of_open(self):
                return
            await self._refresh()
        await screens.follow(self, self._refresh, BOOKINGS, SHIFTS)

    async def _refresh(self) -> None:
        found, total = await service.read_questions(await actor_of(self))
        rows = [QuestionLine.of(each) for each in found]
        if (rows, total) != (self.rows, self.total):
            self.rows, self.total = rows, total


class AnswerState(AskingDialog, rx.State):
    """The dialog of one answer."""

    FORM: ClassVar = "answer"
    FIELDS: ClassVar = CorrectionForm
    EVENT: ClassVar = "dispatch.answer_failed"

    line: QuestionLine = QuestionLine()
    act: str = ""
    errors: dict[str, str] = CorrectionForm.blank()

    @staff_only
    async def begin(self, question_id: str, act: str):
        """Open the dialog of an answer that the question takes."""
        rows = (await self.get_state(QuestionsState)).rows
        line = next((each for each in rows if each.id == question_id), None)
        if line is None or act not in _ACTS[line.kind]:
            return
        self._open()
        self.line, self.act = line, act

    def _rules(self) -> type[Form]:
        return CorrectionForm if self.act == CORRECT else AnswerForm

    async def _send(self, sent: object) -> None:
        actor, typed = await actor_of(self), CorrectionForm.typed(sent)
        confirmed = self._is_answered(sent)
        try:
            await service.answer_question(actor, self.line.id, self.act, typed, confirmed=confirmed)
        except MoreThanTank as much:
            self.question = str(much)
            return
        except QuestionAnswered:
            await (await self.get_state(QuestionsState))._refresh()
            raise
        (await self.get_state(ToastState))._show(_DONE[self.act])
        self._close()
        await (await self.get_state(QuestionsState))._refresh()
