"""State of the address form: what is typed, its messages, and the pin on the map."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app.customers.rules.places import NEW_PLACE, PlaceForm
from fuel_app.customers.state.customer import for_customers
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ui.fields import focus_field
from fuel_app.settings import settings


class PlaceFields(rx.State, mixin=True):
    """Typed text and messages; survives closing and reloading."""

    place: dict[str, str] = NEW_PLACE
    place_errors: dict[str, str] = PlaceForm.blank()

    _place_form: ClassVar[str]  # the form's id, for focus

    @rx.var
    def tile_url(self) -> str:
        """Return the address of the map's tiles."""
        return settings.tile_url

    @for_customers
    async def edit_place(self, form: dict[str, Any]):
        """Keep what is typed."""
        self._keep_place(form)

    def _keep_place(self, form: object) -> None:
        """Keep what is typed; what was refused stays so until it is changed."""
        before, self.place = self.place, PlaceForm.typed(form)
        if self.place != before:
            self.place_errors = PlaceForm.recheck(self.place_errors, self.place)

    def _refuse_place(self, error: InvalidForm) -> None:
        self.place_errors = PlaceForm.blank() | error.messages

    def _point_at_place(self) -> Any:
        """Return an event that focuses the first invalid field."""
        first = next(field for field, message in self.place_errors.items() if message)
        return focus_field(self._place_form, first)
