"""The dashboard: the customer's month and next fill, and the staff's day and figures of leads."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.attention.state import AttentionState
from fuel_app.attention.ui import attention_section
from fuel_app.billing.ui import amounts, payments_note, refusal_beside
from fuel_app.bookings.state.cards import BookingCard
from fuel_app.customers.state.customer import CustomerCard, CustomerState
from fuel_app.dashboard.rules import REFUNDS, NextStep
from fuel_app.dashboard.state import (
    CARD_ID,
    NONE,
    DashboardState,
    FiguresState,
    LoadTable,
    MonthCard,
    MonthState,
    MorningState,
    NextBookingState,
    RiskLine,
    StatusPart,
    StepsState,
    TodayState,
    TypeBar,
)
from fuel_app.dispatch.ui.day_route import todays_route
from fuel_app.kit.ui.button import Kind, busy_button, download_link, link_button
from fuel_app.kit.ui.cards import (
    GAP,
    H2,
    TEXT,
    alert,
    arriving,
    bar_chart,
    card,
    panel,
    progress_bar,
)
from fuel_app.kit.ui.frame import phone_link
from fuel_app.kit.ui.script import TITLE
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.neighborhoods.state import NeighborhoodLine
from fuel_app.scheduling.ui.booking import actions, dialogs, headline
from fuel_app.scheduling.ui.booking import heading as booking_heading


def tile(label: str, value: Any, *notes: Any, icon: str = "") -> rx.Component:
    mark = "shrink-0 text-gulf max-sm:hidden"
    return card(
        rx.el.dt(
            rx.icon(icon, size=20, aria_hidden=True, class_name=mark) if icon else "",
            label,
            class_name="mb-1 flex items-center gap-2 text-sm font-semibold text-muted",
        ),
        rx.el.dd(
            rx.el.span(
                arriving(value, "w-12"),
                class_name="block text-3xl font-extrabold tracking-tight tabular-nums text-ink",
            ),
            *[rx.el.span(note, class_name="mt-1 block text-sm text-muted") for note in notes],
        ),
        class_name="max-sm:p-4",
    )


def customer_view(
    customer: rx.Var[CustomerCard],
    month: rx.Var[MonthCard],
    *,
    heading: rx.Component | None = None,
    first: rx.Component | None = None,
    own: Any = True,
    upcoming: rx.Component | None = None,
    export: Any = False,
) -> rx.Component:
    """Render a customer's month; an empty card shows as loading.

    Args:
        heading: Stands above the plan; without it both stand elsewhere.
        first: Stands above the figures.
        own: A person's data: the tiles are left away where there is no month to show, the rest
            where there is no past fill, and `upcoming`, since theirs stands elsewhere.
        export: Whether the past services can be downloaded.
    """
    left, is_sample = month.fills_remaining, ~rx.Var.create(own).bool()
    has_past = is_sample | (month.past_services.length() > 0)
    has_plan = (left != "") & (left != NONE)
    return rx.fragment(
        _plan_heading(heading, customer) if heading else rx.fragment(),
        first or rx.fragment(),
        rx.cond(has_plan | has_past, _month_tiles(month)),
        rx.cond(has_past, _past(month, own, upcoming, export)),
    )


def _plan_heading(heading: rx.Component, customer: rx.Var[CustomerCard]) -> rx.Component:
    return rx.fragment(
        heading,
        rx.el.p(
            rx.el.span(arriving(customer.plan, "w-24"), class_name="font-semibold text-gulf-deep"),
            rx.cond(customer.plan_summary != "", f" · {customer.plan_summary}", ""),
            class_name="mt-1 text-base text-muted",
        ),
    )


def _past(
    month: rx.Var[MonthCard], own: Any, upcoming: rx.Component | None, export: Any
) -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.cond(own, rx.fragment(), upcoming or rx.fragment()),
            _summary(month),
            class_name="mt-4 grid gap-4 sm:mt-6 sm:gap-6 lg:grid-cols-2 "
            "lg:[&>:only-child]:col-span-2",
        ),
        rx.el.div(
            _past_services(month, export),
            bar_chart("Gallons by service", month.chart, unit="gallons"),
            class_name="mt-4 grid items-start gap-4 sm:mt-6 sm:gap-6 lg:grid-cols-[3fr_2fr]",
        ),
    )


def _month_tiles(month: rx.Var[MonthCard]) -> rx.Component:
    return rx.el.dl(
        tile(
            "Fills Remaining",
            month.fills_remaining,
            progress_bar(
                month.fills_left,
                month.fills_total,
                "Fills remaining this month",
                color="gulf",
            ),
            rx.cond(month.fills_note != "", month.fills_note, "fills this month"),
            icon="fuel",
        ),
        tile("Gallons Used", month.gallons_used, month.gallons_note, icon="droplets"),
        tile(
            "Avg. Cost/Gallon",
            month.cost_per_gallon,
            month.price_note,
            icon="circle-dollar-sign",
        ),
        tile(
            "Days Since Last Fill",
            month.days_since_last_fill,
            arriving(month.last_fill, "w-32"),
            icon="calendar-clock",
        ),
        class_name="mt-6 grid grid-cols-2 gap-3 sm:gap-6 lg:grid-cols-4",
    )


def _summary(month: rx.Var[MonthCard]) -> rx.Component:
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
            line("Fills used", month.fills_used),
            line("Total gallons", month.gallons_used),
            line("Average cost per gallon", month.average_cost),
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


def _past_services(month: rx.Var[MonthCard], export: Any) -> rx.Component:
    has_file = rx.Var.create(export) & (month.past_services.length() > 0)
    return card(
        rx.el.div(
            rx.el.h2("Past Services", class_name=H2),
            rx.cond(has_file, download_link("CSV", routes.FILLS_EXPORT, class_name="px-3 text-sm")),
            class_name="flex flex-wrap items-center justify-between gap-3",
        ),
        stacked_table(
            month.past_services,
            (
                Column("Date", lambda row: row.day),
                Column("Vehicle", lambda row: row.vehicle),
                Column("Gallons", lambda row: row.gallons, number=True),
                Column("Total Price", _price, number=True),
            ),
            caption="Past Services",
            loading=month.fills_remaining == "",
            empty_text="No services yet",
        ),
    )


def next_fill(has_services: rx.Var[bool]) -> rx.Component:
    """Return the card for a signed-in customer who has booked before; nothing in a preview."""
    following = NextBookingState.card
    # Until the state has read the address, it is the booking of another page.
    is_here = NextBookingState.arrival.contains(f" {routes.DASHBOARD}")
    return rx.cond(
        CustomerState.is_own & (has_services | (NextBookingState.notice != "")),
        card(
            booking_heading(NextBookingState, "Upcoming Service"),
            rx.cond(
                is_here & (following.id != ""),
                rx.fragment(
                    headline(NextBookingState),
                    actions(
                        NextBookingState,
                        link_button("Details", href=following.href, kind="quiet"),
                        link_button("Book another", href=routes.SCHEDULE, kind="quiet"),
                    ),
                    rx.cond(
                        NextBookingState.others.length() > 0,
                        rx.el.ul(
                            rx.foreach(NextBookingState.others, _other_booking),
                            aria_label="Booked after that",
                            class_name="mt-5 divide-y divide-line border-t border-line",
                        ),
                    ),
                ),
                rx.cond(
                    is_here & NextBookingState.missing,
                    rx.el.div(
                        rx.el.p("No service scheduled", class_name=TEXT),
                        rx.cond(  # else the card of the first steps has the button
                            has_services, link_button("Book a Fill-Up", href=routes.SCHEDULE)
                        ),
                        class_name="flex flex-wrap items-center justify-between gap-3",
                    ),
                    rx.el.div(class_name="skeleton mt-3 h-24 rounded-control", aria_hidden=True),
                ),
            ),
            rx.cond(is_here, dialogs(NextBookingState)),
            class_name=GAP,
        ),
    )


def _other_booking(booking: rx.Var[BookingCard]) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            rx.el.span(
                rx.el.span(
                    booking.day, ", ", booking.window, class_name="block font-semibold text-ink"
                ),
                rx.el.span(booking.car, " · ", booking.total, class_name=f"block {TEXT}"),
                class_name="min-w-0 flex-1 wrap-anywhere",
            ),
            rx.icon("chevron-right", size=20, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.el.span(
                booking.alert,
                class_name="w-full text-pretty text-base font-semibold text-danger empty:hidden",
            ),
            rx.el.span(booking.asked, class_name=f"w-full {TEXT} empty:hidden"),
            href=booking.href,
            class_name="flex min-h-11 flex-wrap items-center justify-between gap-x-4 py-2 "
            "text-base hover:underline",
        ),
        key=booking.id,
    )


def admin_view(sample: rx.Component) -> rx.Component:
    """Return the staff's view; before launch the `sample` of a day."""
    return rx.fragment(
        rx.el.h1("Admin Dashboard", class_name=TITLE),
        rx.cond(
            DashboardState.is_open,
            rx.fragment(_today(), _leads(), todays_route()),
            rx.fragment(_waiting_quotes(), _leads(), sample),
        ),
    )


def _waiting_quotes() -> rx.Component:
    """Return what waits before the opening: quotes, where there are some."""
    is_waiting = SessionState.is_staff & (AttentionState.kinds.length() > 0)
    return rx.cond(is_waiting, attention_section())


def _leads() -> rx.Component:
    return rx.cond(SessionState.is_staff, staff_figures())


def _today() -> rx.Component:
    return rx.fragment(
        attention_section(),
        _morning(),
        the_day(link_button("Open dispatch", href=routes.DISPATCH, kind="quiet")),
        day_tiles(TodayState.figures, REFUNDS),
        rx.el.div(
            bar_chart(
                "Revenue by day, plans included",
                TodayState.revenue,
                unit="in all",
                # As many as have room for their numbers.
                class_name="max-lg:[&>li:nth-child(-n+7)]:hidden "
                "max-sm:[&>li:nth-child(-n+9)]:hidden",
            ),
            class_name="mt-4 sm:mt-6",
        ),
    )


def _morning() -> rx.Component:
    """Render the three figures of the morning."""
    return rx.el.section(
        rx.el.h2("This morning", id="morning-title", class_name=H2),
        rx.cond(
            MorningState.loading,
            rx.el.div(class_name="skeleton mt-3 h-40 rounded-card", aria_hidden=True),
            rx.el.div(
                card(
                    rx.el.h3("Owed and at risk", class_name=H2),
                    rx.el.dl(
                        rx.foreach(MorningState.risks, _risk),
                        class_name="mt-2 divide-y divide-line",
                    ),
                ),
                rx.cond(MorningState.per_gallon != "", _margin()),
                card(
                    rx.el.h3("The next three days", class_name=H2),
                    rx.el.p("Booked, of what there is room for", class_name=TEXT),
                    rx.el.div(
                        rx.foreach(MorningState.tables, _load_table),
                        class_name="grid items-start gap-x-10 gap-y-2 lg:grid-cols-2",
                    ),
                    class_name="lg:col-span-2",
                ),
                class_name="mt-3 grid items-start gap-4 sm:gap-6 lg:grid-cols-2",
            ),
        ),
        aria_labelledby="morning-title",
        aria_busy=MorningState.loading,
        class_name="mt-6",
    )


def _risk(line: rx.Var[RiskLine]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(
            rx.cond(
                line.href != "", rx.el.a(line.label, href=line.href, class_name=_LINK), line.label
            ),
            rx.el.span(line.count, class_name="ml-2 text-sm text-muted"),
            class_name="text-base text-ink",
        ),
        rx.el.dd(line.amount, class_name="text-right text-lg font-bold tabular-nums text-ink"),
        key=line.label,
        class_name="flex items-baseline justify-between gap-4 py-2",
    )


def _margin() -> rx.Component:
    return card(
        rx.el.h3("Margin yesterday", class_name=H2),
        rx.el.dl(
            *[
                rx.el.div(
                    rx.el.dt(label, class_name="text-base text-ink"),
                    rx.el.dd(
                        value, class_name="text-right text-lg font-bold tabular-nums text-ink"
                    ),
                    class_name="flex items-baseline justify-between gap-4 py-2",
                )
                for label, value in (
                    ("A gallon", MorningState.per_gallon),
                    ("A stop", MorningState.per_stop),
                )
            ],
            class_name="mt-2 divide-y divide-line",
        ),
        rx.el.p(MorningState.margin_note, class_name=f"mt-1 {TEXT}"),
        rx.el.h3("Loaded and sold yesterday", class_name=f"mt-5 {H2}"),
        rx.cond(MorningState.flow.length() > 0, _flow_table()),
        rx.el.p(MorningState.flow_note, class_name=f"mt-1 {TEXT}"),
    )


def _flow_table() -> rx.Component:
    cell = "py-2 pl-2 text-right text-base tabular-nums"
    heads = ("Gallons", "Loaded", "Sold", "Not sold")
    return rx.el.table(
        rx.el.thead(
            rx.el.tr(
                *[
                    rx.el.th(
                        head,
                        scope="col",
                        class_name="py-2 text-left text-sm font-semibold text-muted"
                        if head == heads[0]
                        else f"{cell} text-sm font-semibold text-muted",
                    )
                    for head in heads
                ]
            )
        ),
        rx.el.tbody(
            rx.foreach(
                MorningState.flow,
                lambda line: rx.el.tr(
                    rx.el.th(
                        line.grade,
                        scope="row",
                        class_name="py-2 text-left text-base font-normal text-ink",
                    ),
                    rx.el.td(line.loaded, class_name=f"{cell} text-ink"),
                    rx.el.td(line.sold, class_name=f"{cell} text-ink"),
                    rx.el.td(line.difference, class_name=f"{cell} font-bold text-ink"),
                    key=line.grade,
                    class_name="border-t border-line",
                ),
            )
        ),
        class_name="mt-1 w-full",
    )


def _load_table(table: rx.Var[LoadTable]) -> rx.Component:
    cell = "px-1 py-2 text-right text-sm tabular-nums sm:text-base"
    return rx.el.table(
        rx.el.caption(table.name, class_name="pt-3 text-left text-base font-semibold text-ink"),
        rx.el.thead(
            rx.el.tr(
                rx.el.th(rx.el.span("Window", class_name="sr-only"), scope="col"),
                rx.foreach(
                    MorningState.days,
                    lambda day: rx.el.th(
                        day, scope="col", key=day, class_name=f"{cell} font-semibold text-muted"
                    ),
                ),
            ),
        ),
        rx.el.tbody(
            rx.foreach(
                table.rows,
                lambda row: rx.el.tr(
                    rx.el.th(
                        row.name,
                        scope="row",
                        class_name="py-2 pr-1 text-left text-sm font-normal text-ink sm:text-base",
                    ),
                    rx.foreach(
                        row.cells,
                        lambda each: rx.el.td(
                            each.text,
                            key=each.day,
                            class_name=rx.cond(
                                each.is_full,
                                f"{cell} font-bold text-danger",
                                f"{cell} text-ink",
                            ),
                        ),
                    ),
                    key=row.name,
                    class_name="border-t border-line",
                ),
            ),
        ),
        key=table.name,
        class_name="w-full table-fixed",
    )


def the_day(*beside: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.p("The day", class_name=H2), *beside, class_name="mt-6 -mb-3 flex items-center gap-3"
    )


def day_tiles(figures: Any, *of_revenue: str) -> rx.Component:
    """Render the day's figures by their labels; `of_revenue` are more of them than the sample's."""
    revenue = ("Today's revenue", "Average per fill-up", *of_revenue, "Subscription revenue")
    return rx.el.div(
        *[
            _day_figures(figures, title, *labels)
            for title, *labels in (
                ("Today's Overview", "Scheduled fill-ups", "Completed", "Average gallons"),
                ("Customer Stats", "Total customers", "Active subscriptions", "Service area"),
                ("Revenue", *revenue),
            )
        ],
        class_name="mt-6 grid gap-4 sm:gap-6 lg:grid-cols-3",
    )


def _day_figures(figures: Any, title: str, *labels: str) -> rx.Component:
    return card(
        rx.el.h2(title, class_name=H2),
        rx.el.dl(
            *[
                rx.el.div(
                    rx.el.dt(label, class_name="text-base text-muted"),
                    rx.el.dd(
                        arriving(figures[label], "w-14"),
                        class_name="text-right text-lg font-bold tabular-nums text-ink",
                    ),
                    class_name="flex items-baseline justify-between gap-4 py-2",
                )
                for label in labels
            ],
            class_name="mt-2 divide-y divide-line",
        ),
    )


_LINK = "font-semibold text-gulf-deep underline underline-offset-4 hover:text-gulf"


def staff_figures() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Leads and neighborhoods", id="figures-title", class_name=H2),
            rx.el.p(
                rx.el.a("Submissions", href=routes.SUBMISSIONS, class_name=_LINK),
                rx.el.a("Neighborhoods", href=routes.NEIGHBORHOODS, class_name=_LINK),
                class_name="flex gap-4 text-base",
            ),
            class_name="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1",
        ),
        rx.el.dl(
            tile("Leads", FiguresState.leads, "Waitlist and quotes"),
            tile(
                "New this week",
                FiguresState.new,
                rx.cond(
                    FiguresState.new_by_type != "", FiguresState.new_by_type, "In the last 7 days"
                ),
            ),
            tile("Neighborhoods", FiguresState.neighborhoods, "Founded by members"),
            tile("Members", FiguresState.members, "In a neighborhood"),
            class_name="mt-3 grid grid-cols-2 gap-3 sm:gap-6 lg:grid-cols-4",
        ),
        rx.el.div(
            card(
                rx.el.h3("Leads by type and status", class_name=H2),
                rx.el.ul(rx.foreach(FiguresState.types, _type_bar), class_name="mt-3 space-y-4"),
            ),
            bar_chart("New leads by day", FiguresState.days, unit="new leads", heading=rx.el.h3),
            _nearest_neighborhoods(),
            class_name="mt-4 grid gap-4 sm:mt-6 sm:gap-6 lg:grid-cols-3",
        ),
        aria_labelledby="figures-title",
        class_name="mt-6",
    )


def _type_bar(bar: rx.Var[TypeBar]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.span(bar.label, class_name="font-semibold text-ink"),
            rx.el.span(bar.leads, class_name="font-bold tabular-nums text-ink"),
            class_name="flex items-baseline justify-between text-base",
        ),
        rx.el.svg(
            rx.foreach(
                bar.parts,
                lambda part: rx.el.svg.rect(
                    x=part.left,
                    y="0",
                    width=part.width,
                    height="100%",
                    class_name=_status_color(part.status),
                ),
            ),
            aria_hidden=True,
            class_name="mt-1 block h-3 w-full overflow-hidden rounded-full bg-[#E8EEF0]",
        ),
        rx.el.ul(
            rx.foreach(bar.parts, _status_part),
            class_name="mt-1 flex flex-wrap gap-x-3 text-sm text-muted",
        ),
        key=bar.label,
    )


def _status_part(part: rx.Var[StatusPart]) -> rx.Component:
    return rx.el.li(
        rx.el.svg(
            rx.el.svg.circle(cx="5", cy="5", r="5", class_name=_status_color(part.status)),
            aria_hidden=True,
            class_name="h-2.5 w-2.5 shrink-0",
        ),
        f"{part.leads} {part.status}",
        key=part.status,
        class_name="flex items-center gap-1.5 tabular-nums",
    )


def _status_color(status: Any) -> Any:
    return rx.match(
        status,
        ("pending", "fill-[#8FA3AB]"),
        ("Not Contacted", "fill-sun"),
        ("Contacted", "fill-gulf"),
        ("Closed Won", "fill-ok"),
        ("Closed Lost", "fill-danger"),
        "fill-ink",
    )


def _nearest_neighborhoods() -> rx.Component:
    return card(
        rx.el.h3("Nearest to their next tier", class_name=H2),
        rx.cond(
            FiguresState.nearest.length() > 0,
            rx.el.ul(
                rx.foreach(FiguresState.nearest, _neighborhood),
                class_name="mt-1 divide-y divide-line",
            ),
            rx.el.p("No neighborhoods yet", class_name="mt-3 text-base text-muted"),
        ),
    )


def _neighborhood(neighborhood: rx.Var[NeighborhoodLine]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.a(
                neighborhood.name,
                href=neighborhood.address,
                class_name="min-w-0 truncate font-semibold text-ink hover:text-gulf-deep "
                "hover:underline",
            ),
            rx.el.span(
                neighborhood.zip_code, class_name="shrink-0 text-sm tabular-nums text-muted"
            ),
            class_name="flex min-h-6 items-baseline justify-between gap-3 text-base",
        ),
        progress_bar(
            neighborhood.members,
            neighborhood.goal,
            f"Members of {neighborhood.name}",
            color=neighborhood.color,
        ),
        rx.el.p(
            f"{neighborhood.members} of {neighborhood.goal} members, {neighborhood.missing}",
            class_name="mt-1 text-sm text-muted",
        ),
        key=neighborhood.id,
        class_name="py-2.5",
    )


def next_card() -> rx.Component:
    """Return the card for a signed-in customer; nothing in a preview.

    A sign-up has the card that asks for the code instead.
    """
    following = MonthState.following
    return rx.cond(
        (following.title != "") & CustomerState.email_verified,
        rx.el.div(
            panel(
                rx.fragment("Next: ", following.title),
                rx.el.ol(
                    rx.foreach(following.steps, _step), class_name="mt-3 divide-y divide-line"
                ),
                lead=rx.cond(
                    MonthState.card.has_booking | (MonthState.card.past_services.length() > 0),
                    "What is left to do",
                    "The way to your first fill-up",
                ),
            ),
            id=CARD_ID,
            tab_index=-1,
            class_name=f"{GAP} focus:outline-none",
        ),
    )


def due_notice() -> rx.Component:
    """Return what is unpaid, with the way to pay it; nothing where nothing is."""
    due = StepsState.due
    return rx.cond(
        due != "",
        rx.el.div(
            alert(f"A payment of {due} is open. Please pay it, so that we can come again."),
            link_button("Pay ", due, href=routes.BILLING, class_name="max-sm:w-full"),
            class_name=GAP,
        ),
    )


def _step(step: rx.Var[NextStep]) -> rx.Component:
    return rx.el.li(
        rx.el.div(refusal_beside(StepsState, step.kind), class_name="w-full empty:hidden"),
        rx.cond(
            step.done,
            rx.icon("circle-check", size=20, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.icon("circle", size=20, aria_hidden=True, class_name="shrink-0 text-[#8FA3AB]"),
        ),
        rx.el.div(
            rx.el.p(step.title, class_name="font-semibold text-ink"),
            rx.cond(
                step.note != "",
                rx.el.p(
                    step.note,
                    rx.cond(
                        step.asks_to_call,
                        rx.fragment(" Call us if this is wrong: ", phone_link()),
                    ),
                    class_name="text-pretty text-sm text-muted",
                ),
            ),
            class_name="min-w-0 grow basis-48",
        ),
        rx.match(
            step.kind,
            ("card", _step_button(step, step.action, StepsState.add_card, "Opening...")),
            ("plan", _start(step)),
            rx.cond(
                step.action != "",
                _next_first(
                    step,
                    lambda kind: link_button(
                        step.action, href=step.href, kind=kind, class_name=_WIDE
                    ),
                ),
            ),
        ),
        class_name="flex flex-wrap items-center gap-3 py-3 text-base",
    )


_WIDE = "max-sm:w-full"


def _start(step: rx.Var[NextStep]) -> rx.Component:
    """Return the button that starts the plan, with how its amount is made up."""
    start = StepsState.start
    return rx.cond(
        start.button != "",
        rx.el.div(
            amounts(start.parts),
            _step_button(step, start.button, StepsState.start_plan(start.button), "Starting..."),
            payments_note("mt-2"),
            class_name="w-full sm:w-auto",
        ),
    )


def _step_button(step: rx.Var[NextStep], text: Any, on_click: Any, busy_text: str) -> rx.Component:
    return _next_first(
        step,
        lambda kind: busy_button(
            text,
            busy=StepsState.busy == step.kind,
            busy_text=busy_text,
            kind=kind,
            on_click=on_click,
            class_name=_WIDE,
        ),
    )


def _next_first(step: rx.Var[NextStep], make: Callable[[Kind], rx.Component]) -> rx.Component:
    """Return a step's button; only that of the next step is a primary one."""
    is_next = step.title == MonthState.following.title
    return rx.cond(is_next, make("primary"), make("secondary"))
