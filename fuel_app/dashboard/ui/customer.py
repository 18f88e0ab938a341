"""The customer view of the dashboard, for customers and staff."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.cards import NONE, CustomerCard
from fuel_app.dashboard.ui.tile import tile
from fuel_app.kit.ui.button import download_link, link_button
from fuel_app.kit.ui.cards import H2, arriving, card, progress_bar
from fuel_app.kit.ui.charts import bar_chart
from fuel_app.kit.ui.stacked_table import Column, stacked_table


def customer_view(
    customer: rx.Var[CustomerCard],
    *,
    heading: rx.Component | None = None,
    booking: Any = False,
    first: rx.Component | None = None,
    own: Any = False,
    export: Any = False,
) -> rx.Component:
    """Render a customer's month; an empty card shows as loading.

    For staff it offers no `booking` and no `export`; `first` comes above the figures. Without a
    `heading` the plan, too, stands elsewhere. Of a person's `own` data the tiles are left away
    where there is no month to show, and the rest where there is no past fill; their next service
    stands elsewhere, and is left out here.
    """
    left, is_sample = customer.fills_remaining, ~rx.Var.create(own).bool()
    has_past = is_sample | (customer.past_services.length() > 0)
    has_plan = (left != "") & (left != NONE)
    return rx.fragment(
        _heading(heading, customer) if heading else rx.fragment(),
        first or rx.fragment(),
        rx.cond(has_plan | has_past, _tiles(customer)),
        rx.cond(has_past, _past(customer, booking, own, export)),
    )


def _heading(heading: rx.Component, customer: rx.Var[CustomerCard]) -> rx.Component:
    return rx.fragment(
        heading,
        rx.el.p(
            rx.el.span(arriving(customer.plan, "w-24"), class_name="font-semibold text-gulf-deep"),
            rx.cond(customer.plan_summary != "", f" · {customer.plan_summary}", ""),
            class_name="mt-1 text-base text-muted",
        ),
    )


def _past(customer: rx.Var[CustomerCard], booking: Any, own: Any, export: Any) -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.cond(own, rx.fragment(), _upcoming(booking)),
            _summary(customer),
            class_name="mt-4 grid gap-4 sm:mt-6 sm:gap-6 lg:grid-cols-2 "
            "lg:[&>:only-child]:col-span-2",
        ),
        rx.el.div(
            _past_services(customer, export),
            bar_chart("Gallons by service", customer.chart, unit="gallons"),
            class_name="mt-4 grid items-start gap-4 sm:mt-6 sm:gap-6 lg:grid-cols-[3fr_2fr]",
        ),
    )


def _tiles(customer: rx.Var[CustomerCard]) -> rx.Component:
    return rx.el.dl(
        tile(
            "Fills Remaining",
            customer.fills_remaining,
            progress_bar(
                customer.fills_left,
                customer.fills_total,
                "Fills remaining this month",
                color="gulf",
            ),
            rx.cond(customer.fills_note != "", customer.fills_note, "fills this month"),
            icon="fuel",
        ),
        tile("Gallons Used", customer.gallons_used, customer.gallons_note, icon="droplets"),
        tile(
            "Avg. Cost/Gallon",
            customer.cost_per_gallon,
            customer.price_note,
            icon="circle-dollar-sign",
        ),
        tile(
            "Days Since Last Fill",
            customer.days_since_last_fill,
            arriving(customer.last_fill, "w-32"),
            icon="calendar-clock",
        ),
        class_name="mt-6 grid grid-cols-2 gap-3 sm:gap-6 lg:grid-cols-4",
    )


def _upcoming(booking: Any) -> rx.Component:
    """Return the sample's card: nothing is ever booked in a preview."""
    return card(
        rx.el.h2("Upcoming Service", class_name=H2),
        rx.el.div(
            rx.icon("calendar-plus", size=32, aria_hidden=True, class_name="text-[#8FA3AB]"),
            rx.el.p("No service scheduled", class_name="text-base text-muted"),
            rx.cond(booking, link_button("Book a Fill-Up", href=routes.SCHEDULE)),
            class_name="flex grow flex-col items-center justify-center gap-3 py-4",
        ),
        class_name="flex flex-col",
    )


def _summary(customer: rx.Var[CustomerCard]) -> rx.Component:
    def line(label: str, value: Any) -> rx.Component:
        return rx.el.div(
            rx.el.dt(label, class_name="text-base text-muted"),
            rx.el.dd(
                arriving(value, "w-14"), class_name="text-base font-bold tabular-nums text-ink"
            ),
            class_name="flex items-center justify-between gap-4 py-3",
        )

    return card(
        rx.el.h2("Monthly Summary", class_name=H2),
        rx.el.dl(
            line("Fills used", customer.fills_used),
            line("Total gallons", customer.gallons_used),
            line("Average cost per gallon", customer.average_cost),
            class_name="mt-2 divide-y divide-line",
        ),
    )


def _price(service: Any) -> rx.Component:
    """Return what a fill has cost, with its receipt."""
    link = rx.el.a(
        service.price,
        rx.el.span(", receipt", class_name="sr-only"),
        href=service.receipt,
        class_name="link",
    )
    return rx.cond(service.receipt != "", link, service.price)


def _past_services(customer: rx.Var[CustomerCard], export: Any) -> rx.Component:
    has_file = rx.Var.create(export) & (customer.past_services.length() > 0)
    return card(
        rx.el.div(
            rx.el.h2("Past Services", class_name=H2),
            rx.cond(has_file, download_link("CSV", routes.FILLS_EXPORT, class_name="px-3 text-sm")),
            class_name="flex flex-wrap items-center justify-between gap-3",
        ),
        stacked_table(
            customer.past_services,
            (
                Column("Date", lambda row: row.day),
                Column("Vehicle", lambda row: row.vehicle),
                Column("Gallons", lambda row: row.gallons, number=True),
                Column("Total Price", _price, number=True),
            ),
            caption="Past Services",
            loading=customer.name == "",
            empty_text="No services yet",
        ),
    )
