"""Each field of a form stands on its screens, by the id to which focus is sent."""

from collections.abc import Callable
from functools import partial

import pytest
import reflex as rx

from fuel_app.accounts.pages import forgot_password, reset_password, sign_in
from fuel_app.accounts.rules.security import ForgotPassword, NewPassword, SignIn
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.rules.hours import DayForm
from fuel_app.customers.pages import sign_up
from fuel_app.customers.rules.customers import Personal
from fuel_app.customers.rules.locations import LocationForm
from fuel_app.customers.rules.sign_up import Address, Contact, NewAccount, Signup
from fuel_app.customers.rules.vehicles import OneTimeVehicle, OwnVehicle, Vehicle
from fuel_app.joining.state import ZipForm
from fuel_app.joining.ui import waitlist_modal
from fuel_app.kit.forms import Form
from fuel_app.marketing.ui import service_area_check
from fuel_app.membership.ui import account
from fuel_app.neighborhoods.rules import NeighborhoodForm
from fuel_app.office.pages import settings_areas
from fuel_app.preview import pages as preview
from fuel_app.quotes.rules import BusinessQuote, FleetQuote
from fuel_app.quotes.ui import business_quote_modal, fleet_quote_modal
from fuel_app.waitlist.rules import WaitlistEntry

modal = partial(waitlist_modal, "")


@pytest.mark.parametrize(
    ("screen", "form_id", "form"),
    [
        (modal, "waitlist", WaitlistEntry),
        (modal, "neighborhood", NeighborhoodForm),
        (service_area_check, "service-area", ZipForm),
        (fleet_quote_modal, "fleet-quote", FleetQuote),
        (business_quote_modal, "business-quote", BusinessQuote),
        (sign_in, "sign-in", SignIn),
        (forgot_password, "forgot-password", ForgotPassword),
        (reset_password, "reset-password", NewPassword),
        (sign_up, "contact", Signup),
        (sign_up, "contact", NewAccount),
        (account, "personal", Personal),
        (settings_areas, "area", AreaForm),
        (settings_areas, "hours", DayForm),
        (account, "vehicle", Vehicle),
        (account, "vehicle", OwnVehicle),
        (account, "place", LocationForm),
        (preview.guest_contact, "contact", Contact),
        (preview.own_vehicle, "schedule", Vehicle),
        (preview.own_location, "location", Address),
        (preview.guest_vehicle, "one-time", OneTimeVehicle),
    ],
)
def test_each_field_is_on_the_screen(
    screen: Callable[[], rx.Component], form_id: str, form: type[Form]
):
    shown = str(screen())
    assert [name for name in form.names() if f'id:"{form_id}-{name}"' not in shown] == []
