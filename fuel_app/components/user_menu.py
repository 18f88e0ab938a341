"""The customer's own menu, in the top bar of every customer screen."""

import reflex as rx

from fuel_app import routes
from fuel_app.states.customer import CustomerState

_LINKS = (
    ("settings", "Account Settings", routes.ACCOUNT),
    ("credit-card", "Billing & Plans", routes.BILLING),
    ("bell", "Notifications", routes.NOTIFICATIONS),
    ("shield", "Privacy & Security", routes.SECURITY),
    ("circle-help", "Help & Support", routes.SUPPORT),
)

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
    "hover:bg-seafoam hover:text-gulf-deep focus-visible:-outline-offset-2 "
    "aria-[current=page]:bg-seafoam aria-[current=page]:text-gulf-deep"
)


def user_menu(current: str) -> rx.Component:
    """The button with the initials, and what it opens. `current` is the page's own address."""
    customer = CustomerState.card
    return rx.fragment(
        rx.el.button(
            customer.initials,
            type="button",
            aria_label=rx.cond(customer.name != "", f"Your menu, {customer.name}", "Your menu"),
            custom_attrs={"popoverTarget": _PANEL_ID},
            class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center "
            "rounded-full bg-gulf text-base font-bold text-white hover:bg-gulf-deep",
        ),
        rx.el.div(
            rx.el.div(
                rx.el.p(customer.name, class_name="font-bold text-ink"),
                rx.el.p(customer.plan, class_name="text-sm font-semibold text-gulf-deep"),
                rx.el.p(customer.email, class_name="break-words text-sm text-muted"),
                class_name="border-b border-line px-3 pb-3 pt-1",
            ),
            rx.el.nav(
                *[_link(icon, text, address, current) for icon, text, address in _LINKS],
                aria_label="Your account",
                class_name="py-2",
            ),
            rx.el.div(
                _link("log-out", "Log Out", routes.HOME, current),
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


def _link(icon: str, text: str, address: str, current: str) -> rx.Component:
    here = {"aria-current": "page"} if address == current else {}
    return rx.el.a(
        rx.icon(icon, size=20, aria_hidden=True, class_name="shrink-0 text-muted"),
        text,
        href=address,
        class_name=_LINK,
        custom_attrs=here,
    )
