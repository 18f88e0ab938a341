"""Does the service reach a ZIP yet?"""

from typing import TypedDict

import reflex as rx

from fuel_app.areas.rules import city_served
from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm


class ServiceAreaForm(TypedDict):
    zip_code: str


class ServiceAreaState(rx.State):
    """The ZIP that a visitor asked about, and the answer."""

    zip_code: str = ""
    city: str = ""  # empty: outside
    error: str = ""

    @rx.event
    def check(self, form: ServiceAreaForm):
        """Answer for the ZIP, or say what is wrong with it."""
        self.zip_code, self.city, self.error = "", "", ""
        try:
            cleaned = contact.clean_form(form, {"zip_code": contact.zip_code})
        except InvalidForm as error:
            self.error = error.messages["zip_code"]
            return rx.set_focus("service-area-zip_code")
        self.zip_code = cleaned["zip_code"]
        self.city = city_served(self.zip_code) or ""
        return None
