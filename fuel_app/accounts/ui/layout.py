"""The frame of the staff's screens: the navigation, and the bar that offers an undo."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.screens import UNDO_SECONDS, UndoState, WaitingState
from fuel_app.accounts.state.session import SessionState, StaffLoginState
from fuel_app.accounts.ui.sign_in import sign_out_form, staff_login_modal
from fuel_app.kit.ui.dialog import DIM, dismissing
from fuel_app.kit.ui.frame import brand, page_link, skip_link
from fuel_app.kit.ui.toast import ToastClose, ToastProvider, ToastRoot, ToastTitle, ToastViewport

ENTRIES = (
    ("layout-dashboard", "Admin Dashboard", routes.DASHBOARD),
    ("inbox", "Submissions", routes.SUBMISSIONS),
    ("file-text", "Proposals", routes.PROPOSALS),
    ("user-round", "Customer Dashboard", routes.CUSTOMER_DASHBOARD),
    ("building-2", "Companies", routes.COMPANIES),
    ("house", "Neighborhoods", routes.NEIGHBORHOODS),
)
OPERATIONS = (("truck", "Dispatch", routes.DISPATCH),)
FOR_ADMINS = (("rocket", "Launch", routes.LAUNCH), ("settings", "Settings", routes.SETTINGS_AREAS))

_parts = rx.radix.primitives.dialog
_ENTRY = (
    "flex min-h-11 w-full cursor-pointer items-center gap-3 rounded-control px-3 text-base "
    "font-medium text-muted hover:bg-seafoam hover:text-gulf-deep focus-visible:-outline-offset-2 "
    "aria-[current=page]:bg-seafoam aria-[current=page]:font-semibold "
    "aria-[current=page]:text-gulf-deep"
)


def admin_layout(*children: Any, current: str) -> rx.Component:
    """Render a screen of the staff.

    Args:
        children: What stands in the page, from its heading down.
        current: The address of the entry that the navigation marks.
    """
    page = rx.el.main(*children, id="content", class_name="px-4 py-6 sm:px-6 lg:py-8")
    return rx.fragment(
        skip_link(),
        rx.el.div(
            _panel(current, brand()),
            rx.el.div(_bar(current), page, class_name=_BESIDE),
            class_name=_ROW,
        ),
        # A stranger who is on the way to the start gets the modal there.
        staff_login_modal(StaffLoginState.opened & StaffLoginState.over_page),
    )


def beside_admin_panel(page: rx.Component, *, current: str) -> rx.Component:
    """Render a page for all visitors, with the navigation beside it for signed-in staff.

    The page leaves the skip link to here, where it stands before all else. On small screens its own
    header holds the `staff_menu`.
    """
    return rx.fragment(
        skip_link(),
        rx.el.div(
            rx.cond(SessionState.is_staff, _panel(current, brand())),
            rx.el.div(page, class_name=_BESIDE),
            class_name=_ROW,
        ),
    )


def for_admins(screen: rx.Component, others: rx.Component) -> rx.Component:
    """Render a screen, or a note to staff who are no admins, once it is known who is there."""
    is_other = SessionState.is_staff & ~SessionState.is_admin
    return rx.cond(
        SessionState.is_known,
        rx.cond(is_other, others, screen),
        rx.el.div(class_name="skeleton mt-4 h-40 rounded-card", aria_hidden=True),
    )


_ROW = "md:flex"
_BESIDE = "min-w-0 flex-1"


def _panel(current: str, heading: rx.Component) -> rx.Component:
    """Render the navigation beside the page, from medium screens on."""
    return rx.el.aside(
        rx.el.div(heading, class_name="flex min-h-11 items-center px-3 pb-2"),
        _navigation(current),
        aria_label="Staff area",
        class_name="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col overflow-y-auto border-r "
        "border-line bg-surface p-3 md:flex",
    )


def staff_menu(current: str) -> rx.Component:
    """Render the menu of small screens for a page with a header of its own, and what waits."""
    return rx.el.div(
        _menu(current),
        _waiting(_count("sr-only"), "ml-1"),
        class_name="flex items-center md:hidden",
    )


def _waiting(shown: rx.Component, class_name: str) -> rx.Component:
    return rx.cond(
        WaitingState.total > 0,
        rx.el.a(
            shown,
            href=_WAITING,
            class_name="inline-flex min-h-11 items-center text-base font-semibold text-ink "
            f"{class_name}",
        ),
    )


def _menu(current: str) -> rx.Component:
    """Render the menu button of small screens, and what it opens."""
    return _parts.root(
        _parts.trigger(
            rx.el.button(
                rx.icon("menu", size=24, aria_hidden=True),
                type="button",
                aria_label="Staff menu",
                class_name=_ICON,
            ),
            as_child=True,
        ),
        _parts.portal(
            rx.el.div(class_name=DIM, aria_hidden=True),
            _parts.content(
                rx.el.div(
                    _parts.title("Staff menu", class_name="px-3 text-lg font-bold text-ink"),
                    dismissing(
                        rx.el.button(
                            rx.icon("x", size=20, aria_hidden=True),
                            type="button",
                            aria_label="Close menu",
                            class_name=_ICON,
                        )
                    ),
                    class_name="mb-2 flex items-center justify-between",
                ),
                _navigation(current, entry=dismissing),
                custom_attrs={"aria-describedby": None},
                class_name="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] flex-col "
                "overflow-y-auto bg-surface p-3 shadow-2xl focus:outline-none "
                "animate-[slide_180ms_ease-out]",
            ),
        ),
    )


def _bar(current: str) -> rx.Component:
    """Render what stands above the page on small screens."""
    return rx.el.aside(
        _menu(current),
        rx.el.span("Staff", class_name="text-base font-bold text-ink"),
        _waiting(_count(), "ml-auto px-2"),
        aria_label="Staff area",
        class_name="flex h-14 items-center gap-1 border-b border-line bg-surface px-2 md:hidden",
    )


_ICON = (
    "inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center rounded-control "
    "text-ink hover:bg-seafoam hover:text-gulf-deep"
)


def _navigation(current: str, entry: Any = lambda link: link) -> rx.Component:
    def links(entries: Any) -> list[rx.Component]:
        return [
            entry(page_link(text, address, current, _ENTRY, icon=icon))
            for icon, text, address in entries
        ]

    return rx.fragment(
        rx.el.nav(
            *links(ENTRIES[:1]),
            rx.cond(
                WaitingState.total > 0,
                entry(
                    rx.el.a(_count(), href=_WAITING, class_name=f"{_ENTRY} whitespace-nowrap pl-11")
                ),
            ),
            *links(ENTRIES[1:]),
            aria_label="Staff",
            class_name=_LINKS,
        ),
        rx.el.nav(
            rx.el.p("Operations", class_name="px-3 pb-1 pt-4 text-sm font-semibold text-muted"),
            *links(OPERATIONS),
            rx.cond(
                SessionState.is_known,
                rx.cond(SessionState.is_admin, rx.fragment(*links(FOR_ADMINS))),
                rx.fragment(*[_coming() for _ in FOR_ADMINS]),
            ),
            aria_label="Operations",
            class_name=_LINKS,
        ),
        sign_out_form("Sign Out", entry=_ENTRY, class_name="mt-auto border-t border-line pt-2"),
    )


def _coming() -> rx.Component:
    """Return the place of an entry until it is known who is there."""
    return rx.el.div(
        rx.el.div(class_name="skeleton h-5 w-28 rounded"),
        aria_hidden=True,
        class_name="flex min-h-11 items-center px-3",
    )


_LINKS = "flex flex-col gap-1"
_WAITING = f"{routes.DASHBOARD}#{routes.NEEDS_AN_ANSWER}"


def _count(class_name: str = "whitespace-nowrap") -> rx.Component:
    """Render how much waits for staff: 'Needs an answer' and the number."""
    return rx.fragment(
        rx.el.span("Needs an answer ", class_name=class_name),
        rx.el.span(
            WaitingState.total,
            class_name="ml-2 rounded-full bg-danger px-2 text-sm font-bold tabular-nums text-white",
        ),
    )


_UNDO_CONTROL = (
    "inline-flex min-h-11 cursor-pointer items-center justify-center rounded-control px-3 "
    "font-semibold hover:bg-white/10 disabled:cursor-wait disabled:opacity-60"
)


def undo_bar() -> rx.Component:
    """Render the offers, once on a screen. They wait while the pointer or the focus is on it."""
    return ToastProvider.create(
        rx.cond(
            UndoState.is_offered & (UndoState.action_id != ""),
            ToastRoot.create(
                ToastTitle.create(UndoState.text, class_name="min-w-0 flex-1 py-2"),
                rx.el.button(
                    rx.cond(UndoState.busy, "Undoing...", "Undo"),
                    type="button",
                    on_click=UndoState.undo(UndoState.action_id),
                    disabled=UndoState.busy,
                    class_name=f"{_UNDO_CONTROL} text-sun",
                ),
                ToastClose.create(
                    rx.icon("x", size=16, aria_hidden=True),
                    aria_label="Dismiss",
                    class_name=f"{_UNDO_CONTROL} w-11",
                ),
                key=UndoState.action_id,
                duration=UNDO_SECONDS * 1000,
                on_open_change=UndoState.expire(UndoState.action_id),
                class_name=(
                    "flex w-full max-w-md list-none items-center gap-1 rounded-card bg-ink py-1 "
                    "pl-4 pr-1 text-base font-medium text-white shadow-2xl "
                    "animate-[rise_180ms_ease-out]"
                ),
            ),
        ),
        ToastViewport.create(
            label="Undo ({hotkey})",
            class_name=(
                "fixed inset-x-4 bottom-20 max-sm:bottom-36 z-[35] flex flex-col items-center "
                "focus-visible:outline-none"
            ),
        ),
        label="Undo",
        swipe_direction="down",
    )
