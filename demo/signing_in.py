"""What the demo prints: where to sign in, and as whom."""

from demo import VISITOR
from demo.company import PASSWORD, RECOVERY_CODES, SEED, email_of
from demo.fleets import NURSERY, PLUMBER, email_at
from fuel_app import routes
from fuel_app.accounts.rules.security import group_seed
from fuel_app.settings import settings

_PLACES = (
    ("Customer", VISITOR, routes.DASHBOARD),
    ("Technician", email_of("technician"), routes.DRIVE),
    ("Dispatcher", email_of("dispatcher"), routes.DISPATCH),
    ("Admin", email_of("admin"), routes.DASHBOARD),
    ("A plumber", email_at("owner", PLUMBER), routes.COMPANY),
    ("A nursery", email_at("owner", NURSERY), routes.COMPANY),
    ("  manager", email_at("manager", NURSERY), routes.COMPANY),
    ("  accounts", email_at("accountant", NURSERY), routes.COMPANY),
)


def sign_ins() -> str:
    """Return the sign-ins, one a line."""
    rows = [f"  {name:<11} {email:<33} {place}" for name, email, place in _PLACES]
    return "\n".join(
        (
            f"Sign in at {settings.public_url}{routes.SIGN_IN}; everybody's password is {PASSWORD}",
            *rows,
            f"  The admin's second step: one of these, each once: {', '.join(RECOVERY_CODES)};",
            f"  or the code of an authenticator app with the key {group_seed(SEED)}",
            "No mail is sent and no money moves: messages are under Settings, Messages.",
        )
    )
