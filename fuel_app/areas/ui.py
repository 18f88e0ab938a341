"""The prices of every area with the dialog that sets one, and the location field.

The location field is an ARIA combobox with list autocomplete; typed text counts as it is.
"""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.forms import BaseInput

from fuel_app.areas.rules.prices import CHARTED, SOURCE_MAX, GradeLine
from fuel_app.areas.state import LocationSearch, PriceFormState, PricesState
from fuel_app.kit.ui.button import line_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.fields import CONTROL, described, field_id, framed
from fuel_app.kit.ui.forms import field_of, form_dialog
from fuel_app.kit.ui.script import Script
from fuel_app.kit.ui.stacked_table import Column, stacked_table

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


_NOTE = "block text-sm text-muted"


def fuel_prices() -> rx.Component:
    """Render the prices."""
    return rx.fragment(
        panel(
            "Prices",
            alert(rx.cond(PricesState.failed, "The prices cannot be read just now.", "")),
            rx.cond(
                PricesState.has_key | PricesState.loading,
                rx.fragment(),
                rx.el.p(
                    "With FUEL_EIA_API_KEY set, the EIA's weekly prices are proposed here.",
                    class_name=f"mt-1 {TEXT}",
                ),
            ),
            stacked_table(
                PricesState.grades,
                (
                    Column("Grade", lambda line: rx.el.strong(line.name)),
                    Column("Price", _price),
                    Column(f"Last {CHARTED.days} days", _chart),
                    Column("EIA proposes", _proposal),
                    Column("Change", lambda line: _set("Set price", line, proposed=False)),
                ),
                caption="Prices",
                loading=PricesState.loading,
                empty_text=rx.cond(
                    PricesState.failed, "", "Prices are set per area. Make an area first."
                ),
            ),
            lead="Per gallon, all motor-fuel taxes included. Customers see a price with its age "
            "and source; a grade without a current price cannot be booked.",
        ),
        _dialog(),
    )


def _set(text: str, line: rx.Var[GradeLine], *, proposed: bool) -> rx.Component:
    event = PriceFormState.begin(line.area_id, line.grade, proposed)
    return line_button(text, line.name, class_name="sm:-ml-3 max-sm:-mr-3", on_click=event)


def _price(line: rx.Var[GradeLine]) -> rx.Component:
    return rx.fragment(
        rx.cond(line.price != "", rx.el.strong(line.price)),
        rx.cond(line.problem != "", rx.el.span(badge(line.problem, "yellow"), class_name="block")),
        rx.foreach(line.notes, lambda note: rx.el.span(note, class_name=_NOTE)),
    )


def _chart(line: rx.Var[GradeLine]) -> rx.Component:
    """Return the chart, which unfolds to its prices."""
    return rx.cond(
        line.path != "",
        rx.el.details(
            rx.el.summary(
                rx.el.span("Prices of ", line.name, class_name="sr-only"),
                rx.el.svg(
                    rx.el.svg.path(
                        d=line.path,
                        class_name="fill-none stroke-gulf stroke-2",
                        custom_attrs={"vectorEffect": "non-scaling-stroke"},
                    ),
                    view_box="0 0 100 32",
                    custom_attrs={"preserveAspectRatio": "none"},
                    aria_hidden=True,
                    class_name="h-10 w-32",
                ),
                rx.icon(
                    "chevron-down",
                    size=16,
                    aria_hidden=True,
                    class_name="shrink-0 text-muted transition-transform group-open:rotate-180",
                ),
                class_name="flex min-h-11 cursor-pointer list-none items-center gap-2 "
                "max-sm:justify-end [&::-webkit-details-marker]:hidden",
            ),
            rx.foreach(line.trend, lambda each: rx.el.span(each, class_name=_NOTE)),
            class_name="group",
        ),
        _nothing(),
    )


def _proposal(line: rx.Var[GradeLine]) -> rx.Component:
    return rx.cond(
        line.proposal != "",
        rx.fragment(
            line.proposal,
            rx.el.span(line.proposal_source, class_name=_NOTE),
            _set("Use", line, proposed=True),
        ),
        _nothing(),
    )


def _nothing() -> rx.Component:
    return rx.el.span("–", class_name="text-muted")  # noqa: RUF001


def _dialog() -> rx.Component:
    form = PriceFormState
    return form_dialog(
        form,
        rx.el.div(
            _field(
                "Price per gallon",
                "price",
                hint="In dollars, such as 3.459",
                input_mode="decimal",
                auto_complete="off",
                max_length=20,
            ),
            _field(
                "Our cost per gallon",
                "cost",
                optional=True,
                hint="For the margin; customers do not see it. Empty: as before.",
                input_mode="decimal",
                auto_complete="off",
                max_length=20,
            ),
            _field(
                "Source",
                "source",
                hint="Customers see it, such as 'Our supplier' or 'EIA, Florida'",
                auto_complete="off",
                max_length=SOURCE_MAX + 1,
            ),
            _field(
                "In effect from",
                "effective",
                type="datetime-local",
                optional=True,
                hint="New York time. Empty: at once.",
            ),
            class_name="flex flex-col gap-4",
        ),
        leave="Cancel",
        send=rx.cond(form.question != "", "Yes, set this price", "Set price"),
        title=form.line.name,
        description=rx.cond(form.line.price != "", f"Now {form.line.price}", "No price yet"),
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    return field_of(PriceFormState, label, name, default_value=PriceFormState.values[name], **props)
