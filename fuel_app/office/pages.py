"""The pages of the settings, and of the customers as the staff see them; before, the sample."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, undo_bar
from fuel_app.accounts.ui.people import people
from fuel_app.announcements.ui import announcements
from fuel_app.areas.ui import fuel_prices
from fuel_app.dispatch.ui.trucks import truck_list
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import preview_label
from fuel_app.kit.ui.script import TITLE, way_back
from fuel_app.launch.ui.areas import areas_list
from fuel_app.launch.ui.hours import area_hours
from fuel_app.messages.ui import messages_list
from fuel_app.office.state.customers import OPEN, SAMPLE, CustomerDashboardState
from fuel_app.office.state.neighborhood import NeighborhoodState, NeighborhoodToolsState
from fuel_app.office.state.settings import TechnicianRoutesState
from fuel_app.office.ui.customers import NOTE, customer, customer_list
from fuel_app.office.ui.guests import guest
from fuel_app.office.ui.neighborhood import (
    change_log,
    invitation,
    neighborhood_members,
    neighborhood_tools,
    pioneer_card,
    standing,
)
from fuel_app.office.ui.settings import (
    business_policies,
    money,
    settings_screen,
    shifts_ahead,
)


def customer_dashboard(sample: rx.Component) -> rx.Component:
    """Return the staff's customers; before launch the `sample`."""
    return admin_layout(
        rx.el.div(
            rx.el.h1("Customer Dashboard", class_name=TITLE),
            rx.cond(CustomerDashboardState.shows == SAMPLE, preview_label()),
            class_name="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1",
        ),
        once_arrived(CustomerDashboardState, _known(sample), until=_unknown()),
        address_mirror(CustomerDashboardState),
        current=routes.CUSTOMER_DASHBOARD,
    )


def _known(sample: rx.Component) -> rx.Component:
    asked = CustomerDashboardState.question
    listed = rx.cond(asked.guest != "", guest(), customer_list())
    one = rx.cond(asked.customer != "", customer(), listed)
    return rx.match(CustomerDashboardState.shows, (SAMPLE, sample), (OPEN, one), _unknown())


def _unknown() -> rx.Component:
    """Return what stands there until it is known what to show."""
    return rx.el.p(
        rx.cond(
            CustomerDashboardState.failed,
            "Customers cannot be read just now. Please reload the page.",
            "Loading customers...",
        ),
        role="status",
        class_name=NOTE,
    )


def settings_areas() -> rx.Component:
    return settings_screen(
        areas_list(), area_hours(), title="Areas", current=routes.SETTINGS_AREAS, undo=True
    )


def settings_business() -> rx.Component:
    return settings_screen(
        business_policies(), title="Business", current=routes.SETTINGS_BUSINESS, undo=True
    )


def settings_messages() -> rx.Component:
    return settings_screen(messages_list(), title="Messages", current=routes.SETTINGS_MESSAGES)


def settings_announcements() -> rx.Component:
    return settings_screen(
        announcements(), title="Announcements", current=routes.SETTINGS_ANNOUNCEMENTS
    )


def settings_money() -> rx.Component:
    return settings_screen(money(), title="Money", current=routes.SETTINGS_MONEY)


def settings_people() -> rx.Component:
    team = people(shifts_ahead(), TechnicianRoutesState.show)
    return settings_screen(team, title="People", current=routes.SETTINGS_PEOPLE)


def settings_prices() -> rx.Component:
    return settings_screen(fuel_prices(), title="Prices", current=routes.SETTINGS_PRICES)


def settings_trucks() -> rx.Component:
    return settings_screen(truck_list(), title="Trucks", current=routes.SETTINGS_TRUCKS, undo=True)


def neighborhood() -> rx.Component:
    return admin_layout(
        way_back("Back to Neighborhoods", routes.NEIGHBORHOODS),
        once_arrived(
            NeighborhoodState,
            rx.cond(NeighborhoodState.missing, _missing(), _found()),
            until=_loading_neighborhood(),
        ),
        neighborhood_tools(),
        undo_bar(),
        address_mirror(NeighborhoodState),
        current=routes.NEIGHBORHOODS,
    )


def _loading_neighborhood() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Loading neighborhood...", class_name=TITLE),
        rx.el.div(class_name="skeleton mt-4 h-64 rounded-card", aria_hidden=True),
    )


def _missing() -> rx.Component:
    return rx.el.div(
        rx.icon("map-pin-off", size=32, aria_hidden=True, class_name="text-[#8FA3AB]"),
        rx.el.h1("Neighborhood not found", class_name=f"break-words {TITLE}"),
        rx.el.p("There is no such neighborhood (any more).", class_name="text-base text-muted"),
        class_name="flex flex-col items-center gap-2 py-20 text-center",
        role="status",
    )


def _found() -> rx.Component:
    return rx.fragment(
        _neighborhood_heading(),
        rx.el.div(
            rx.cond(
                NeighborhoodState.merged,
                rx.el.p(
                    rx.icon("merge", size=20, aria_hidden=True, class_name="shrink-0"),
                    "The neighborhood of this address has been merged into this one.",
                    class_name="mb-4 flex gap-2 rounded-card bg-seafoam p-4 text-base text-ink",
                ),
            ),
            role="status",
        ),
        rx.el.div(
            rx.el.div(standing(), pioneer_card(), class_name="grid gap-4 xl:grid-cols-2"),
            rx.el.div(
                invitation(),
                change_log(),
                class_name="flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-span-2",
            ),
            neighborhood_members(),
            class_name="grid grid-cols-[minmax(0,1fr)] items-start gap-x-6 gap-y-4 "
            "lg:grid-cols-[minmax(0,1fr)_18rem] lg:grid-rows-[auto_1fr]",
        ),
    )


def _neighborhood_heading() -> rx.Component:
    neighborhood = NeighborhoodState.neighborhood
    return rx.el.div(
        rx.el.div(
            rx.el.h1(
                rx.cond(NeighborhoodState.loading, "Loading neighborhood...", neighborhood.name),
                class_name=f"break-words {TITLE}",
            ),
            rx.el.p(
                rx.cond(
                    NeighborhoodState.loading,
                    "",
                    f"ZIP {neighborhood.zip_code} · since {NeighborhoodState.founded}",
                ),
                class_name="min-h-6 text-base text-muted tabular-nums",
            ),
            class_name="min-w-0",
        ),
        rx.el.div(
            button("Rename", kind="secondary", on_click=NeighborhoodToolsState.open_rename),
            rx.cond(
                NeighborhoodState.can_merge,
                button("Merge", kind="secondary", on_click=NeighborhoodToolsState.open_merge),
            ),
            class_name="flex gap-2",
        ),
        class_name="mb-4 flex flex-wrap items-end justify-between gap-3",
    )
