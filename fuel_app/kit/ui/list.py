"""The parts of a staff list: search box, table or cards, texts without rows, pager."""

from collections.abc import Callable, Mapping
from typing import Any

import reflex as rx

from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.button import button, icon_button
from fuel_app.kit.ui.fields import CONTROL, select_field
from fuel_app.kit.ui.script import Script


def pager(state: Any) -> rx.Component:
    """Render the pager: first, previous, a page by its number, next, last."""
    page, pages, turn_to = state.question.page, state.pages, state.turn_to
    return rx.cond(
        pages > 1,
        rx.el.nav(
            _turn("chevrons-left", "First page", turn_to(1), page <= 1),
            _turn("chevron-left", "Previous page", turn_to(page - 1), page <= 1),
            rx.el.form(
                rx.el.label(
                    "Page", html_for="page-number", class_name="text-base text-muted max-sm:sr-only"
                ),
                rx.el.input(
                    id="page-number",
                    name="page",
                    key=page.to_string(),
                    default_value=page.to_string(),
                    input_mode="numeric",
                    max_length=8,
                    auto_complete="off",
                    class_name=CONTROL + " min-w-14 max-w-24 text-center tabular-nums",
                ),
                rx.el.span("of ", _grouped(pages)),
                on_submit=state.jump,
                class_name="flex items-center gap-2 whitespace-nowrap tabular-nums",
            ),
            _turn("chevron-right", "Next page", turn_to(page + 1), page >= pages),
            _turn("chevrons-right", "Last page", turn_to(pages), page >= pages),
            aria_label="Pages",
            class_name="mt-4 flex items-center justify-center gap-1 text-base text-ink",
        ),
    )


def _grouped(number: rx.Var[int]) -> rx.Var[str]:
    """Format a number with commas."""
    data = number._get_all_var_data()
    return rx.Var(f"({number!s}).toLocaleString('en-US')", _var_type=str, _var_data=data)


def _turn(icon: str, label: str, event: Any, disabled: Any) -> rx.Component:
    return icon_button(
        icon,
        label,
        on_click=event,
        disabled=disabled,
        class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center "
        "rounded-control text-ink hover:bg-seafoam disabled:cursor-not-allowed disabled:opacity-40",
    )


class _SlashKey(Script):
    tag = "SlashKey"
    FILE = "list.js"
    field: rx.Var[str]


def search_box(
    state: Any, label: str, *, box_id: str, placeholder: str, name: str = ""
) -> rx.Component:
    """Render a search box that sends what is typed after a pause.

    Args:
        state: Has `question.q` and `epoch`: the box appears anew when that rises.
        name: Given where the box is a field of a form that sends what is typed.
    """
    sends = {"name": name} if name else {"on_change": state.look_for.debounce(300)}
    return rx.el.div(
        _SlashKey.create(field=box_id),
        rx.el.label(label, html_for=box_id, class_name="sr-only"),
        rx.icon(
            "search",
            size=18,
            aria_hidden=True,
            class_name="pointer-events-none absolute left-3 top-1/2 -translate-y-1/2 text-muted",
        ),
        rx.el.input(
            id=box_id,
            key=state.epoch.to_string(),
            type="search",
            default_value=state.question.q,
            placeholder=placeholder,
            max_length=200,
            auto_complete="off",
            spell_check=False,
            custom_attrs={"aria-keyshortcuts": "/"},
            class_name=CONTROL + " pl-10",
            **sends,
        ),
        class_name="relative min-w-0 flex-1",
    )


def filter_select(
    state: Any, label: str, name: str, options: Any, *, form: str, everything: str, key: Any = ""
) -> rx.Component:
    """Render a filter of a list, with options of (value, text) or a foreach of them.

    The field appears anew when the list's `epoch` or this `key` changes.
    """
    if not isinstance(options, rx.Component):
        options = rx.fragment(*[rx.el.option(text, value=value) for value, text in options])
    return select_field(
        label,
        name,
        options,
        form=form,
        placeholder=everything,
        default_value=getattr(state.question, name),
        # Unlike an input, a select does not follow its default when the page is hydrated.
        key=f"{name} {state.epoch} {rx.State.is_hydrated} {key}",
    )


SKELETON_ROWS = 8

CELL = (
    "px-2 py-1 align-middle lg:first:pl-3 max-lg:flex max-lg:items-center max-lg:justify-between "
    "max-lg:gap-3 max-lg:px-4 max-lg:py-1"
)
HEAD = (
    "sticky top-0 z-10 border-b border-line bg-sand px-2 py-1 text-sm font-semibold text-muted "
    "first:pl-3"
)
ROW = (
    "border-b border-line last:border-b-0 hover:bg-sand max-lg:relative max-lg:flex "
    "max-lg:flex-col max-lg:py-3"
)


def list_table(
    state: Any,
    row: Callable[[Any], rx.Component],
    columns: Mapping[str, str],
    *,
    caption: str,
    nothing: str,
    loading: str = "",
    failed: str = "",
    nothing_found: str = "",
    filtered: Any = None,
    orders: Mapping[str, str] | None = None,
    select_page: rx.Component | None = None,
    within: bool = False,
) -> rx.Component:
    """Render a page of a list, one card a row below 1024 pixels.

    Args:
        state: A `StaffList` with `rows`.
        columns: What each is sorted by, by its title; an empty text if it cannot be.
        nothing: Stands below a table without rows, or `nothing_found` where something is looked
            for; `loading` while it loads, and `failed` when it could not.
        filtered: Whether something is looked for, by default in any field.
        orders: The orders to choose from above the cards, whose headers cannot be pressed.
        select_page: A checkbox above the rows and above the cards.
        within: Whether it stands within `once_arrived`; else its rows wait for the address.
    """
    headers = [_header(state, *column) for column in columns.items()]
    if select_page:
        named = rx.el.span("Select", class_name="sr-only lg:hidden")
        box = rx.el.div(select_page, class_name="max-lg:hidden")
        headers.insert(
            0, rx.el.th(named, box, scope="col", role="columnheader", class_name=f"{HEAD} w-8")
        )
    tools = rx.el.div(
        rx.el.label(select_page, "Select all", class_name="flex min-h-11 items-center gap-3")
        if select_page
        else rx.fragment(),
        order_select(state, orders, class_name="ml-auto") if orders else rx.fragment(),
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2 "
        "text-base text-ink lg:hidden",
    )
    skeleton = rx.fragment(*[_skeleton(len(headers))] * SKELETON_ROWS)
    lines = rx.cond(state.loading, skeleton, rx.foreach(state.rows, row))
    return rx.el.div(
        tools if orders or select_page else rx.fragment(),
        rx.el.table(
            rx.el.caption(caption, class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(*headers, role="row"), role="rowgroup", class_name="max-lg:sr-only"
            ),
            rx.el.tbody(
                lines if within else once_arrived(state, lines, until=skeleton),
                role="rowgroup",
                class_name="tabular-nums max-lg:block",
            ),
            role="table",
            aria_busy=state.loading | ~rx.State.is_hydrated,
            class_name="w-full border-collapse text-left text-sm max-lg:block",
        ),
        rx.el.div(
            rx.cond(
                state.loading,
                rx.el.p(loading, class_name="px-4 py-3 text-base text-muted")
                if loading
                else rx.fragment(),
                rx.cond(
                    state.failed,
                    nothing_here(failed, "Try again", state.load),
                    rx.cond(
                        state.rows.length() == 0,
                        rx.cond(
                            state.filtered if filtered is None else filtered,
                            nothing_here(nothing_found, "Show all", state.clear),
                            nothing_here(nothing),
                        ),
                    ),
                ),
            ),
            role="status",
        ),
        class_name="rounded-card border border-line bg-surface lg:overflow-x-auto",
    )


def order_select(state: Any, orders: Mapping[str, str], class_name: str = "") -> rx.Component:
    """Render the choice of an order, by its text.

    Until the page has arrived a choice would be overruled by what its address asks.
    """
    return rx.el.label(
        rx.el.span("Sort by", class_name="shrink-0 text-sm font-semibold text-ink"),
        rx.el.select(
            *[rx.el.option(text, value=order) for order, text in orders.items()],
            value=state.question.sort,
            on_change=state.order,
            disabled=~rx.State.is_hydrated,
            class_name=f"{CONTROL} cursor-pointer disabled:bg-surface! disabled:text-ink!",
        ),
        class_name=f"flex items-center gap-2 max-sm:w-full {class_name}",
    )


def alphabetic(**titles: str) -> dict[str, str]:
    """Return the two orders of each column that holds words, by the column's title."""
    orders = {}
    for column, title in titles.items():
        orders |= {column: f"{title}, A to Z", f"-{column}": f"{title}, Z to A"}
    return orders


def list_summary(state: Any) -> rx.Component:
    return rx.el.p(
        state.summary, aria_live="polite", class_name="min-h-6 text-base text-muted tabular-nums"
    )


def _header(state: Any, title: str, column: str) -> rx.Component:
    """Render a header cell; with a column, a click on it sorts."""
    if not column:
        return rx.el.th(title, scope="col", role="columnheader", class_name=HEAD)
    ascending, descending = state.question.sort == column, state.question.sort == f"-{column}"
    return rx.el.th(
        rx.el.span(title, class_name="lg:hidden"),
        rx.el.button(
            title,
            rx.cond(
                ascending,
                rx.icon("arrow-up", size=14, aria_hidden=True),
                rx.cond(
                    descending,
                    rx.icon("arrow-down", size=14, aria_hidden=True),
                    rx.icon("chevrons-up-down", size=14, aria_hidden=True, class_name="opacity-50"),
                ),
            ),
            type="button",
            on_click=state.sort_by(column),
            class_name="inline-flex min-h-9 cursor-pointer items-center gap-1 whitespace-nowrap "
            "rounded hover:text-gulf-deep max-lg:hidden",
        ),
        scope="col",
        role="columnheader",
        aria_sort=rx.cond(ascending, "ascending", rx.cond(descending, "descending", "none")),
        class_name=HEAD,
    )


def cell(title: str, shows: Any, class_name: str = "") -> rx.Component:
    """Render a cell; on a phone its title, if it has one, stands beside what it shows."""
    label = rx.el.span(title, aria_hidden=True, class_name="font-semibold text-muted lg:hidden")
    return rx.el.td(
        label if title else rx.fragment(), shows, role="cell", class_name=f"{CELL} {class_name}"
    )


def nothing_here(text: Any, button_text: str = "", on_click: Any = None) -> rx.Component:
    """Render a text below a table without rows, and what to do about it."""
    return rx.el.div(
        rx.el.p(text, class_name="text-ink"),
        button(button_text, kind="secondary", on_click=on_click, class_name="mt-3")
        if button_text
        else rx.fragment(),
        class_name="px-4 py-10 text-center text-base text-muted",
    )


def _skeleton(columns: int) -> rx.Component:
    blank = rx.el.td(
        rx.el.div(class_name="skeleton h-5 rounded"), class_name=f"{CELL} max-lg:block"
    )
    return rx.el.tr(
        *[blank] * columns,
        aria_hidden=True,
        class_name="border-b border-line max-lg:block max-lg:py-3",
    )
