"""Messages about an account's security, a plan and its payments, neighborhoods and the waitlist."""

from fuel_app import routes
from fuel_app.messages.rules.content.parts import BRAND, END, HOST, SITE, Button, Content, facts

_NOT_YOU = "If this was not you, change your password now and sign out everywhere."
_IGNORE = "If you did not ask for this, ignore this message: nothing has changed."
_REVIEW = Button("Review your security", routes.SECURITY)


def verify(*, code: str) -> Content:
    lead = "Enter this code to verify your e-mail."
    return _mailed(code, f"Your {BRAND} verification code", lead)


def account_exists() -> Content:
    return Content(
        subject=f"You already have a {BRAND} account",
        lead="You already have an account with this e-mail.",
        paragraphs=(
            "Somebody, perhaps you, has just entered it on our site. Sign in as usual; if you "
            "do not remember the password, choose 'Forgot password' there. If neither works, the "
            "account may be closed: write to us.",
        ),
        button=Button("Sign in", routes.SIGN_IN),
        closing=_IGNORE,
    )


def password_reset(*, token: str) -> Content:
    return Content(
        subject=f"Reset your {BRAND} password",
        lead="Choose a new password with the button below.",
        paragraphs=("The link works for 30 minutes, once.",),
        button=Button("Choose a new password", f"{routes.RESET_PASSWORD}/{token}"),
        closing=_IGNORE,
    )


def password_changed(*, at: str, factors: str = "") -> Content:
    stay = f"What else protects it is as before: {factors}. Remove what is not yours."
    return Content(
        subject=f"Your {BRAND} password was changed",
        lead="Your password was changed, and all other devices were signed out.",
        facts=(("When", at),),
        paragraphs=(stay,) if factors else (),
        button=_REVIEW,
        closing="If this was not you, choose 'Forgot password?' where you sign in, at once.",
    )


def email_code(*, code: str) -> Content:
    lead = "Enter this code to make this your e-mail."
    return _mailed(code, f"Confirm your new e-mail for {BRAND}", lead)


def _mailed(code: str, subject: str, lead: str) -> Content:
    once = "It works for 10 minutes, once. We never ask for it by phone."
    return Content(subject, lead, (once,), code=code, closing=_IGNORE)


def email_changed(*, token: str, at: str) -> Content:
    return Content(
        subject=f"The e-mail of your {BRAND} account was changed",
        lead="Your account now has another e-mail. For 7 days you can undo this.",
        facts=(("When", at),),
        button=Button("Undo the change", f"{routes.UNDO_EMAIL}/{token}"),
        closing="If this was you, there is nothing to do.",
    )


def new_sign_in(*, device: str, at: str, network: str = "") -> Content:
    return Content(
        subject=f"New sign-in to your {BRAND} account",
        lead="Your account was signed in to from a new device.",
        facts=facts(("Device", device), ("Network", network), ("When", at)),
        button=_REVIEW,
        closing=_NOT_YOU,
    )


def failed_sign_ins(*, at: str, network: str = "") -> Content:
    return Content(
        subject=f"Failed sign-ins to your {BRAND} account",
        lead="Somebody tried to sign in to your account and did not get in.",
        facts=facts(("Network", network), ("When", at)),
        paragraphs=("We slow such attempts down. A second factor makes them hopeless.",),
        button=_REVIEW,
        closing="If this was you, there is nothing to do.",
    )


def security_changed(*, what: str, at: str) -> Content:
    return Content(
        subject=f"The security of your {BRAND} account was changed",
        lead="How you sign in to your account was changed.",
        facts=(("Change", what), ("When", at)),
        button=_REVIEW,
        closing=_NOT_YOU,
    )


def invitation(*, token: str, by: str) -> Content:
    return Content(
        subject=f"Your invitation to the {BRAND} team",
        lead=f"{by} invites you to work with {BRAND}.",
        paragraphs=("Accept it with the button below. The link works for 7 days, once.",),
        button=Button("Accept the invitation", f"{routes.INVITATION}/{token}"),
        closing="If you do not know why you get this, ignore it.",
    )


def sms_code(*, code: str) -> Content:
    return _texted(code, "sign in")


def phone_code(*, code: str) -> Content:
    return _texted(code, "verify your phone")


def _texted(code: str, purpose: str) -> Content:
    """Return a code by text message; the last line lets browsers fill it in."""
    lead = f"{code} is your {BRAND} code to {purpose}."
    return Content(
        subject=f"Your {BRAND} code",
        lead=lead,
        sms=f"{lead} It works for 10 minutes. Do not share it.\n@{HOST} #{code}",
    )


def account_deleted(*, at: str) -> Content:
    return Content(
        subject=f"Your {BRAND} account is closed",
        lead=f"Your account is closed, as you asked. Your personal data will be deleted on {at}.",
        paragraphs=("Invoices are kept as long as the law asks for, without the rest.",),
        closing="If this was not you, or you change your mind: call or write to us before then, "
        "and we restore it.",
    )


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
