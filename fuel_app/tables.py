"""Every table: importing this module completes `metadata`.

Ids are UUIDs as text, times are UTC, e-mail and phone are stored normalised. Constraints are in the
database, not only in forms.
"""

from fuel_app.accounts import tables as accounts  # noqa: F401
from fuel_app.announcements import tables as announcements  # noqa: F401
from fuel_app.areas import tables as areas  # noqa: F401
from fuel_app.billing import tables as billing  # noqa: F401
from fuel_app.bookings import tables as bookings  # noqa: F401
from fuel_app.companies import tables as companies  # noqa: F401
from fuel_app.customers import tables as customers  # noqa: F401
from fuel_app.dispatch import tables as dispatch  # noqa: F401
from fuel_app.forecasts import tables as forecasts  # noqa: F401
from fuel_app.kit import (
    outbox,  # noqa: F401
)
from fuel_app.kit.db.tables import has_no_model, metadata
from fuel_app.kit.jobs import tables as jobs  # noqa: F401
from fuel_app.launch import tables as launch  # noqa: F401
from fuel_app.leads import tables as leads  # noqa: F401
from fuel_app.messages import tables as messages  # noqa: F401
from fuel_app.neighborhoods import tables as neighborhoods  # noqa: F401
from fuel_app.plans import tables as plans  # noqa: F401
from fuel_app.proposals import tables as proposals  # noqa: F401
from fuel_app.quotes import tables as quotes  # noqa: F401
from fuel_app.repeats import tables as repeats  # noqa: F401
from fuel_app.submissions import tables as submissions  # noqa: F401
from fuel_app.waitlist import tables as waitlist  # noqa: F401

__all__ = ["has_no_model", "metadata"]
