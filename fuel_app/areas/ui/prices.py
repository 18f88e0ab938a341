"""The prices of every area, the dialog that sets one, and the last changes."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.areas.rules.prices import CHARTED, SOURCE_MAX
from fuel_app.areas.state.prices import FORM, AreaPanel, GradeLine, PriceFormState, PricesState
from fuel_app.kit.ui.button import busy_button, button, line_button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import bound, field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.stacked_table import Column, stacked_table

_NOTE = "block text-sm text-muted"


def fuel_prices() -> rx.Component:
    """Render each area's prices; without an area, lead to making one."""
    return rx.fragment(
        rx.el.p(
            "Per gallon, all motor-fuel taxes included. Customers see a price with its age and "
            "source; a grade without a current price cannot be booked.",
            class_name=f"max-w-[60ch] {TEXT}",
        ),
        alert(rx.cond(PricesState.failed, "The prices cannot be read just now.", "")),
        rx.cond(
            PricesState.loading,
            rx.el.div(class_name="skeleton h-60 rounded-card", aria_hidden=True),
            rx.cond(
                PricesState.areas.length() > 0,
                rx.fragment(rx.foreach(PricesState.areas, _area)),
                rx.cond(PricesState.failed, rx.fragment(), _none()),
            ),
        ),
        rx.el.p(
            rx.cond(PricesState.loading, "Loading prices...", ""),
            role="status",
            class_name="sr-only",
        ),
        panel(
            "Last changes",
            stacked_table(
                PricesState.changes,
                (
                    Column("When", lambda line: line.when),
                    Column("Grade", lambda line: line.what),
                    Column("Price", lambda line: line.change),
                    Column("In effect from", lambda line: line.effective),
                    Column("Source", lambda line: line.source),
                    Column("By", lambda line: line.who),
                ),
                caption="Last changes",
                loading=PricesState.loading,
                empty_text="No price has been set yet.",
            ),
        ),
        _dialog(),
    )


def _none() -> rx.Component:
    return panel(
        "No area yet",
        rx.el.div(link_button("Go to Areas", href=routes.SETTINGS_AREAS), class_name="mt-4"),
        lead="Prices are set per area: make one first.",
    )


def _area(area: rx.Var[AreaPanel]) -> rx.Component:
    return panel(
        area.name,
        stacked_table(
            area.grades,
            (
                Column("Grade", lambda line: rx.el.strong(line.label)),
                Column("Price", _price),
                Column(f"Last {CHARTED.days} days", _chart),
                Column("EIA proposes", _proposal),
                Column(
                    "Change",
                    lambda line: line_button(
                        "Set price",
                        line.label,
                        on_click=PriceFormState.begin(line.area_id, line.grade),
                    ),
                ),
            ),
            caption=area.name,
            loading=False,
        ),
    )


def _price(line: rx.Var[GradeLine]) -> rx.Component:
    return rx.fragment(
        rx.cond(line.price != "", rx.el.strong(line.price)),
        rx.cond(line.problem != "", rx.el.span(badge(line.problem, "yellow"), class_name="block")),
        *[
            rx.cond(text != "", rx.el.span(text, class_name=_NOTE))
            for text in (line.age, line.source, line.later)
        ],
    )


def _chart(line: rx.Var[GradeLine]) -> rx.Component:
    return rx.cond(
        line.path != "",
        rx.fragment(
            rx.el.span(line.trend, class_name="sr-only"),
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
        ),
        _nothing(),
    )


def _proposal(line: rx.Var[GradeLine]) -> rx.Component:
    return rx.cond(
        line.proposal != "",
        rx.fragment(
            line.proposal,
            rx.el.span(line.proposal_source, class_name=_NOTE),
            line_button(
                "Use",
                line.label,
                class_name="-ml-3",
                on_click=PriceFormState.begin_with_proposal(line.area_id, line.grade),
            ),
        ),
        rx.cond(
            PricesState.has_key,
            _nothing(),
            rx.el.span("Needs FUEL_EIA_API_KEY", class_name="text-sm text-muted"),
        ),
    )


def _nothing() -> rx.Component:
    return rx.el.span("–", class_name="text-muted")  # noqa: RUF001


def _dialog() -> rx.Component:
    return dialog(
        live_form(
            alert(PriceFormState.error),
            rx.el.div(
                field(
                    "Price per gallon",
                    **_bound("price"),
                    hint="In dollars, such as 3.459",
                    input_mode="decimal",
                    auto_complete="off",
                    max_length=20,
                ),
                field(
                    "Source",
                    **_bound("source"),
                    hint="Customers see it, such as 'Our supplier' or 'EIA, Florida'",
                    auto_complete="off",
                    max_length=SOURCE_MAX + 1,
                ),
                field(
                    "In effect from",
                    **_bound("effective"),
                    type="datetime-local",
                    optional=True,
                    hint="New York time. Empty: at once.",
                ),
                class_name="flex flex-col gap-4",
            ),
            rx.el.div(
                rx.cond(PriceFormState.question != "", _question()),
                role="alert",
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=PriceFormState.close(False)),
                submit_button("Set price", busy=PriceFormState.busy, busy_text="Saving..."),
                class_name="mt-6 flex flex-wrap justify-end gap-3",
            ),
            on_edit=PriceFormState.edit,
            on_submit=PriceFormState.submit,
        ),
        title=rx.fragment(PriceFormState.line.label, " in ", PriceFormState.line.area),
        description=rx.cond(
            PriceFormState.line.price != "",
            f"Now {PriceFormState.line.price}. {PriceFormState.line.age}.",
            "No price yet",
        ),
        open=PriceFormState.opened,
        on_open_change=PriceFormState.close,
    )


def _bound(name: str) -> dict[str, Any]:
    return bound(name, form=FORM, errors=PriceFormState.errors, values=PriceFormState.values)


def _question() -> rx.Component:
    """Ask about a big jump. The button is not in the form's place, where a double click hits."""
    return rx.el.div(
        rx.el.p(PriceFormState.question, class_name="text-base font-medium text-ink"),
        busy_button(
            "Yes, set this price",
            kind="danger",
            busy=PriceFormState.busy,
            busy_text="Saving...",
            on_click=PriceFormState.confirm,
            class_name="mt-3",
        ),
        class_name="mt-4 rounded-control border border-danger/30 bg-[#FEF1EF] p-3",
    )
