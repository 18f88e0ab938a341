"""Messages about a booked fill, from its confirmation to its receipt.

A guest's have a `token` instead of a sign-in. Texts of several lines ('Fuel, about 12 gallons:
$41.40') become a line each; `late_fee` is such as '$15.00', or empty where there is none;
`free_until` is empty once it is past.
"""

from fuel_app import routes
from fuel_app.messages.rules.content.parts import BRAND, END, SITE, Button, Content, Facts, facts

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
    token: str = "",
) -> Content:
    return Content(
        subject=f"Booked: your fill-up on {when}",
        lead=f"Your fill-up is booked for {when}.",
        facts=(*_facts(when, vehicle, place), *_prices(price)),
        paragraphs=(
            "Please leave the fuel door unlocked. You need not be there.",
            *((held,) if held else ()),
            _late(free_until, late_fee),
        ),
        button=_view(booking, token),
        closing="You pay for what was pumped, at the lower of today's price and that day's.",
        sms=f"{BRAND}: booked for {when}, {vehicle}.{END}",
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


def booking_cancelled(
    *, when: str, vehicle: str, charge: str, reason: str = "", token: str = ""
) -> Content:
    return Content(
        subject=f"Cancelled: your fill-up on {when}",
        lead=f"Your fill-up on {when} is cancelled.",
        facts=(*_facts(when, vehicle, ""), ("Charge", charge)),
        paragraphs=(reason,) if reason else (),
        button=_again(token),
        sms=f"{BRAND}: your fill-up on {when} is cancelled. Charge: {charge}.{END}",
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
    token: str = "",
) -> Content:
    """Return that a card was declined; a guest chooses another one on the booking's page.

    Where the bank wants the customer to `confirm` it, that is done there, too.
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
    return Content(
        subject="Your card was declined: please act to keep your fill-up",
        lead=f"Your bank declined the hold of {amount} for your fill-up on {when}.",
        facts=(*_facts(when, vehicle, ""), ("Reason", reason)),
        paragraphs=(
            f"Choose another card until {until}, or the fill-up will be cancelled. "
            "Nothing was charged.",
        ),
        button=_view(booking, token) if token else Button("Choose another card", routes.BILLING),
        sms=f"{BRAND}: your card was declined for {when}. Choose another until {until}: "
        f"{SITE}{routes.BILLING}{END}",
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


def _follow(tracking: str) -> Button:
    return Button("Follow on the map", routes.track(tracking))


def on_the_way(*, technician: str, arrives: str, vehicle: str, tracking: str) -> Content:
    follow = _follow(tracking)
    return Content(
        subject=f"On the way: arriving {arrives}",
        lead=f"{technician} is on the way and arrives {arrives}.",
        facts=(("Vehicle", vehicle),),
        button=follow,
        closing="Please unlock the fuel door.",
        sms=f"{BRAND}: {technician} is on the way, arriving {arrives}. Follow: {SITE}{follow.path}",
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
            sms=f"{BRAND}: {lead[0].lower()}{lead[1:]} Follow: {SITE}{follow.path}",
        )
    return Content(
        subject=f"Your fill-up is now expected {arrives}",
        lead=f"Your fill-up is now expected {arrives}.",
        facts=_facts("", vehicle, place),
        button=follow,
        sms=f"{BRAND}: your fill-up is now expected {arrives}. Follow: {SITE}{follow.path}",
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
    token: str = "",
) -> Content:
    """Return a fill's receipt; the PDF of the invoice comes with its mail.

    Args:
        notice: What the law wants on it, such as that diesel is not dyed.
    """
    address = routes.manage_receipt(token) if token else routes.receipt(invoice)
    return Content(
        subject=f"Done: your {vehicle} is filled ({total})",
        lead=f"Your {vehicle} is filled. You paid {total}.",
        facts=(
            ("Vehicle", vehicle),
            ("Fuel", f"{gallons} gallons at {price}"),
            ("Total", total),
        ),
        paragraphs=(notice,) if notice else (),
        button=Button("See the receipt", address),
        closing="Something wrong? Answer this mail.",
        sms=f"{BRAND}: your {vehicle} is filled, {gallons} gal, {total}. Thank you!",
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
