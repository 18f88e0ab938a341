"""Service area check of a ZIP, and the policies of the terms."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.places import city_served
from fuel_app.areas.service import company
from fuel_app.joining.state import WaitlistState, ZipForm
from fuel_app.kit.errors import InvalidForm, attempt
from fuel_app.kit.money import Money
from fuel_app.kit.ui.fields import focus_field
from fuel_app.marketing import service
from fuel_app.waitlist.service import FREE_FILL_CAP

ANSWER = "service-area-answer"  # element id


class ServiceAreaState(rx.State):
    """The ZIP that a visitor asked about, and the answer."""

    zip_code: str = ""
    city: str = ""  # empty: outside
    is_open: bool = False  # the company
    is_served: bool = False  # in an open area
    error: str = ""

    @rx.event
    async def check(self, form: dict[str, Any]):
        """Answer for the ZIP, or say what is wrong with it."""
        self.zip_code, self.city, self.error = "", "", ""
        try:
            zip_code = ZipForm.parse(form).zip_code
        except InvalidForm as error:
            self.error = error.messages["zip_code"]
            yield focus_field("service-area", "zip_code")
            return
        # Where it cannot be looked up, the answer is the waitlist.
        is_open, _ = await attempt(company.is_open(), "service_area.check_failed")
        is_served, _ = await attempt(company.serves(zip_code), "service_area.check_failed")
        self.is_open, self.is_served = is_open is True, is_served is True
        self.zip_code, self.city = zip_code, city_served(zip_code) or ""
        yield  # it is there when the focus goes to it,
        yield rx.set_focus(ANSWER)  # as on a phone it may be below the screen's edge

    @rx.event
    async def start(self):
        """Lead to the sign-up with the ZIP filled in."""
        return (await self.get_state(WaitlistState))._start(self.zip_code)

    @rx.event
    async def wait(self):
        """Open the waitlist's form with the ZIP filled in."""
        await (await self.get_state(WaitlistState))._wait_for(self.zip_code, "")


class OpeningState(rx.State):
    """The opening of the company, from which on the header leads to accounts, and the cap that
    stands beside every promise of a free first fill."""

    is_open: bool = False
    free_fill_cap: str = Money(FREE_FILL_CAP.default).short

    @rx.event
    async def arrive(self):
        """Ask whether we have opened; a failing database leaves the page as it is."""
        is_open, _ = await attempt(company.is_open(), "opening.check_failed")
        terms, _ = await attempt(service.terms(), "opening.check_failed")
        if is_open is not None:
            self.is_open = is_open
        if terms:
            self.free_fill_cap = terms.free_fill_cap.short


class TermsState(rx.State):
    """The amounts in the terms; empty ones leave sentences that stand without."""

    late_fee: str = ""
    free_fill_cap: str = ""

    @rx.event
    async def arrive(self):
        """Show the amounts that staff have set."""
        terms, _ = await attempt(service.terms(), "terms.figures_failed")
        if terms:
            self.late_fee, self.free_fill_cap = str(terms.late_fee), str(terms.free_fill_cap)
