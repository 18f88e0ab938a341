"""Records of fills: photos, questions to the office, what staff record, and a person's data.

Files of photos are stored as the phone sends them. An action's row stays when its person is erased:
a phone that sends it again is answered as before, and nothing happens twice.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from PIL import Image
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.rules.invoices import sum_of
from fuel_app.bookings.rules.bookings import BookedFill, Booking, BookingChanged
from fuel_app.bookings.rules.fills import (
    KEPT,
    TICKET,
    Question,
    as_charged,
    exceeds_two_tanks,
    lines_of,
)
from fuel_app.bookings.rules.states import FILLED
from fuel_app.bookings.service import changes as bookings
from fuel_app.bookings.service import fills, road
from fuel_app.bookings.service.access import name_of_customer, names_of
from fuel_app.customers.rules.vehicles import NoPhoto
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.day import StopGone
from fuel_app.dispatch.rules.phones import PhotoGone
from fuel_app.dispatch.rules.trucks import LoadedForm
from fuel_app.dispatch.service.days import lock_stop
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals

REFILL_NOUN, LOADED = "refill", "loaded"


async def record_load(by: Actor, stop_id: object, form: object) -> str:
    """Record what a refill has loaded, or correct it. Return the action's id, for Undo.

    Raises:
        StopGone: If it is no refill (any more), or of a later day.
        InvalidForm: If nothing is said, or more than a tank of the truck holds.
    """
    by.require(Role.DISPATCHER)
    said = LoadedForm.parse(form)
    action = Action(REFILL_NOUN, LOADED, str(by))
    async with transaction() as session:
        stop, shift = await lock_stop(session, well_formed_id(stop_id) or "")
        if stop is None or shift is None or stop.booking_id or shift.day > day_of(clock.now()):
            raise StopGone
        loaded = said.of_tanks(await queries.tanks_of_shift(session, shift.id))
        before, after = {"loaded": stop.loaded}, {"loaded": loaded}
        await queries.set_load(session, shift.id, stop.id, loaded)
        await audit.record(session, action, [Change(stop.id, before, after)])
    await signals().publish(SHIFTS)
    return action.id


@audit.undoes(REFILL_NOUN, LOADED, topics=(SHIFTS,))
async def undo_load(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Restore what was said before, unless it has changed since."""
    undone = []
    for entry in entries:
        stop, shift = await lock_stop(session, entry.subject_id)
        if stop and shift and stop.loaded == (entry.after or {})["loaded"]:
            await queries.set_load(session, shift.id, stop.id, (entry.before or {})["loaded"])
            undone.append(entry.subject_id)
    return undone


async def complete_booking(
    by: Actor,
    booking_id: object,
    revision: object,
    form: object,
    *,
    fill_id: str = "",
    confirmed: bool = False,
) -> Booking:
    """Record a booking's fill, or correct it, as `fills.complete` does, with its errors."""
    by.require(Role.DISPATCHER)
    async with transaction() as session:
        locked = await road.lock(session, well_formed_id(booking_id) or "")
        meter = await queries.meter_of_stop(session, locked.id)
        done = await fills.complete(
            session,
            by,
            locked.id,
            revision,
            form,
            fill_id=fill_id,
            confirmed=confirmed is True,
            meter=meter,
        )
    await signals().publish(BOOKINGS)
    return done


async def give_up_car(by: Actor, booking_id: object, revision: object, fill_id: str) -> None:
    """End a car of a visit under way that nobody is going to fill. It costs the customer nothing.

    Raises:
        NotAllowed
        BookingChanged: If the car has ended, or the visit is not under way.
        BookingGone, FillGone
    """
    by.require(Role.DISPATCHER)
    async with transaction() as session:
        booking = await road.lock(session, well_formed_id(booking_id) or "")
        if booking.revision != revision:
            raise BookingChanged
        note, car = "The office has ended this car.", booking.fill(fill_id).id
        await road.fail(session, by, booking.id, "other", note, clock.now(), fill_id=car)
    await signals().publish(BOOKINGS)


QUESTIONS_SHOWN = 20  # at once; the next ones follow as these are answered
_REPEATS_NAMED = 3  # other fills with the same ticket


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
    def booked(self) -> BookedFill | None:
        """Return the car that the question is about; None if it is none of the visit."""
        return self.booking.find_fill(self.question.fill_id)

    @property
    def is_filled(self) -> bool:
        """Return whether this fuel can only be waived: the car has a fill, or is none of these."""
        is_kept = self.question.kind == KEPT
        return is_kept and (self.booked is None or self.booked.outcome == FILLED)

    @property
    def needs_admin(self) -> bool:
        """Return whether it is more than two tanks: paid or waived."""
        if self.booked is None or self.question.kind == TICKET:
            return False
        return exceeds_two_tanks(self.booked, self.milligallons)

    @property
    def most(self) -> Money:
        """Return what it costs to charge these gallons, unless the price has fallen since."""
        if self.booked is None:
            return Money(0)
        charged = as_charged(self.booking, self.booked)
        return sum_of(lines_of(charged, self.milligallons, charged.price.mills))


async def read_questions(by: Actor) -> tuple[list[Asked], int]:
    """Return the oldest unanswered questions, at most `QUESTIONS_SHOWN`, and how many there are."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        questions, total = await fills.unanswered_questions(session, QUESTIONS_SHOWN)
        if not questions:
            return [], 0
        same = await fills.bookings_with_tickets(session, {each.ticket_key for each in questions})
        others = {
            each.id: [i for i in same.get(each.ticket_key, ()) if i != each.booking_id][
                :_REPEATS_NAMED
            ]
            for each in questions
        }
        ids = {each.booking_id for each in questions}.union(*others.values())
        bookings = await road.of_ids(session, ids) if ids else {}
        people = [each.person_id or "" for each in questions]
        names = await names_of(session, bookings.values(), people)
        photos = await queries.photos_of(session, [each.booking_id for each in questions])
    shown = []
    for each in questions:
        booking, is_kept = bookings[each.booking_id], each.kind == KEPT
        booked = booking.find_fill(each.fill_id)
        recorded = None if is_kept else booked
        shown.append(
            Asked(
                question=each,
                booking=booking,
                customer=name_of_customer(booking, names),
                recorded_by=names.get(each.person_id or "", ""),
                milligallons=(recorded.filled_milligallons if recorded else each.milligallons) or 0,
                ticket=recorded.ticket if recorded else each.ticket,
                photos=tuple(
                    photo
                    for booking_id, person_id, photo, _ in photos
                    if (booking_id, person_id) == (each.booking_id, each.person_id)
                ),
                repeated=tuple(
                    (name_of_customer(bookings[i], names), bookings[i]) for i in others[each.id]
                ),
            )
        )
    return shown, total


CHARGE, WAIVE, CONFIRM, CORRECT, SEE = "charge", "waive", "confirm", "correct", "see"  # answers


async def answer_question(
    by: Actor, question_id: object, answer: str, form: object = None, *, confirmed: bool = False
) -> None:
    """Answer a question about a fill, once.

    Args:
        answer: CHARGE what was pumped beside a booking or WAIVE it, CONFIRM gallons above the tank
            or CORRECT them, or SEE a ticket number that was used twice.
        confirmed: The gallons are more than the tank holds, on purpose.

    Raises NotAllowed, QuestionAnswered, InvalidForm, FilledAlready, MoreThanTank, MoreThanTwoTanks.
    """
    async with transaction() as session:
        if answer == CHARGE:
            booking_id, technician = await fills.answer_charge(session, by, question_id, form)
            await queries.adopt_photos(session, booking_id, technician)
        elif answer == WAIVE:
            await fills.answer_waive(session, by, question_id, form)
        elif answer == CONFIRM:
            await fills.answer_confirm(session, by, question_id, form)
        elif answer == CORRECT:
            is_sure = confirmed is True
            await fills.answer_correct(session, by, question_id, form, confirmed=is_sure)
        else:
            await fills.answer_seen(session, by, question_id)
    await signals().publish(BOOKINGS)


PIXELS_MAX = 4_000_000  # phones send 1600 by 1600 at most; 2 KB can decode to 256 MB
_READABLE = ("JPEG", "PNG", "WEBP")


async def store_photo(by: Actor, photo_id: object, file: bytes) -> None:
    """Store the file of a photo that an action of this technician has announced, once.

    Raises PhotoGone if there is no such action, NoPhoto if the file is no picture.
    """
    by.require(Role.TECHNICIAN)
    await asyncio.to_thread(_media_type_of, file)
    async with transaction() as session:
        row = await queries.find_photo(session, well_formed_id(photo_id) or "", lock=True)
        if row is None or row.person_id != by.person_id:
            raise PhotoGone
        row.file = row.file or file


async def read_photo(by: Actor, photo_id: object) -> tuple[bytes, str]:
    """Return a photo with its media type, for staff. Raises PhotoGone if its file is not here."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        row = await queries.find_photo(session, well_formed_id(photo_id) or "")
    if row is None or row.file is None:
        raise PhotoGone
    return row.file, await asyncio.to_thread(_media_type_of, row.file)


async def photos_of_bookings(by: Actor, booking_ids: Collection[str]) -> dict[str, list[str]]:
    """Return the photos of each booking by their ids, the oldest first."""
    by.require(Role.DISPATCHER)
    photos: defaultdict[str, list[str]] = defaultdict(list)
    async with reading() as session:
        for booking_id, _, photo_id, is_beside in await queries.photos_of(session, booking_ids):
            if not is_beside:
                photos[booking_id].append(photo_id)
    return {each: photos[each] for each in booking_ids}


async def photo_files(by: Actor, booking_id: str) -> list[tuple[bytes, str]]:
    """Return the photos of a booking's fill, each with its media type, the oldest first."""
    ids = (await photos_of_bookings(by, [booking_id]))[booking_id]
    return [await read_photo(by, photo_id) for photo_id in ids]


def _media_type_of(file: bytes) -> str:
    """Return the media type of a picture by its content; it has to decode."""
    try:
        with Image.open(BytesIO(file), formats=_READABLE) as picture:
            if picture.width * picture.height > PIXELS_MAX:
                raise NoPhoto
            picture.load()
            return Image.MIME[picture.format or ""]
    except NoPhoto:
        raise
    except Exception as error:  # a broken file can fail its decoder in any way
        raise NoPhoto from error


_OF_ACTION = {"kind", "at", "data", "refused"}


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return what was recorded at a person's fills, refused or not, and the moments of photos."""
    booking_ids = await bookings.ids_of(session, person_id)
    return {
        "recorded_at_fills": [
            each.model_dump(include=_OF_ACTION) | {"booking_id": each.stop_id}
            for each in await queries.actions_of(session, booking_ids)
        ],
        "photos_of_fills": [
            {"booking_id": booking_id, "taken_at": taken_at}
            for booking_id, taken_at in await queries.photo_times(session, booking_ids)
        ],
    }


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Empty what was typed at a person's fills and where their cars stood; delete the photos."""
    booking_ids = await bookings.ids_of(session, person_id)
    await queries.forget_places(session, booking_ids)
    await queries.empty_actions(session, booking_ids)
    await queries.remove_photos_of(session, booking_ids)
