"""Service area check of a ZIP, and the policies of the terms."""

from typing import Any

import reflex as rx
import structlog

from fuel_app.areas.rules.places import city_served
from fuel_app.areas.service import company
from fuel_app.joining.state import WaitlistState, ZipForm
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money
from fuel_app.kit.ui.fields import focus_field
from fuel_app.marketing import service
from fuel_app.waitlist.service import FREE_FILL_CAP

log = structlog.get_logger(__name__)

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
        try:
            is_open, is_served = await company.is_open(), await company.serves(zip_code)
        except Exception:
            log.exception("service_area.check_failed")
            is_open = is_served = False
        self.is_open, self.is_served = is_open, is_served
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
        try:
            self.is_open = await company.is_open()
            self.free_fill_cap = (await service.terms()).free_fill_cap.short
        except Exception:
            log.exception("opening.check_failed")


class TermsState(rx.State):
    """The amounts in the terms; empty ones leave sentences that stand without."""

    late_fee: str = ""
    free_fill_cap: str = ""

    @rx.event
    async def arrive(self):
        """Show the amounts that staff have set."""
        try:
            terms = await service.terms()
        except Exception:
            log.exception("terms.figures_failed")
            return
        self.late_fee, self.free_fill_cap = str(terms.late_fee), str(terms.free_fill_cap)
