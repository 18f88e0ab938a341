"""What the demo prints: where to sign in, and as whom."""

from demo import VISITOR
from demo.company import PASSWORD, RECOVERY_CODES, SEED, email_of
from fuel_app import routes
from fuel_app.accounts.rules.security import group_seed
from fuel_app.settings import settings

_PLACES = (
    ("Customer", VISITOR, routes.DASHBOARD),
    ("Technician", email_of("technician"), routes.DRIVE),
    ("Dispatcher", email_of("dispatcher"), routes.DISPATCH),
    ("Admin", email_of("admin"), routes.DASHBOARD),
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
