"""The search box of a staff screen; the key '/' leads to it from anywhere on the page."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.fields import CONTROL

_SLASH_KEY = """
const SlashKey = ({ field }) => {
  useEffect(() => {
    const listen = (event) => {
      const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
      const box = document.getElementById(field);
      if (!box || document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      box.focus();
      box.select();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [field]);
  return null;
};
"""


class _SlashKey(rx.Component):
    tag = "SlashKey"
    field: rx.Var[str]

    def add_imports(self) -> rx.ImportDict:
        return {"react": ["useEffect"]}

    def add_custom_code(self) -> list[str]:
        return [_SLASH_KEY]


def search_box(
    label: str,
    *,
    box_id: str,
    value: Any,
    epoch: Any,
    placeholder: str,
    on_change: Any = None,
    name: str = "",
) -> rx.Component:
    """A search box that tells what is typed after a pause.

    Args:
        value: What it holds when it appears.
        epoch: Changes when `value` has changed other than by typing (such as by Back), and only
            then: the box appears anew, which it must not while somebody types.
        on_change: Takes what is typed.
        name: Instead of that, where the box is a field of a form that tells what is typed.
    """
    tells = {"on_change": on_change.debounce(300)} if on_change else {"name": name}
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
            key=epoch.to_string(),
            type="search",
            default_value=value,
            placeholder=placeholder,
            max_length=200,
            auto_complete="off",
            spell_check=False,
            custom_attrs={"aria-keyshortcuts": "/"},
            class_name=CONTROL + " pl-10",
            **tells,
        ),
        class_name="relative min-w-0 flex-1",
    )


SKELETON_ROWS = 8

CELL = (
    "px-2 py-2 align-middle lg:first:pl-3 max-lg:flex max-lg:items-center max-lg:justify-between "
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


def staff_table(
    headers: Sequence[rx.Component],
    rows: Any,
    *,
    caption: str,
    loading: Any,
    below: rx.Component,
) -> rx.Component:
    """A table with its header row.

    Args:
        rows: What makes the body's rows, usually a foreach.
        caption: What the table is, for readers that cannot see it.
        loading: Whether rows are on their way; skeleton rows show meanwhile.
        below: Stands under the rows, such as what there is to say when there are none.
    """
    return rx.el.div(
        rx.el.table(
            rx.el.caption(caption, class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(*headers, role="row"), role="rowgroup", class_name="max-lg:sr-only"
            ),
            rx.el.tbody(
                rx.cond(loading, rx.fragment(*[_skeleton(len(headers))] * SKELETON_ROWS), rows),
                role="rowgroup",
                class_name="tabular-nums max-lg:block",
            ),
            role="table",
            aria_busy=loading,
            class_name="w-full border-collapse text-left text-sm max-lg:block",
        ),
        rx.el.div(below, role="status"),
        class_name="rounded-card border border-line bg-surface lg:overflow-x-auto",
    )


def header(title: str, column: str = "", *, sort: Any = "", sort_by: Any = None) -> rx.Component:
    """A header cell; with a column, a click on it sorts.

    Args:
        sort: The column that the list is sorted by, with a minus in front when descending.
        sort_by: An event that takes the column.
    """
    if not column:
        return rx.el.th(title, scope="col", role="columnheader", class_name=HEAD)
    ascending, descending = sort == column, sort == f"-{column}"
    return rx.el.th(
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
            on_click=sort_by(column),
            class_name="inline-flex min-h-9 cursor-pointer items-center gap-1 whitespace-nowrap "
            "rounded hover:text-gulf-deep",
        ),
        scope="col",
        role="columnheader",
        aria_sort=rx.cond(ascending, "ascending", rx.cond(descending, "descending", "none")),
        class_name=HEAD,
    )


def cell(title: str, shows: Any, class_name: str = "") -> rx.Component:
    """A cell; on a phone its title stands beside what it shows, unless there is none."""
    label = rx.el.span(title, aria_hidden=True, class_name="font-semibold text-muted lg:hidden")
    return rx.el.td(
        label if title else rx.fragment(),
        shows,
        role="cell",
        class_name=f"{CELL} {class_name}",
    )


def nothing_here(*children: Any) -> rx.Component:
    """What stands below a table without rows."""
    return rx.el.div(*children, class_name="px-4 py-10 text-center text-base text-muted")


def not_loaded(text: str, on_retry: Any) -> rx.Component:
    """What stands below a table whose rows could not be had."""
    return nothing_here(
        rx.el.p(text, class_name="text-ink"),
        button("Try again", kind="secondary", on_click=on_retry, class_name="mt-3"),
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


def pager(state: Any) -> rx.Component:
    """First, previous, a page by its number, next, last.

    Args:
        state: Has `page` and `pages`, and the events `turn_to`, which takes a page's number, and
            `jump`, which takes a form with a `page`.
    """
    page, pages, turn_to = state.page, state.pages, state.turn_to
    return rx.cond(
        pages > 1,
        rx.el.nav(
            _turn("chevrons-left", "First page", turn_to(1), page <= 1),
            _turn("chevron-left", "Previous page", turn_to(page - 1), page <= 1),
            rx.el.form(
                rx.el.label(
                    "Page",
                    html_for="page-number",
                    class_name="text-base text-muted max-sm:sr-only",
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
    """A number with commas."""
    data = number._get_all_var_data()
    return rx.Var(f"({number!s}).toLocaleString('en-US')", _var_type=str, _var_data=data)


def _turn(icon: str, label: str, event: Any, disabled: Any) -> rx.Component:
    return rx.el.button(
        rx.icon(icon, size=20, aria_hidden=True),
        type="button",
        aria_label=label,
        title=label,
        on_click=event,
        disabled=disabled,
        class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center "
        "rounded-control text-ink hover:bg-seafoam disabled:cursor-not-allowed disabled:opacity-40",
    )
