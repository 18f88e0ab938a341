"""The location field: an ARIA combobox with list autocomplete. Typed text counts as it is."""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.forms import BaseInput

from fuel_app.areas.state.places import LocationSearch
from fuel_app.kit.ui.fields import CONTROL, described, field_id, framed
from fuel_app.kit.ui.script import Script

_LIST = (
    "absolute inset-x-0 top-full z-10 mt-1 max-h-60 overflow-y-auto rounded-control border "
    "border-line bg-surface p-1 shadow-soft"
)
_OPTION = (
    "flex min-h-11 cursor-pointer items-center rounded-lg px-3 py-2 text-base text-ink "
    "hover:bg-sand aria-selected:bg-seafoam aria-selected:text-gulf-deep"
)


class _LocationInput(Script, BaseInput):
    tag = "LocationInput"
    FILE = "places.js"
    _is_tag_in_global_scope = False

    suggestions: rx.Var[list[str]]
    asked: rx.Var[str]
    list_class: rx.Var[str]
    option_class: rx.Var[str]
    on_ask: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_pick: rx.EventHandler[rx.event.no_args_event_spec]


def location_field(
    label: str, name: str, *, form: str, error: Any = "", default_value: Any = ""
) -> rx.Component:
    """Render the field. Picking a suggestion fires the form's events as typing does."""
    control_id = field_id(form, name)
    hint = rx.cond(
        LocationSearch.ready,
        "An address, a city or a ZIP code in the US",
        "Loading location search...",
    )
    control = _LocationInput.create(
        id=control_id,
        name=name,
        default_value=default_value,
        suggestions=LocationSearch.suggestions,
        asked=LocationSearch.asked,
        on_ask=LocationSearch.suggest.debounce(200),
        on_pick=LocationSearch.pick,
        list_class=_LIST,
        option_class=_OPTION,
        aria_describedby=described(control_id, hint),
        aria_invalid=rx.cond(error != "", "true", "false"),
        aria_required=True,
        class_name=CONTROL,
    )
    return rx.el.div(
        framed(control, control_id, label, error, hint, optional=False),
        on_mount=LocationSearch.prepare,
    )
