"""The contents of messages about accounts: codes, links, and what has changed there."""

from fuel_app import routes
from fuel_app.messages.rules.parts import BRAND, HOST, Button, Content, facts

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


def proposal_code(*, code: str, company: str) -> Content:
    lead = f"Enter this code to accept our proposal for {company}."
    return _mailed(code, f"Your {BRAND} code to accept a proposal", lead)


def _mailed(code: str, subject: str, lead: str) -> Content:
    once = "It works for 10 minutes, once. We never ask for it by phone."
    return Content(subject, lead, (once,), code=code, closing=_IGNORE)


def callers_code(*, code: str) -> Content:
    """Return the code that a caller reads out to staff."""
    return Content(
        subject=f"Confirm your new e-mail for {BRAND}",
        lead="Are you on the phone with us? Read us this code to make this your e-mail.",
        paragraphs=("It works for 10 minutes, once.",),
        code=code,
        closing="If you have not called us, tell nobody this code: nothing has changed.",
    )


def email_changed(*, token: str, at: str, by_staff: str = "") -> Content:
    """Return that the e-mail is another one, to the former one; `by_staff` for a caller."""
    caller = (
        "Our staff have done it for somebody on the phone, who read them a code that we mailed to "
        "the new address.",
    )
    return Content(
        subject=f"The e-mail of your {BRAND} account was changed",
        lead="Your account now has another e-mail. For 7 days you can undo this.",
        facts=(("When", at),),
        paragraphs=caller if by_staff else (),
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


def company_invitation(*, token: str, company: str, role: str) -> Content:
    """Return the invitation to a company that we serve."""
    return Content(
        subject=f"Your invitation to {company} at {BRAND}",
        lead=f"You are invited to {company}, which {BRAND} serves.",
        facts=(("Your role", role),),
        paragraphs=("Accept it with the button below. The link works for 14 days, once.",),
        button=Button("Accept the invitation", f"{routes.COMPANY_INVITATION}/{token}"),
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
