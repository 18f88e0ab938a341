"""Messages about a plan and its payments."""

from fuel_app import routes
from fuel_app.messages.rules.content.parts import BRAND, END, SITE, Button, Content


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


def plan_changed(*, plan: str, amount: str, since: str, what: str) -> Content:
    return Content(
        subject=f"Your plan: {what}",
        lead=f"{what}. It holds from {since} on.",
        facts=(("Plan", plan), ("Amount", amount), ("From", since)),
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
