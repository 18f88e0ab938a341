"""Questions about fills: the staff's list, and their answers."""

from dataclasses import dataclass

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.rules.invoices import sum_of
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.fills import (
    KEPT,
    TICKET,
    Question,
    as_charged,
    exceeds_two_tanks,
    lines_of,
)
from fuel_app.bookings.rules.states import COMPLETED
from fuel_app.bookings.service import fills, road
from fuel_app.dispatch.queries import technician as queries
from fuel_app.dispatch.service.reading import customer_of, names_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, signals

SHOWN = 20  # at once; the next ones follow as these are answered
_NAMED = 3  # other fills with the same ticket


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what staff need for their answer."""

    question: Question
    booking: Booking
    customer: str
    recorded_by: str  # a technician or one of the staff; '' without an account
    milligallons: int
    ticket: dict[str, object]
    photos: tuple[str, ...]
    repeated: tuple[tuple[str, Booking], ...]  # customers with the same ticket, and their bookings

    @property
    def is_filled(self) -> bool:
        """Return whether another fill has completed the booking: this one can only be waived."""
        return self.question.kind == KEPT and self.booking.state == COMPLETED

    @property
    def needs_admin(self) -> bool:
        """Return whether it is more than two tanks: paid or waived."""
        is_ticket = self.question.kind == TICKET
        return not is_ticket and exceeds_two_tanks(self.booking, self.milligallons)

    @property
    def most(self) -> Money:
        """Return what it costs to charge these gallons, unless the price has fallen since."""
        booking = as_charged(self.booking)
        return sum_of(lines_of(booking, self.milligallons, booking.price.mills))


async def read(by: Actor) -> tuple[list[Asked], int]:
    """Return the oldest unanswered questions, at most `SHOWN`, and how many there are."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        found, total = await fills.unanswered_questions(session, SHOWN)
        same = await fills.bookings_with_tickets(session, {each.ticket_key for each in found})
        others = {
            each.id: [i for i in same.get(each.ticket_key, ()) if i != each.booking_id][:_NAMED]
            for each in found
        }
        ids = {each.booking_id for each in found}.union(*others.values())
        bookings = await road.of_ids(session, ids) if ids else {}
        people = [each.person_id or "" for each in found]
        names = await names_of(session, bookings.values(), people)
        photos = await queries.photos_by(session, [each.booking_id for each in found])
    shown = []
    for each in found:
        booking, is_kept = bookings[each.booking_id], each.kind == KEPT
        shown.append(
            Asked(
                question=each,
                booking=booking,
                customer=customer_of(booking, names),
                recorded_by=names.get(each.person_id or "", ""),
                milligallons=(each.milligallons if is_kept else booking.filled_milligallons) or 0,
                ticket=each.ticket if is_kept else booking.ticket,
                photos=tuple(
                    photo
                    for booking_id, person_id, photo in photos
                    if (booking_id, person_id) == (each.booking_id, each.person_id)
                ),
                repeated=tuple(
                    (customer_of(bookings[i], names), bookings[i]) for i in others[each.id]
                ),
            )
        )
    return shown, total


async def charge(by: Actor, question_id: object, form: object) -> None:
    """Complete a booking with what was pumped beside it, and bill it; refusals as in `answers`."""
    async with transaction() as session:
        booking_id, technician_id = await fills.answer_charge(session, by, question_id, form)
        await queries.adopt_photos(session, booking_id, technician_id)
    await signals().publish(BOOKINGS)


async def waive(by: Actor, question_id: object, form: object) -> None:
    """Leave a booking as it is, without charging what was pumped beside it."""
    async with transaction() as session:
        await fills.answer_waive(session, by, question_id, form)
    await signals().publish(BOOKINGS)


async def confirm(by: Actor, question_id: object, form: object) -> None:
    """Bill gallons that were asked about as they were recorded; refusals as in `answers`."""
    async with transaction() as session:
        await fills.answer_confirm(session, by, question_id, form)
    await signals().publish(BOOKINGS)


async def correct(by: Actor, question_id: object, form: object, *, confirmed: bool = False) -> None:
    """Bill other gallons than those that were recorded."""
    async with transaction() as session:
        await fills.answer_correct(session, by, question_id, form, confirmed=confirmed is True)
    await signals().publish(BOOKINGS)


async def see(by: Actor, question_id: object) -> None:
    """Leave a ticket number that was used twice as it is."""
    async with transaction() as session:
        await fills.answer_seen(session, by, question_id)
    await signals().publish(BOOKINGS)
