"""The contents of messages: one for its HTML, its text and its text message.

Each kind has a function of its name, here or in `security_contents`, and `account_exists` stands
in where an e-mail is taken.

A guest's booking has a `token` instead of a sign-in. Texts of several lines ('Fuel, about 12
gallons: $41.40') become a line each; `late_fee` is such as '$15.00', or empty where there is none;
`free_until` is empty once it is past.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from textwrap import shorten
from typing import Any

from fuel_app import routes
from fuel_app.kit.contact import phone_shown
from fuel_app.messages.rules import security_contents
from fuel_app.messages.rules.kinds import KINDS, UnknownKind
from fuel_app.messages.rules.parts import BRAND, END, HOST, SITE, Button, Content, Facts, facts


class MissingValue(Exception):  # noqa: N818 (a bug, not a refusal)
    """A message was queued without a value that its text needs."""


def payment_failed(
    *, what: str, amount: str, reason: str, until: str = "", token: str = ""
) -> Content:
    """Return that a charge failed. A debt, which is not charged again by itself, has no `until`."""
    again = "We try again by ourselves; a" if until else "It stays open. A"
    return Content(
        subject=f"Your payment of {amount} did not go through",
        lead=f"We could not charge {amount} for {what}.",
        facts=(("Reason", reason), *((("Please pay by", until),) if until else ())),
        paragraphs=(f"{again} new card settles it at once.",),
        button=Button("Update your card", routes.manage(token) if token else routes.BILLING),
        sms=f"{BRAND}: your payment of {amount} did not go through. Update your card: "
        f"{SITE}{routes.BILLING}{END}",
    )


def renewal_coming(*, plan: str, amount: str, day: str) -> Content:
    return Content(
        subject=f"{plan} plan: renewal on {day}",  # spam filters dislike 'Your Family ...'
        lead=f"Your {plan} plan renews on {day} for {amount}.",
        facts=(("Plan", plan), ("Amount", amount), ("Day", day)),
        button=Button("View your plan", routes.BILLING),
        closing="You can change or cancel it there until the day before.",
        sms=f"{BRAND}: your {plan} plan renews on {day} for {amount}.{END}",
    )


def plan_changed(*, plan: str, amount: str, since: str, what: str, covers: str = "") -> Content:
    """Return what has become of a plan.

    Args:
        covers: The windows of fill-ups whose fee is not due any more; '' if there is none.
    """
    covered = (("Covered by it now, without a fee", covers),) if covers else ()
    return Content(
        subject=f"Your plan: {what}",
        lead=f"{what}. It holds from {since} on.",
        facts=(("Plan", plan), ("Amount", amount), ("From", since), *covered),
        button=Button("View your plan", routes.BILLING),
        closing="If you did not ask for this, answer this mail.",
        sms=f"{BRAND}: {what}, from {since} on.{END}",
    )


def receipt(*, number: str, what: str, amount: str, invoice: str) -> Content:
    """Return the receipt of a charge for a plan; its PDF comes with the mail."""
    return Content(
        subject=f"Your receipt {number}",
        lead=f"You paid {amount} for {what}.",
        facts=(("Number", number), ("For", what), ("Amount", amount)),
        button=Button("See the receipt", routes.receipt(invoice)),
        closing="Something wrong? Answer this mail.",
    )


def refunded(
    *, number: str, what: str, amount: str, where: str, invoice: str, token: str = ""
) -> Content:
    """Return that staff have given something back, or ask for less."""
    return Content(
        subject=f"{amount} {where}",
        lead=f"{what}: {amount} {where}.",
        facts=(("Receipt", number), ("For", what), ("Amount", amount)),
        button=Button(
            "See the receipt", routes.manage_receipt(token) if token else routes.receipt(invoice)
        ),
        closing="Something wrong? Answer this mail.",
    )


def tier_reached(*, neighborhood: str, tier: str, saving: str) -> Content:
    return Content(
        subject=f"{neighborhood} has reached {tier}",
        lead=f"Your neighborhood {neighborhood} has reached {tier}: {saving}.",
        paragraphs=("It comes off your plan with the next renewal.",),
        button=Button("See your neighborhood", routes.ACCOUNT),
    )


def tier_lost(*, neighborhood: str, tier: str, change: str, missing: str) -> Content:
    return Content(
        subject=f"{neighborhood} has lost {tier}",
        lead=f"Your neighborhood {neighborhood} no longer has {tier}: {change}.",
        paragraphs=(f"To have it back it needs {missing}.",),
        button=Button("Invite your neighbors", routes.ACCOUNT),
    )


def _promised(cap: str, whole: str = "") -> tuple[str, ...]:
    if whole:
        return ("Your whole first fill-up is free: no convenience fee, and all the fuel.",)
    said = f"Your first fill-up is free: no convenience fee, and fuel up to {cap}."
    return (said,) if cap else ()


def area_open(
    *, area: str, token: str = "", free_fill_cap: str = "", free_fill_whole: str = ""
) -> Content:
    start = routes.ONBOARDING
    return Content(
        subject=f"{BRAND} is open in {area}",
        lead=f"We now deliver fuel in {area}, and you were on our list.",
        paragraphs=(
            "Sign up with the button below, and all that you were promised comes along.",
            *_promised(free_fill_cap, free_fill_whole),
        ),
        button=Button("Get started", f"{start}?invited={token}" if token else start),
    )


def area_open_test(*, area: str, free_fill_cap: str = "", free_fill_whole: str = "") -> Content:
    """Return an invitation as an admin gets it who tries it out; its link has no secret."""
    real = area_open(area=area, free_fill_cap=free_fill_cap, free_fill_whole=free_fill_whole)
    return replace(real, subject=f"Test: {real.subject}")


def newsletter(*, subject: str, body: str) -> Content:
    return Content(subject=subject, lead=subject, body=_paragraphs(body))


def offer(*, subject: str, body: str, text: str = "") -> Content:
    """Return an offer; `text` is all that its text message says."""
    return replace(newsletter(subject=subject, body=body), sms=f"{BRAND}: {text}{END}")


def announcement_test(*, subject: str, body: str) -> Content:
    """Return a newsletter or an offer as an admin gets it who tries it out."""
    return replace(newsletter(subject=subject, body=body), subject=f"Test: {subject}")


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(re.split(r"\n{2,}", text))


def waitlist_welcome(*, submission: str, free_fill_cap: str = "") -> Content:
    return Content(
        subject=f"You are on the {BRAND} waitlist",
        lead="You are on the list. We write to you as soon as we open in your area.",
        paragraphs=(
            *_promised(free_fill_cap),
            "The more neighbors join, the more everyone saves. Share your own link:",
        ),
        button=Button("Your link to share", routes.referral(submission)),
    )


NO_CHARGE = "None"


def _view(booking: str, token: str) -> Button:
    address = routes.manage(token) if token else routes.booking(booking)
    return Button("View your booking", address)


def _again(token: str) -> Button:
    return Button("Book another time", routes.ONE_TIME_FILL if token else routes.SCHEDULE)


def _prices(parts: str) -> Facts:
    split = (line.partition(": ") for line in parts.splitlines() if line)
    return tuple((label, amount) if amount else ("Price", label) for label, _, amount in split)


def _late(free_until: str, late_fee: str) -> str:
    if not free_until:
        costs = f"costs {late_fee}" if late_fee else "is free of charge"
        return f"It is too late to move it. Cancelling it {costs}."
    later = f" Later it costs {late_fee}." if late_fee else ""
    return f"Free to move or cancel until {free_until}.{later}"


def _facts(when: str, vehicle: str, place: str) -> Facts:
    return facts(("When", when), ("Vehicle", vehicle), ("Where", place))


def booking_confirmed(
    *,
    booking: str,
    when: str,
    vehicle: str,
    place: str,
    price: str,
    free_until: str = "",
    late_fee: str = "",
    held: str = "",
    card_by: str = "",
    token: str = "",
    repeats: str = "",
    skip: str = "",
) -> Content:
    """Return that a fill is booked; a guest whom staff have booked for adds a card by a time.

    A visit that a repeat has booked can be skipped, and the repeat paused, without signing in.
    """
    repeated = (
        Button("Skip this visit", f"{routes.REPEAT_SKIP}?t={skip}"),
        Button("Pause the repeat", f"{routes.REPEAT_PAUSE}?t={skip}"),
    )
    card = (
        f"Please add a card by {card_by} with the button below: without one we cannot come, and "
        f"the fill-up is cancelled. With it you accept our terms: {HOST}{routes.TERMS}",
    )
    return Content(
        subject=f"Booked: your fill-up on {when}",
        lead=f"Your fill-up is booked for {when}.",
        facts=(
            *_facts(when, vehicle, place),
            *facts(("Repeats", repeats)),
            *_prices(price),
        ),
        paragraphs=(
            *(card if card_by else ()),
            "Please leave the fuel door unlocked. You need not be there.",
            *((held,) if held else ()),
            _late(free_until, late_fee),
        ),
        button=Button("Add your card", _view(booking, token).path)
        if card_by
        else _view(booking, token),
        links=repeated if skip else (),
        closing="You pay for what was pumped, at the lower of today's price and that day's.",
        sms=f"{BRAND}: booked for {when}, {vehicle}.{END}",
    )


def booking_link(*, booking: str, when: str, vehicle: str, place: str, token: str = "") -> Content:
    """Return the link to a guest's booking, which the guest has asked for."""
    return Content(
        subject=f"The link to your fill-up on {when}",
        lead=f"Here is the link to your fill-up on {when}.",
        facts=_facts(when, vehicle, place),
        button=_view(booking, token),
        closing="Whoever has the link can change the booking, so please keep it to yourself.",
    )


def booking_moved(
    *,
    booking: str,
    when: str,
    before: str,
    vehicle: str,
    place: str,
    free_until: str = "",
    late_fee: str = "",
    reason: str = "",
    token: str = "",
) -> Content:
    change = "move or cancel" if free_until else "cancel"
    return Content(
        subject=f"Moved: your fill-up is now on {when}",
        lead=f"Your fill-up was moved to {when}.",
        facts=(*_facts(when, vehicle, place), ("Before", before)),
        paragraphs=(*((reason,) if reason else ()), _late(free_until, late_fee)),
        button=_view(booking, token),
        closing=f"If the new time does not suit you, you can {change} it there.",
        sms=f"{BRAND}: your fill-up moved to {when} (before: {before}).{END}",
    )


_SMS_REASON = 100  # characters of a reason that a text message holds


def booking_cancelled(
    *, when: str, vehicle: str, charge: str, reason: str = "", token: str = ""
) -> Content:
    again = _again(token)
    why = f": {shorten(reason, _SMS_REASON, placeholder='...')}" if reason else ""
    stop = "" if why.endswith((".", "!", "?")) else "."
    return Content(
        subject=f"Cancelled: your fill-up on {when}",
        lead=f"Your fill-up on {when} is cancelled.",
        facts=(*_facts(when, vehicle, ""), ("Charge", charge)),
        paragraphs=(reason,) if reason else (),
        button=again,
        sms=f"{BRAND}: your fill-up on {when} is cancelled{why}{stop} Charge: {charge}. "
        f"Book another time: {SITE}{again.path}{END}",
    )


def place_open(*, slot: str, when: str, until: str) -> Content:
    """Return that a place in a full window is held for who has waited for it."""
    book = routes.schedule_window(slot)
    return Content(
        subject=f"A place has opened: {when}",
        lead=f"A place has opened in the window that you wait for: {when}.",
        paragraphs=(f"We hold it for you until {until}. Then we offer it to the next.",),
        button=Button("Book it", book),
        closing="Not needed any more? Just let it lapse.",
        sms=f"{BRAND}: a place opened for {when}. Held for you until {until}: {SITE}{book}{END}",
    )


def fee_asked(*, booking: str, when: str, vehicle: str, fee: str) -> Content:
    return Content(
        subject=f"Please choose: your plan does not cover your fill-up on {when}",
        lead=f"Your plan does not cover your fill-up on {when} any more.",
        facts=_facts(when, vehicle, ""),
        paragraphs=(
            f"Pay the {fee} convenience fee, or cancel free of charge, whatever the time.",
            "Without an answer we cancel it that morning, free of charge.",
        ),
        button=_view(booking, ""),
        sms=f"{BRAND}: your plan does not cover your fill-up on {when}. Pay {fee} or cancel: "
        f"{SITE}{routes.booking(booking)}{END}",
    )


def hold_declined(
    *,
    booking: str,
    when: str,
    vehicle: str,
    amount: str,
    reason: str,
    until: str,
    confirm: str = "",
    missing: str = "",
    alone: str = "",
    token: str = "",
) -> Content:
    """Return that a card was declined; a guest chooses another one on the booking's page.

    Where the bank wants the customer to `confirm` it, that is done there, too; where the card is
    `missing`, it is added there; and of several cars one is kept there, which `alone` costs less.
    """
    if confirm:
        return Content(
            subject="Your bank asks you to confirm: please act to keep your fill-up",
            lead=f"Your bank wants you to confirm the hold of {amount} for your fill-up on {when}.",
            facts=_facts(when, vehicle, ""),
            paragraphs=(
                f"Confirm it or choose another card by {until}, or the fill-up will be cancelled. "
                "Nothing was charged.",
            ),
            button=Button("Confirm payment", _view(booking, token).path),
            sms=f"{BRAND}: your bank asks you to confirm the payment for {when} by {until}.{END}",
        )
    if missing:
        return Content(
            subject="Please add a card to keep your fill-up",
            lead=f"We have no card for your fill-up on {when} yet.",
            facts=_facts(when, vehicle, ""),
            paragraphs=(
                f"Add one by {until}, or the fill-up will be cancelled. Nothing was charged.",
            ),
            button=Button("Add your card", _view(booking, token).path),
            sms=f"{BRAND}: please add a card for your fill-up on {when} by {until}.{END}",
        )
    fewer = f" Or book only {alone}." if alone else ""
    is_there = bool(token or alone)
    return Content(
        subject="Your card was declined: please act to keep your fill-up",
        lead=f"Your bank declined the hold of {amount} for your fill-up on {when}.",
        facts=(*_facts(when, vehicle, ""), ("Reason", reason)),
        paragraphs=(
            f"Choose another card by {until}, or the fill-up will be cancelled.{fewer} "
            "Nothing was charged.",
        ),
        button=_view(booking, token) if is_there else Button("Choose another card", routes.BILLING),
        sms=f"{BRAND}: your card was declined for {when}. "
        f"Choose another{' or fewer cars' if alone else ''} by {until}: "
        f"{SITE}{routes.booking(booking) if alone else routes.BILLING}{END}",
    )


def day_before(*, booking: str, when: str, vehicle: str, place: str, token: str = "") -> Content:
    return Content(
        subject=f"Tomorrow: your fill-up, {when}",
        lead=f"We fill your {vehicle} on {when}.",
        facts=_facts(when, vehicle, place),
        paragraphs=("Please park where we can reach it, the fuel door unlocked.",),
        button=_view(booking, token),
        sms=f"{BRAND}: we fill your {vehicle} on {when}. Please unlock the fuel door.{END}",
    )


def hour_before(*, booking: str, when: str, vehicle: str, place: str, token: str = "") -> Content:
    return Content(
        subject=f"Soon: your fill-up, {when}",
        lead=f"Your technician comes soon: {when}.",
        facts=_facts(when, vehicle, place),
        paragraphs=("Please unlock the fuel door.",),
        button=_view(booking, token),
        sms=f"{BRAND}: we come soon ({when}) to your {vehicle}. Please unlock the fuel door.{END}",
    )


def repeat_missed(
    *, when: str, vehicle: str, repeats: str, reason: str, windows: str = ""
) -> Content:
    return Content(
        subject=f"Not booked: your repeat on {when}",
        lead=f"We could not book your repeat on {when}.",
        facts=facts(
            ("Why", reason),
            ("Vehicle", vehicle),
            ("Repeats", repeats),
            ("Nearest open windows", windows),
        ),
        paragraphs=("Nothing is booked for that day. The repeat goes on with its next date.",),
        button=Button("Book another time", routes.SCHEDULE),
        sms=f"{BRAND}: your repeat on {when} was not booked. Book another time: "
        f"{SITE}{routes.SCHEDULE}{END}",
    )


def repeat_ended(*, repeats: str, reason: str) -> Content:
    return Content(
        subject="Your repeat has ended",
        lead=f"Your repeat has ended: {reason}.",
        facts=(("Repeats", repeats),),
        paragraphs=("What is booked stays booked. No further visits are booked by themselves.",),
        button=Button("View your dashboard", routes.DASHBOARD),
        sms=f"{BRAND}: your repeat has ended: {reason}.{END}",
    )


def due_seat(
    *, vehicle: str, due: str, when: str, place: str, price: str, until: str, answer: str
) -> Content:
    """Return that a seat is held for a car that is due, with Confirm and Skip."""
    confirm = Button("Confirm this fill-up", f"{routes.DUE_CONFIRM}?t={answer}")
    return Content(
        subject=f"Please confirm: a fill-up for your {vehicle} on {when}",
        lead=f"Your {vehicle} is due around {due}. We hold a seat for it on {when}.",
        facts=(*_facts(when, vehicle, place), *_prices(price)),
        paragraphs=(
            f"Confirm or skip until {until}. Without an answer the seat goes back, and nothing is "
            "booked.",
        ),
        button=confirm,
        links=(Button("Skip this time", f"{routes.DUE_SKIP}?t={answer}"),),
        closing="Filled it elsewhere? Tell us on your dashboard, and we count from there.",
        sms=f"{BRAND}: we hold a seat for your {vehicle} on {when}. Confirm or skip until {until}: "
        f"{SITE}{confirm.path}{END}",
    )


def due_seat_returned(*, vehicle: str, when: str, reason: str) -> Content:
    return Content(
        subject=f"Not booked: the seat on {when} goes back",
        lead=f"The seat that we held for your {vehicle} on {when} goes back: {reason}.",
        paragraphs=("Nothing was booked by it or charged.",),
        button=Button("Book a fill-up", routes.SCHEDULE),
        sms=f"{BRAND}: the seat for your {vehicle} on {when} goes back: {reason}. "
        f"Book another time: {SITE}{routes.SCHEDULE}{END}",
    )


def fill_reminder(*, vehicle: str, due: str, next_free: str = "") -> Content:
    return Content(
        subject=f"Due around {due}: your {vehicle}",
        lead=f"Going by its last fills, your {vehicle} needs fuel around {due}.",
        facts=facts(("Next free window", next_free)),
        button=Button("Book a fill-up", routes.SCHEDULE),
        closing="Filled it elsewhere? Tell us on your dashboard, and we count from there.",
        sms=f"{BRAND}: your {vehicle} needs fuel around {due}: {SITE}{routes.SCHEDULE}{END}",
    )


_FOLLOW = "Follow on the map"


def _follow(tracking: str) -> Button:
    return Button(_FOLLOW, routes.track(tracking))


def on_the_way(*, technician: str, arrives: str, vehicle: str, tracking: str) -> Content:
    follow = _follow(tracking)
    return Content(
        subject=f"On the way: arriving {arrives}",
        lead=f"{technician} is on the way and arrives {arrives}.",
        facts=(("Vehicle", vehicle),),
        button=follow,
        closing="Please unlock the fuel door.",
        sms=f"{BRAND}: {technician} is on the way, arriving {arrives}. "
        f"{_FOLLOW}: {SITE}{follow.path}",
    )


def arrival_moved(
    *,
    arrives: str,
    vehicle: str,
    place: str,
    tracking: str,
    unreached: str = "",
) -> Content:
    """Say when the technician arrives; for a day with `unreached`, that it may not come to it."""
    follow = _follow(tracking)
    if unreached:
        lead = (
            f"Our technician may not reach you {unreached} before the shift ends. We will call you."
        )
        return Content(
            subject=f"We may not reach you {unreached}",
            lead=lead,
            facts=_facts("", vehicle, place),
            button=follow,
            sms=f"{BRAND}: {lead[0].lower()}{lead[1:]} {_FOLLOW}: {SITE}{follow.path}",
        )
    return Content(
        subject=f"Your fill-up is now expected {arrives}",
        lead=f"Your fill-up is now expected {arrives}.",
        facts=_facts("", vehicle, place),
        button=follow,
        sms=f"{BRAND}: your fill-up is now expected {arrives}. {_FOLLOW}: {SITE}{follow.path}",
    )


def arrived(*, booking: str, technician: str, vehicle: str, place: str, token: str = "") -> Content:
    return Content(
        subject=f"{technician} has arrived",
        lead=f"{technician} has arrived and is about to fill your {vehicle}.",
        facts=_facts("", vehicle, place),
        button=_view(booking, token),
        sms=f"{BRAND}: {technician} has arrived to fill your {vehicle}.",
    )


def completed(
    *,
    vehicle: str,
    gallons: str,
    price: str,
    total: str,
    invoice: str,
    notice: str = "",
    others: str = "",
    missed: str = "",
    token: str = "",
) -> Content:
    """Return a fill's receipt; the PDF of the invoice comes with its mail.

    Args:
        notice: What the law wants on it, such as that diesel is not dyed.
        others: Gallons and price of each car, in lines, where a visit has filled several.
        missed: Which cars could not be filled, and why.
    """
    address = routes.manage_receipt(token) if token else routes.receipt(invoice)
    done = f"your {vehicle} {'are' if others else 'is'} filled"
    return Content(
        subject=f"Done: {done} ({total})",
        lead=f"{done[0].upper()}{done[1:]}. You paid {total}.",
        facts=(
            ("Vehicles" if others else "Vehicle", vehicle),
            ("Fuel", f"{gallons} gallons" if others else f"{gallons} gallons at {price}"),
            ("Total", total),
        ),
        paragraphs=tuple(filter(None, (missed, *others.splitlines(), notice))),
        button=Button("See the receipt", address),
        closing="Something wrong? Answer this mail.",
        sms=f"{BRAND}: {done}, {gallons} gal, {total}. Thank you!",
    )


def fill_failed(
    *, when: str, vehicle: str, reason: str, charge: str, what_to_do: str, token: str = ""
) -> Content:
    again = _again(token)
    fee = "" if charge == NO_CHARGE else f" Charge: {charge}."
    return Content(
        subject="We could not fill your car",
        lead=f"We could not fill your {vehicle}: {reason}",
        facts=(("When", when), ("Charge", charge)),
        paragraphs=(what_to_do,),
        button=again,
        sms=f"{BRAND}: we could not fill your {vehicle}: {reason}{fee} {what_to_do} "
        f"{SITE}{again.path}",
    )


def weather_hold(
    *, booking: str, when: str, vehicle: str, reason: str, what_next: str, token: str = ""
) -> Content:
    return Content(
        subject=f"Weather: your fill-up on {when} has to wait",
        lead=f"We have to wait for the weather: {reason}",
        facts=_facts(when, vehicle, ""),
        paragraphs=(what_next, "Fueling in lightning or a storm is not safe."),
        button=_view(booking, token),
        sms=f"{BRAND}: your fill-up on {when} waits for the weather. {what_next} "
        f"{SITE}{routes.booking(booking)}",
    )


def cannot_come(
    *, booking: str, when: str, vehicle: str, what_next: str, token: str = ""
) -> Content:
    return Content(
        subject=f"We cannot come: your fill-up on {when}",
        lead=f"We are sorry: our truck has broken down, and we cannot come on {when}.",
        facts=_facts("", vehicle, ""),
        paragraphs=(what_next,),
        button=_view(booking, token),
        sms=f"{BRAND}: we are sorry, we cannot come on {when}: our truck broke down. {what_next} "
        f"{SITE}{routes.booking(booking)}",
    )


def window_closed(
    *,
    booking: str,
    when: str,
    vehicle: str,
    reason: str,
    what_next: str,
    windows: str = "",
    token: str = "",
) -> Content:
    """Return that nobody comes in a window; `windows` names the next free ones."""
    choose = Button("Choose another time", _view(booking, token).path)
    return Content(
        subject=f"Choose another time for {when}",
        lead=f"We are sorry: we cannot come on {when}. {reason}",
        facts=facts(("Vehicle", vehicle), ("Next free windows", windows)),
        paragraphs=(what_next,),
        button=choose,
        sms=f"{BRAND}: we cannot come on {when}: {shorten(reason, _SMS_REASON, placeholder='...')} "
        f"{what_next} {SITE}{choose.path}",
    )


def on_again(
    *, booking: str, when: str, vehicle: str, place: str, unplaced: str = "", token: str = ""
) -> Content:
    """Return that a booking need not wait any more; `unplaced` if no technician has it yet."""
    if unplaced:
        news = f"it is booked for {when} again."
        subject = f"Booked again: your fill-up on {when}"
        next_step = "No technician is assigned to it yet: we are planning it."
        text = f"{news} {next_step}"
    else:
        news = f"we come as booked, {when}."
        subject = f"We come as booked: your fill-up on {when}"
        next_step = "Please leave the fuel door unlocked."
        text = news
    return Content(
        subject=subject,
        lead=f"Your fill-up need not wait any more: {news}",
        facts=_facts("", vehicle, place),
        paragraphs=(next_step,),
        button=_view(booking, token),
        sms=f"{BRAND}: your fill-up need not wait any more: {text}",
    )


def proposal_sent(*, number: str, company: str, until: str, token: str) -> Content:
    return Content(
        subject=f"Our proposal for {company}",
        lead=f"Here is our proposal {number} for fueling {company}'s vehicles.",
        facts=(("Proposal", number), ("Valid until", until)),
        paragraphs=(
            "Read it, accept it or decline it with the button below. The link is yours alone: "
            "accepting takes a code that we send to this address.",
        ),
        button=Button("Read the proposal", routes.proposal_view(token)),
        closing="Questions? Answer this mail, or call us.",
    )


def proposal_accepted(*, number: str, company: str, name: str, title: str, at: str) -> Content:
    """Return what both sides get, with the signed proposal."""
    return Content(
        subject=f"{company} has accepted proposal {number}",
        lead=f"{name}, {title}, has accepted proposal {number} for {company}.",
        facts=(("Proposal", number), ("Signed by", f"{name}, {title}"), ("When", at)),
        paragraphs=(
            "The proposal with its page of evidence is attached: please keep it. An invitation to "
            "the company's account goes to the contact's address.",
        ),
        closing="Something wrong? Answer this mail.",
    )


def proposal_declined(
    *, number: str, company: str, name: str, proposal_page: str, reason: str = ""
) -> Content:
    """Return what the staff member who has sent it gets."""
    return Content(
        subject=f"{company} has declined proposal {number}",
        lead=f"{name} has declined proposal {number} for {company}.",
        facts=facts(("Why", reason)),
        button=Button("Open the proposal", routes.proposal(proposal_page)),
    )


def route_changed(*, route: str) -> Content:
    """Return what has changed on a technician's route, without names and addresses."""
    return Content(
        subject="Your route",
        lead=route,
        button=Button("Open your route", routes.DRIVE),
        push=route,
    )


def new_quote(
    *,
    quote: str,
    type: str,
    company: str,
    contact: str,
    email: str,
    phone: str,
    size: str,
    place: str,
    due: str,
) -> Content:
    """Return to staff that a company asks for a quote."""
    return Content(
        subject=f"New {type} quote: {company}",
        lead=f"{company} asks for a {type} quote: {size}.",
        facts=(
            ("Answer due by", due),
            ("Contact", contact),
            ("Phone", phone_shown(phone)),
            ("E-mail", email),
            ("Where", place),
        ),
        button=Button("Open the quote", routes.lead(quote)),
        closing="We promise an answer within one business day: log the call or the mail there.",
    )


CONTENTS: Mapping[str, Callable[..., Content]] = {
    name: getattr(security_contents, name, None) or globals()[name]
    for name in (*KINDS, "account_exists")
}


def content_of(kind: str, values: Mapping[str, Any]) -> Content:
    """Return a message's content; values that its text does not need are ignored.

    Raises:
        MissingValue: If one that it needs is missing or empty.
        UnknownKind
    """
    if kind not in CONTENTS:
        raise UnknownKind(kind)
    for name, is_needed in values_of(kind).items():
        if is_needed and values.get(name) in (None, ""):
            raise MissingValue(f"{kind}: {name}")
    words = {name: str(values[name]) for name in values_of(kind) if values.get(name) is not None}
    content = CONTENTS[kind](**words)
    # One dash that SMS's own alphabet lacks would halve what a segment holds.
    return replace(content, sms=content.sms.replace("–", "-"))  # noqa: RUF001


def values_of(kind: str) -> dict[str, bool]:
    """Return the values that a text takes, and whether it needs each."""
    parameters = inspect.signature(CONTENTS[kind]).parameters.values()
    return {each.name: each.default is inspect.Parameter.empty for each in parameters}
