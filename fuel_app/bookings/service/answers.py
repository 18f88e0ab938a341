"""Answers of staff to questions about fills, in the caller's transaction: each is given once."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.queries import bookings, questions
from fuel_app.bookings.queries.bookings import booking_of
from fuel_app.bookings.rules.filling import (
    check_start,
    check_two_tanks,
    fill_of,
    fill_text,
)
from fuel_app.bookings.rules.questions import (
    CHARGED,
    CONFIRMED,
    CORRECTED,
    GALLONS,
    KEPT,
    SEEN,
    TICKET,
    WAIVED,
    AnswerForm,
    QuestionAnswered,
)
from fuel_app.bookings.rules.states import STAFF
from fuel_app.bookings.service import access, completing
from fuel_app.bookings.tables import FillQuestion, StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.ids import well_formed_id


async def charge(
    session: AsyncSession, by: Actor, question_id: object, form: object
) -> tuple[str, str | None]:
    """Complete a booking with what was pumped beside it. Return booking and technician.

    Raises:
        FilledAlready: If another fill has completed it.
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, kept, reason = await _answer(session, by, question_id, KEPT, CHARGED, form)
    await completing.charge_in(session, by, row, kept, reason)
    return row.id, kept.person_id


async def waive(session: AsyncSession, by: Actor, question_id: object, form: object) -> None:
    """Leave a booking as it is; what was pumped beside it is never charged.

    Raises:
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, kept, reason = await _answer(session, by, question_id, KEPT, WAIVED, form)
    check_two_tanks(booking_of(row), kept.milligallons or 0, is_admin=by.may(Role.ADMIN))
    filled = fill_text(kept.milligallons or 0, kept.ticket.get("number", ""))
    await _note(session, by, row, "booking_waive", f"{filled}, {reason}")


async def confirm(session: AsyncSession, by: Actor, question_id: object, form: object) -> None:
    """Bill gallons that were asked about as they were recorded.

    Raises:
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, _, reason = await _answer(session, by, question_id, GALLONS, CONFIRMED, form)
    await completing.confirm_in(session, by, row, reason)


async def correct(
    session: AsyncSession, by: Actor, question_id: object, form: object, *, confirmed: bool
) -> None:
    """Bill other gallons than those that were recorded.

    Raises:
        MoreThanTank: Unless it is `confirmed`.
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, _, reason = await _answer(session, by, question_id, GALLONS, CORRECTED, form)
    fill = fill_of(form, clock.now())
    check_start(booking_of(row), fill)
    check_two_tanks(booking_of(row), fill.milligallons, is_admin=by.may(Role.ADMIN))
    about = {"confirmed": confirmed, "at": clock.now(), "internal": reason}
    await completing.complete_in(session, by, row, STAFF, fill, **about)


async def see(session: AsyncSession, by: Actor, question_id: object) -> None:
    """Leave a ticket number that was used twice as it is.

    Raises:
        QuestionAnswered
    """
    row, asked = await _open(session, by, question_id, TICKET)
    await _store(session, by, asked, SEEN, "")
    await _note(session, by, row, "booking_ticket", f"ticket {row.ticket.get('number', '')}")


async def _answer(
    session: AsyncSession, by: Actor, question_id: object, kind: str, answered: str, form: object
) -> tuple[StoredBooking, FillQuestion, str]:
    """Answer a question. Return its locked booking, the question and the reason."""
    by.require(Role.DISPATCHER)
    reason = AnswerForm.parse(form).reason
    row, asked = await _open(session, by, question_id, kind)
    await _store(session, by, asked, answered, reason)
    return row, asked, reason


async def _open(
    session: AsyncSession, by: Actor, question_id: object, kind: str
) -> tuple[StoredBooking, FillQuestion]:
    """Lock the booking of a question and return both, as those do who record fills."""
    by.require(Role.DISPATCHER)
    asked = await questions.find(session, well_formed_id(question_id) or "")
    if asked is None or asked.kind != kind:
        raise QuestionAnswered
    return await bookings.locked(session, asked.booking_id), asked


async def _store(
    session: AsyncSession, by: Actor, asked: FillQuestion, answered: str, reason: str
) -> None:
    given = (asked.id, answered, str(by), clock.now(), reason)
    if not await questions.answer(session, *given):
        raise QuestionAnswered


async def _note(session: AsyncSession, by: Actor, row: StoredBooking, kind: str, what: str) -> None:
    when = booking_of(row).when
    await access.note(session, by, row.person_id or "", kind, f"{when}, {what}")
