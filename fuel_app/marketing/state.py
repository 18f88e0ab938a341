"""Service area check of a ZIP."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.places import city_served
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form, ZipCode
from fuel_app.kit.ui.fields import focus_field


class ServiceAreaForm(Form):
    zip_code: ZipCode


class ServiceAreaState(rx.State):
    """The ZIP that a visitor asked about, and the answer."""

    zip_code: str = ""
    city: str = ""  # empty: outside
    error: str = ""

    @rx.event
    def check(self, form: dict[str, Any]):
        """Answer for the ZIP, or say what is wrong with it."""
        self.zip_code, self.city, self.error = "", "", ""
        try:
            self.zip_code = ServiceAreaForm.parse(form).zip_code
        except InvalidForm as error:
            self.error = error.messages["zip_code"]
            return focus_field("service-area", "zip_code")
        self.city = city_served(self.zip_code) or ""
        return None
