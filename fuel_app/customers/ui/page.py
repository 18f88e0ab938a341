"""Frame and account menu of the customer screens, and the card that asks for a mail's code."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.sign_in import sign_out_form
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.security import OwnSecurityState
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import TEXT, card, email_text, preview_label
from fuel_app.kit.ui.frame import SECTION, brand, page_link, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading, way_back

_DASHBOARD = ("layout-dashboard", "Dashboard", routes.DASHBOARD)
_LINKS = (
    ("settings", "Account Settings", routes.ACCOUNT),
    ("credit-card", "Billing & Plans", routes.BILLING),
    ("bell", "Notifications", routes.NOTIFICATIONS),
    ("shield", "Privacy & Security", routes.SECURITY),
    ("circle-help", "Help & Support", routes.SUPPORT),
)
_LINKS_OF_STAFF = (_DASHBOARD, _LINKS[0], *_LINKS[-2:])

# The browser's own popover, as in the site's menu: it closes on Escape, which gives the focus back,
# and on a press outside. Choosing has to be taught to close it, and so has leaving by Tab, since
# what has the focus next would be under it. The button itself does its own closing.
_PANEL_ID = "user-menu"
_CLOSE = rx.Var("(event) => event.currentTarget.hidePopover()").to(rx.EventChain)
_CLOSE_ON_LEAVING = rx.Var(
    "(event) => { const to = event.relatedTarget; "
    "if (to && to.popoverTargetElement !== event.currentTarget "
    "&& !event.currentTarget.contains(to)) event.currentTarget.hidePopover(); }"
).to(rx.EventChain)

_LINK = (
    "flex min-h-11 items-center gap-3 rounded-control px-3 text-base font-medium text-ink "
    "hover:bg-seafoam hover:text-gulf-deep focus-visible:-outline-offset-2 [&>svg]:text-muted "
    "aria-[current=page]:bg-seafoam aria-[current=page]:text-gulf-deep"
)


def user_menu(current: str) -> rx.Component:
    """Return the button with the initials and its menu; `current` is the page's address."""
    name, initials = _shown(current, "name"), _shown(current, "initials")
    plan = _shown(current, "plan")
    return rx.fragment(
        rx.el.button(
            initials,
            type="button",
            aria_label=rx.cond(name != "", f"Your menu, {name}", "Your menu"),
            custom_attrs={"popoverTarget": _PANEL_ID},
            class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center "
            "rounded-full bg-gulf text-base font-bold text-white hover:bg-gulf-deep",
        ),
        rx.el.div(
            rx.el.div(
                rx.el.p(name, class_name="font-bold text-ink wrap-anywhere"),
                rx.el.p(plan, class_name="text-sm font-semibold text-gulf-deep"),
                rx.el.p(email_text(_shown(current, "email")), class_name="text-sm text-muted"),
                class_name="border-b border-line px-3 pb-3 pt-1",
            ),
            rx.el.nav(
                rx.cond(
                    SessionState.is_of_company,
                    page_link("Your Company", routes.COMPANY, current, _LINK, "building-2"),
                ),
                rx.cond(
                    SessionState.is_only_staff & _is_a_persons(current),
                    _links(_LINKS_OF_STAFF, current),
                    _links(_LINKS, current),
                ),
                aria_label="Your account",
                class_name="py-2",
            ),
            rx.el.div(
                rx.cond(
                    SessionState.is_person,  # whose session ends, in a preview too
                    sign_out_form("Log Out", entry=f"{_LINK} w-full cursor-pointer"),
                    page_link("Log Out", routes.HOME, current, _LINK, "log-out"),
                ),
                class_name="border-t border-line pt-2",
            ),
            on_click=_CLOSE,
            on_blur=_CLOSE_ON_LEAVING,
            custom_attrs={"id": _PANEL_ID, "popover": "auto"},
            class_name="fixed bottom-auto left-auto top-[60px] m-0 w-72 rounded-card border "
            "border-line bg-surface p-2 shadow-2xl "
            "right-[max(1rem,calc((100vw-72rem)/2+1rem))]",
        ),
    )


def _links(entries: Sequence[tuple[str, str, str]], current: str) -> rx.Component:
    return rx.fragment(
        *[page_link(text, address, current, _LINK, icon) for icon, text, address in entries]
    )


def _is_a_persons(current: str) -> rx.Var[bool]:
    """Return whether the screen shows a signed-in person's own data; /security always does."""
    return SessionState.is_person if current == routes.SECURITY else CustomerState.is_own


def _shown(current: str, name: str) -> rx.Var[str]:
    """Return a text of the person whom the screen is about."""
    of_customer = getattr(CustomerState.card, name)
    if current != routes.SECURITY:
        return of_customer
    of_person = "" if name == "plan" else getattr(OwnSecurityState.card, name)
    is_theirs = CustomerState.is_own | ~SessionState.is_person
    return rx.cond(is_theirs, of_customer, of_person).to(str)


_COLUMN = "mx-auto flex w-full flex-col gap-6"


def is_known() -> rx.Var[bool]:
    """Return whether the state has answered whose account it is."""
    return CustomerState.card.name != ""


def is_sample() -> rx.Var[bool]:
    return is_known() & ~CustomerState.is_own


def staff_note() -> rx.Component:
    """Tell staff without an account of a customer what they find here; nothing to others."""
    return rx.cond(
        CustomerState.is_customer,
        rx.fragment(),
        card(
            rx.el.p("You have no plan: you are here as one of our staff.", class_name=TEXT),
            rx.el.div(
                link_button("Customers", href=routes.CUSTOMER_DASHBOARD, kind="secondary"),
                link_button("Dispatch", href=routes.DISPATCH, kind="secondary"),
                class_name="flex flex-wrap gap-3",
            ),
            class_name="mt-6 flex flex-wrap items-center justify-between gap-4",
        ),
    )


def customer_page(
    *children: Any,
    current: str,
    actions: rx.Component | None = None,
    staff_menu: rx.Component | None = None,
) -> rx.Component:
    """Return the customer screen at the address `current`, with `actions` in its top bar.

    Beside the navigation of staff it has their `staff_menu`: the skip link and the brand stand
    there.
    """
    logo = brand(href=routes.DASHBOARD, name_class="max-[420px]:sr-only" if actions else "")
    return rx.fragment(
        rx.fragment() if staff_menu else skip_link(),
        rx.el.header(
            rx.el.div(
                rx.el.div(
                    rx.cond(SessionState.is_staff, staff_menu, logo) if staff_menu else logo,
                    rx.cond(is_sample() & ~_is_a_persons(current), preview_label("max-md:hidden")),
                    class_name="flex min-w-0 items-center gap-4",
                ),
                rx.el.div(
                    actions or rx.fragment(),
                    user_menu(current),
                    class_name="flex shrink-0 items-center gap-2 sm:gap-3",
                ),
                class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
            ),
            rx.cond(
                is_sample() & ~_is_a_persons(current),
                rx.el.div(preview_label(), class_name=f"-mt-1 pb-2 md:hidden {SECTION}"),
            ),
            class_name="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur",
        ),
        rx.el.main(*children, id="content", class_name=f"py-6 sm:py-10 {SECTION}"),
    )


def settings_page(
    title: str,
    *cards: Any,
    current: str,
    wide: bool = False,
    back: rx.Component | None = None,
) -> rx.Component:
    """Return a settings screen: one column of cards, and a link back to the dashboard or `back`."""
    return customer_page(
        rx.el.div(
            rx.el.div(
                back or way_back("Back to Dashboard", routes.DASHBOARD),
                PageHeading.create(title, class_name=TITLE),
            ),
            *cards,
            class_name=f"{_COLUMN} max-w-5xl" if wide else f"{_COLUMN} max-w-3xl",
        ),
        current=current,
    )


def unless_own(own: rx.Component, sample: rx.Component) -> rx.Component:
    """Return the screen of a signed-in customer, or the preview's."""
    return rx.cond(
        CustomerState.is_own,
        rx.cond(CustomerState.is_customer, own),
        rx.cond(is_known(), sample, loading()),
    )


def loading() -> rx.Component:
    """Return the card that stands there until the state has answered."""
    return card(rx.el.div(class_name="skeleton h-24 rounded-control", aria_hidden=True))
