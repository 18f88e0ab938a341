"""A company's pages for its own people: the invitation, and the company with its frame."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.invitation import invitation_page
from fuel_app.accounts.ui.sign_in import sign_out_form
from fuel_app.companies.rules.companies import ACTIVE, OVERVIEW, PEOPLE, SITES
from fuel_app.companies.rules.people import INVITED_FOR, Action
from fuel_app.companies.state.company import TAB_ACTIONS, CompanyState
from fuel_app.companies.state.invitation import CompanyInvitationState
from fuel_app.companies.ui.company import can, shared_tabs, state_badge
from fuel_app.companies.ui.dialogs import own_dialogs
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.button import button, link_button
from fuel_app.kit.ui.cards import TEXT, email_text, panel
from fuel_app.kit.ui.fields import CONTROL
from fuel_app.kit.ui.frame import SECTION, brand, page_link, phone_link, skip_link
from fuel_app.kit.ui.list import nothing_here
from fuel_app.kit.ui.script import TITLE
from fuel_app.kit.ui.tabs import tabs


def company_invitation() -> rx.Component:
    shown = CompanyInvitationState.shown
    return invitation_page(
        CompanyInvitationState,
        "Your invitation",
        rx.fragment(
            email_text(shown.email, "font-semibold text-ink"),
            " is invited to ",
            rx.el.span(shown.company, class_name="font-semibold text-ink wrap-anywhere"),
            " as: ",
            shown.role,
            ". Good until ",
            shown.until,
            ".",
        ),
        days=INVITED_FOR.days,
    )


_profile = CompanyState.profile
_PANEL_ID = "company-menu"
_CLOSE = rx.Var("(event) => event.currentTarget.hidePopover()").to(rx.EventChain)
_LINK = (
    "flex min-h-11 w-full cursor-pointer items-center gap-3 rounded-control px-3 text-base "
    "font-medium text-ink hover:bg-seafoam hover:text-gulf-deep [&>svg]:text-muted"
)


def own_company() -> rx.Component:
    return rx.fragment(
        skip_link(),
        _header(),
        rx.el.main(
            once_arrived(CompanyState, _shown(), until=_loading()),
            own_dialogs(),
            address_mirror(CompanyState),
            id="content",
            class_name=f"py-6 sm:py-10 {SECTION}",
        ),
    )


def _header() -> rx.Component:
    return rx.el.header(
        rx.el.div(
            brand(href=routes.COMPANY, name_class="max-[420px]:sr-only"),
            rx.el.div(_switch(), _menu(), class_name="flex min-w-0 items-center gap-2 sm:gap-3"),
            class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
        ),
        class_name="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur",
    )


def _switch() -> rx.Component:
    """Render the choice among several companies."""
    return rx.cond(
        CompanyState.choices.length() > 0,
        rx.el.select(
            rx.foreach(CompanyState.choices, lambda each: rx.el.option(each.name, value=each.id)),
            value=_profile.id,
            on_change=CompanyState.choose,
            aria_label="Company",
            class_name=f"{CONTROL} min-w-0 max-w-56 cursor-pointer truncate",
        ),
    )


def _menu() -> rx.Component:
    return rx.fragment(
        rx.el.button(
            rx.icon("menu", size=24, aria_hidden=True),
            type="button",
            aria_label="Your menu",
            custom_attrs={"popoverTarget": _PANEL_ID},
            class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center "
            "rounded-control text-ink hover:bg-seafoam",
        ),
        rx.el.nav(
            rx.cond(
                SessionState.is_only_staff,
                rx.cond(
                    SessionState.is_staff,
                    page_link("Staff", routes.DASHBOARD, "", _LINK, "layout-dashboard"),
                ),
                page_link("Private", routes.DASHBOARD, "", _LINK, "layout-dashboard"),
            ),
            page_link("Account Settings", routes.ACCOUNT, "", _LINK, "settings"),
            page_link("Privacy & Security", routes.SECURITY, "", _LINK, "shield"),
            sign_out_form("Log Out", entry=_LINK, class_name="border-t border-line pt-2"),
            aria_label="Your account",
            on_click=_CLOSE,
            custom_attrs={"id": _PANEL_ID, "popover": "auto"},
            class_name="fixed bottom-auto left-auto top-[60px] m-0 w-64 rounded-card border "
            "border-line bg-surface p-2 shadow-2xl right-[max(1rem,calc((100vw-72rem)/2+1rem))]",
        ),
    )


def _loading() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Loading your company...", class_name=TITLE),
        rx.el.div(class_name="skeleton mt-4 h-64 rounded-card", aria_hidden=True),
    )


def _shown() -> rx.Component:
    return rx.cond(
        CompanyState.left,
        _no_company(),
        rx.cond(
            _profile.id == "",
            nothing_here(
                "Your company cannot be read just now.", "Try again", CompanyState.load_own
            ),
            _known(),
        ),
    )


def _no_company() -> rx.Component:
    return rx.el.div(
        rx.icon("building-2", size=32, aria_hidden=True, class_name="text-[#8FA3AB]"),
        rx.el.h1("No company here", class_name=TITLE),
        rx.el.p(
            "You belong to no company with us, or not to this one any more. Questions? Call us: ",
            phone_link(),
            ".",
            class_name=f"max-w-prose {TEXT}",
        ),
        rx.cond(
            SessionState.is_only_staff & ~SessionState.is_staff,
            rx.fragment(),
            link_button("Go to your dashboard", href=routes.DASHBOARD, kind="secondary"),
        ),
        role="status",
        class_name="flex flex-col items-center gap-3 py-16 text-center",
    )


def _known() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.el.h1(_profile.name, class_name=f"min-w-0 wrap-anywhere {TITLE}"),
            rx.cond(_profile.state != ACTIVE, state_badge(_profile.state)),
            class_name="flex flex-wrap items-center gap-x-3 gap-y-1",
        ),
        rx.el.p("You are here as: ", CompanyState.role, class_name=f"mb-4 mt-1 {TEXT}"),
        rx.cond(
            _profile.state != ACTIVE,
            rx.el.p(
                _profile.state_reason,
                role="status",
                class_name="mb-4 rounded-control border border-line bg-[#FFF6E0] p-3 text-base "
                "font-medium text-ink wrap-anywhere",
            ),
        ),
        rx.cond(CompanyState.question.tab == OVERVIEW, _next()),
        tabs(
            shared_tabs(),
            value=CompanyState.question.tab,
            on_change=CompanyState.open_tab,
            label="Company",
            shown=_is_shown,
        ),
    )


def _is_shown(tab: str) -> rx.Var[bool]:
    return CompanyState.may.contains(TAB_ACTIONS[tab].value)


def _next() -> rx.Component:
    """Render what is left to do: pins, permits, people; nothing once all is done."""
    return rx.cond(
        can(Action.CHANGE_SITES) & (CompanyState.to_do.length() > 0),
        rx.el.div(
            panel(
                "To do",
                rx.el.ul(
                    rx.foreach(
                        CompanyState.to_do,
                        lambda line: rx.el.li(
                            rx.icon(
                                "circle", size=16, aria_hidden=True, class_name="mt-1 text-muted"
                            ),
                            line,
                            class_name="flex gap-2 wrap-anywhere",
                        ),
                    ),
                    class_name="mt-2 space-y-2 text-base text-ink",
                ),
                rx.el.div(
                    button("Go to sites", kind="secondary", on_click=CompanyState.open_tab(SITES)),
                    rx.cond(
                        can(Action.CHANGE_COMPANY),
                        button(
                            "Go to people", kind="secondary", on_click=CompanyState.open_tab(PEOPLE)
                        ),
                    ),
                    class_name="mt-4 flex flex-wrap gap-3",
                ),
            ),
            class_name="mb-4",
        ),
    )
