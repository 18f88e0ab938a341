"""The prices of every area with the dialog that sets one, and the location field.

The location field is an ARIA combobox with list autocomplete; typed text counts as it is.
"""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.forms import BaseInput

from fuel_app.areas.rules.prices import CHARTED, COST, PRICE, SEEN, SOURCE_MAX, GradeLine
from fuel_app.areas.state import LocationSearch, PricesState, PriceTableState
from fuel_app.kit.ui.button import busy_button, button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.fields import CONTROL, described, error_text, field_id, framed
from fuel_app.kit.ui.forms import edition_of, field_of, live_form
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
            _table(),
            lead="Per gallon, all motor-fuel taxes included. Customers see a price with its age "
            "and source, never its cost; a grade without a current price cannot be booked. "
            "What is left empty stays as it is.",
        ),
    )


def _table() -> rx.Component:
    """Return today's prices with the column of new ones, and what they have in common."""
    table = PriceTableState
    return live_form(
        stacked_table(
            PricesState.grades,
            (
                Column("Grade", _grade),
                Column("Now", _price),
                Column("New price", lambda line: _new(line, PRICE, "New price")),
                Column("New cost", lambda line: _new(line, COST, "New cost")),
                Column(f"Last {CHARTED.days} days", _chart),
                Column("EIA proposes", _proposal),
            ),
            caption="Prices",
            loading=PricesState.loading,
            empty_text=rx.cond(
                PricesState.failed, "", "Prices are set per area. Make an area first."
            ),
        ),
        rx.cond(PricesState.grades.length() > 0, _terms()),
        edition_of(table),
        on_edit=table.edit,
        on_submit=table.submit,
    )


def _terms() -> rx.Component:
    table = PriceTableState
    return rx.fragment(
        rx.el.div(
            field_of(
                table,
                "Source",
                "source",
                default_value=table.values.get("source", PricesState.source),
                key=f"source {table.edition} {PricesState.source}",
                hint="Customers see it, such as 'Our supplier' or 'EIA, Florida'",
                auto_complete="off",
                max_length=SOURCE_MAX + 1,
            ),
            field_of(
                table,
                "In effect from",
                "effective",
                key=f"effective {table.edition}",
                type="datetime-local",
                optional=True,
                hint="New York time. Empty: at once.",
            ),
            class_name="mt-6 grid gap-4 sm:grid-cols-2",
        ),
        rx.el.div(alert(table.error), class_name="mt-4"),
        rx.el.div(rx.cond(table.jumps.length() > 0, _question()), role="alert"),
        rx.el.div(
            button("Begin with today's prices", kind="quiet", on_click=table.begin_with(False)),
            rx.cond(
                PricesState.has_proposals,
                button("Begin with the EIA's", kind="quiet", on_click=table.begin_with(True)),
            ),
            submit_button("Save prices", busy=table.busy, busy_text="Saving..."),
            class_name="mt-4 flex flex-wrap items-center justify-end gap-3",
        ),
    )


def _grade(line: rx.Var[GradeLine]) -> rx.Component:
    seen = rx.el.input(type="hidden", name=f"{SEEN}-{line.key}", value=line.revision)
    return rx.fragment(rx.el.strong(line.name), seen)


def _new(line: rx.Var[GradeLine], kind: str, label: str) -> rx.Component:
    """Return a field of the new column; Tab leads to the next one, Enter saves."""
    table, name = PriceTableState, f"{kind}-{line.key}"
    error = table.errors.get(name, "")
    field = field_id(table.FORM, name)
    return rx.fragment(
        rx.el.input(
            id=field,
            name=name,
            # Another area's line, or an emptied column, is another field.
            key=f"{name} {table.edition}",
            default_value=table.values.get(name, ""),
            aria_label=f"{label} of {line.name}",
            aria_describedby=f"{field}-error",
            aria_invalid=rx.cond(error != "", "true", "false"),
            input_mode="decimal",
            auto_complete="off",
            max_length=20,
            class_name=f"{CONTROL} w-28 text-right tabular-nums max-sm:ml-auto",
        ),
        error_text(f"{field}-error", error),
    )


def _price(line: rx.Var[GradeLine]) -> rx.Component:
    return rx.fragment(
        rx.cond(line.price != "", rx.el.strong(line.price)),
        rx.cond(line.cost != "", rx.el.span("Costs us ", line.cost, class_name=_NOTE)),
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
        rx.fragment(line.proposal, rx.el.span(line.proposal_source, class_name=_NOTE)),
        _nothing(),
    )


def _nothing() -> rx.Component:
    return rx.el.span("–", class_name="text-muted")  # noqa: RUF001


def _question() -> rx.Component:
    """Ask about large changes. The button is not in the form's place, where a double click hits."""
    return rx.el.div(
        rx.el.p("Are these large changes right?", class_name="text-base font-semibold text-ink"),
        rx.el.ul(
            rx.foreach(PriceTableState.jumps, lambda each: rx.el.li(each, key=each)),
            class_name="mt-1 list-disc space-y-1 pl-5 text-base text-ink",
        ),
        busy_button(
            "Yes, set these prices",
            kind="danger",
            busy=PriceTableState.busy,
            busy_text="Saving...",
            on_click=PriceTableState.confirm,
            class_name="mt-3",
        ),
        class_name="mt-4 rounded-control border border-danger/30 bg-[#FEF1EF] p-3",
    )
