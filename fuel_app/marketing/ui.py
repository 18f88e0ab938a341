"""The frame of the public pages, their sections, legal texts, and the service area check."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.sign_in import staff_login_link, staff_login_modal
from fuel_app.joining.ui import join_button, waitlist_modal
from fuel_app.kit.ui.button import Kind, button, link_button
from fuel_app.kit.ui.cards import card
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.frame import (
    HEADER_BUTTON,
    PAGES,
    PANEL_LINK,
    SECTION,
    TAGLINE,
    brand,
    email_link,
    menu_button,
    menu_panel,
    menu_row,
    page_link,
    place_link,
    skip_link,
)
from fuel_app.kit.ui.script import TITLE
from fuel_app.marketing.state import ANSWER, OpeningState, ServiceAreaState
from fuel_app.settings import ROOT


def by_opening(until: Any, once: Any, tag: Any = rx.el.span) -> rx.Component:
    """Return both parts: `until` the company is open, and `once` it is."""
    return rx.fragment(tag(until, class_name="until-open"), tag(once, class_name="once-open"))


def start_button(kind: Kind = "primary", class_name: str = "") -> rx.Component:
    """Return the button that opens the waitlist, and once open asks for the ZIP first."""
    return by_opening(
        join_button(kind=kind, class_name=class_name),
        join_button("Check my ZIP", kind=kind, class_name=class_name),
    )


def public_page(*sections: Any, current: str, actions: rx.Component | None = None) -> rx.Component:
    """Return the public page at the address `current`, with the modals of its header and footer.

    The header's `actions` are joining, unless the page has others; once we have opened, they are
    the ways into accounts.
    """
    return rx.el.div(
        skip_link(),
        _header(current, by_opening(actions or join_button(class_name=HEADER_BUTTON), _ways_in())),
        rx.el.main(*sections, id="content"),
        _footer(current),
        waitlist_modal(UP_TO),
        staff_login_modal(),
        # The server marks the document; a page that is reached from another one marks itself.
        custom_attrs={"data-company": rx.cond(OpeningState.is_open, "open", "waitlist")},
        class_name="contents",
    )


def _ways_in() -> rx.Component:
    return rx.cond(
        SessionState.is_person,
        link_button("Dashboard", href=routes.DASHBOARD, class_name=HEADER_BUTTON),
        rx.fragment(
            link_button("Sign In", href=routes.SIGN_IN, kind="quiet", class_name="max-md:hidden"),
            link_button("Get started", href=routes.ONBOARDING, class_name=HEADER_BUTTON),
        ),
    )


def _header(current: str, actions: rx.Component) -> rx.Component:
    return rx.el.header(
        rx.el.div(
            brand(),
            menu_row(current, "hidden md:flex"),
            rx.el.div(
                actions,
                menu_button("inline-flex md:hidden"),
                class_name="-mr-2 flex shrink-0 items-center gap-1 sm:gap-2 md:mr-0",
            ),
            class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
        ),
        menu_panel(
            current,
            by_opening(
                "",
                rx.cond(
                    SessionState.is_person,
                    page_link("Dashboard", routes.DASHBOARD, current, PANEL_LINK),
                    rx.fragment(
                        page_link("Sign In", routes.SIGN_IN, current, PANEL_LINK),
                        page_link("Get started", routes.ONBOARDING, current, PANEL_LINK),
                    ),
                ),
            ),
        ),
        class_name="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur",
    )


def _footer(current: str) -> rx.Component:
    pages = (*PAGES, ("Privacy", routes.PRIVACY), ("Terms", routes.TERMS))
    return rx.el.footer(
        rx.el.div(
            rx.el.div(
                brand("text-white"), rx.el.p(TAGLINE, class_name="mt-1 text-base text-[#B7CBD1]")
            ),
            rx.el.nav(
                *[page_link(text, address, current, _FOOTER_LINK) for text, address in pages],
                email_link(_FOOTER_LINK),
                staff_login_link(_FOOTER_LINK),
                aria_label="Footer",
                class_name="flex flex-wrap items-center gap-x-6 gap-y-1 lg:justify-end",
            ),
            class_name="flex flex-col justify-between gap-6 py-10 lg:flex-row lg:items-center "
            + SECTION,
        ),
        class_name="bg-ink",
    )


_FOOTER_LINK = (
    "inline-flex min-h-11 min-w-11 cursor-pointer items-center text-base text-white "
    "underline-offset-4 hover:underline focus-visible:outline-sun"
)


class Part(NamedTuple):
    """One part; `name` is its fragment in the address."""

    name: str
    title: str
    content: Sequence[Any]


def legal_page(title: str, *parts: Part, dated: str, lead: str, current: str) -> rx.Component:
    return public_page(
        rx.el.div(
            rx.el.header(
                rx.el.h1(
                    title,
                    class_name="text-3xl font-extrabold leading-[1.1] tracking-tight text-ink "
                    "sm:text-5xl",
                ),
                rx.el.p(dated, class_name="mt-3 text-base text-muted"),
                rx.el.p(lead, class_name="mt-4 max-w-[68ch] text-pretty text-lg text-muted"),
            ),
            rx.el.div(
                _contents(parts),
                rx.el.div(
                    *[_part(part) for part in parts], class_name="flex max-w-[68ch] flex-col gap-10"
                ),
                class_name="mt-10 grid gap-10 lg:grid-cols-[240px_1fr] lg:gap-16",
            ),
            class_name=f"py-10 sm:py-16 {SECTION}",
        ),
        current=current,
    )


def text(*words: Any) -> rx.Component:
    return rx.el.p(*words, class_name="mt-3 text-pretty text-lg leading-relaxed text-ink")


def points(*listed: tuple[str, Any]) -> rx.Component:
    """Return a list of (term, explanation)."""
    return rx.el.ul(
        *[
            rx.el.li(rx.el.strong(f"{what}. ", class_name="font-semibold"), explanation)
            for what, explanation in listed
        ],
        class_name="mt-3 flex list-disc flex-col gap-2 pl-5 text-lg leading-relaxed text-ink "
        "marker:text-gulf",
    )


def _contents(parts: Sequence[Part]) -> rx.Component:
    return rx.el.nav(
        rx.el.p("On this page", class_name="text-sm font-bold text-ink"),
        rx.el.ol(
            *[
                rx.el.li(
                    place_link(
                        part.title,
                        part.name,
                        "flex min-h-11 items-center text-base text-muted lg:min-h-9 "
                        "underline-offset-4 hover:text-gulf-deep hover:underline",
                    )
                )
                for part in parts
            ],
            class_name="mt-2 flex flex-col",
        ),
        aria_label="On this page",
        class_name="self-start rounded-card border border-line bg-surface p-5 lg:sticky lg:top-24",
    )


def _part(part: Part) -> rx.Component:
    return rx.el.section(
        rx.el.h2(part.title, class_name="text-2xl font-bold tracking-tight text-ink"),
        *part.content,
        custom_attrs={"id": part.name},
    )


def picture(
    source: str, width: int, height: int, *, alt: str, class_name: str = ""
) -> rx.Component:
    """Return a picture below the fold; width and height reserve its space."""
    return rx.el.img(
        src=source,
        alt=alt,
        loading="lazy",
        custom_attrs={"width": str(width), "height": str(height), "decoding": "async"},
        class_name=f"h-auto {class_name}",
    )


def drawing(source: str, *, alt: str, class_name: str = "") -> rx.Component:
    """Return a small SVG file inline, which saves a request."""
    return rx.html(
        (ROOT / "assets" / source.lstrip("/")).read_text(),
        role="img",
        aria_label=alt,
        class_name=f"[&>svg]:block [&>svg]:h-auto [&>svg]:w-full {class_name}",
    )


H2 = TITLE  # a section of these pages is as much as a page elsewhere
LEAD = "mt-3 max-w-[68ch] text-pretty text-lg text-muted"
# Beside every promise of a free first fill.
UP_TO = f"up to {OpeningState.free_fill_cap} of fuel"
TEXT_LINK = (
    "inline-flex min-h-11 items-center justify-center font-semibold text-gulf-deep "
    "underline-offset-4 hover:underline"
)


def hero(
    title: Any, text: Any, *, eyebrow: str, actions: Sequence[rx.Component], art: str, alt: str
) -> rx.Component:
    """Return the top of a page; `art` is the drawing's address, and `alt` names what it shows."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.p(eyebrow, class_name="text-base font-semibold text-gulf-deep"),
                rx.el.h1(
                    title,
                    class_name="mt-2 text-balance text-3xl font-extrabold leading-[1.1] "
                    "tracking-tight text-ink sm:text-5xl",
                ),
                rx.el.p(text, class_name="mt-4 max-w-[52ch] text-pretty text-lg text-muted"),
                *actions,
                class_name="lg:py-10",
            ),
            drawing(art, alt=alt, class_name="mx-auto w-full max-w-xl"),
            class_name=f"grid items-center gap-8 py-8 lg:grid-cols-2 lg:py-14 {SECTION}",
        ),
        class_name="bg-gradient-to-b from-seafoam to-sand",
    )


def quote_actions(quote_button: rx.Component) -> list[rx.Component]:
    """Return the actions of a page that offers a quote."""
    return [
        actions_row(quote_button, place_link("How it works", "how-it-works", TEXT_LINK)),
        rx.el.p(
            by_opening(
                "We are not delivering yet. Ask for your quote now: it is free and binds you to "
                "nothing.",
                "Ask for your quote: it is free and binds you to nothing.",
            ),
            class_name="mt-4 max-w-[52ch] text-balance text-sm text-muted",
        ),
    ]


def actions_row(*children: Any) -> rx.Component:
    """Return buttons below each other on a phone, side by side elsewhere."""
    return rx.el.div(
        *children,
        class_name="mt-6 flex flex-col items-stretch gap-x-4 gap-y-3 sm:flex-row sm:flex-wrap "
        "sm:items-center",
    )


def section(
    *children: Any, title: str = "", lead: str = "", name: str = "", white: bool = False
) -> rx.Component:
    """Return a section of a page; `name` is its fragment."""
    ground = "border-y border-line bg-surface" if white else ""
    heading = [rx.el.h2(title, class_name=H2)] if title else []
    heading += [rx.el.p(lead, class_name=LEAD)] if lead else []
    return rx.el.section(
        rx.el.div(*heading, *children, class_name=f"py-14 sm:py-20 {SECTION}"),
        class_name=f"-scroll-mt-8 {ground}".strip(),
        custom_attrs={"id": name} if name else {},
    )


def closing(title: str, text: str, *actions: Any) -> rx.Component:
    """Return the closing call to action of a page."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(title, class_name=H2),
            rx.el.p(text, class_name="mx-auto mt-3 max-w-[60ch] text-balance text-lg text-muted"),
            rx.el.div(*actions, class_name="mt-6 flex flex-wrap justify-center gap-3"),
            class_name=f"py-14 text-center sm:py-20 {SECTION}",
        ),
        class_name="bg-seafoam",
    )


def icon_cards(
    entries: Sequence[tuple[str, str, str]], class_name: str = "md:grid-cols-3"
) -> rx.Component:
    """Return cards of (icon, title, text)."""
    return rx.el.ul(
        *[
            rx.el.li(
                card(
                    _icon(icon),
                    rx.el.h3(title, class_name="mt-4 text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="mt-1 text-pretty text-base text-muted"),
                    class_name="h-full",
                )
            )
            for icon, title, text in entries
        ],
        class_name=f"mt-8 grid gap-4 {class_name}",
    )


def icon_list(entries: Sequence[tuple[str, str, str]], class_name: str) -> rx.Component:
    """Return (icon, title, text) without boxes, for longer lists."""
    return rx.el.ul(
        *[
            rx.el.li(
                _icon(icon),
                rx.el.div(
                    rx.el.h3(title, class_name="text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="mt-0.5 text-pretty text-base text-muted"),
                ),
                class_name="flex gap-4",
            )
            for icon, title, text in entries
        ],
        class_name=f"mt-10 grid gap-x-8 gap-y-8 {class_name}",
    )


def _icon(name: str) -> rx.Component:
    return rx.el.span(
        rx.icon(name, size=24, aria_hidden=True),
        class_name="inline-flex h-12 w-12 shrink-0 items-center justify-center rounded-control "
        "bg-seafoam text-gulf-deep",
    )


def steps(entries: Sequence[tuple[str, str]], class_name: str = "flex flex-col") -> rx.Component:
    """Return numbered steps of (title, text)."""
    return rx.el.ol(
        *[
            rx.el.li(
                rx.el.span(
                    str(number),
                    aria_hidden=True,
                    class_name="flex h-10 w-10 shrink-0 items-center justify-center "
                    "rounded-full bg-gulf text-lg font-bold text-white",
                ),
                rx.el.div(
                    rx.el.h3(title, class_name="text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="text-pretty text-base text-muted"),
                ),
                class_name="flex gap-4",
            )
            for number, (title, text) in enumerate(entries, start=1)
        ],
        class_name=f"mt-8 gap-6 {class_name}",
    )


def service_area_check() -> rx.Component:
    return rx.el.div(
        rx.el.form(
            rx.el.div(
                field(
                    "ZIP code",
                    "zip_code",
                    form="service-area",
                    error=ServiceAreaState.error,
                    default_value=ServiceAreaState.zip_code,
                    input_mode="numeric",
                    auto_complete="postal-code",
                    max_length=5,
                ),
                class_name="min-w-0 flex-1",
            ),
            button("Check my ZIP", type="submit", kind="secondary", class_name="mt-6 shrink-0"),
            on_submit=ServiceAreaState.check,
            no_validate=True,
            class_name="flex items-start gap-3",
        ),
        rx.el.div(
            rx.cond(ServiceAreaState.zip_code != "", _answer()), role="status", class_name="mt-3"
        ),
    )


def _answer() -> rx.Component:
    return rx.el.div(
        rx.cond(
            ServiceAreaState.is_served,
            _here(),
            rx.cond(ServiceAreaState.is_open, _elsewhere(), _before_opening()),
        ),
        class_name="rounded-card bg-seafoam p-4",
    )


def _here() -> rx.Component:
    return rx.fragment(
        *_words(
            f"Yes: we deliver in {ServiceAreaState.zip_code}.",
            "Choose a plan, or book a one-time fill.",
        ),
        rx.el.div(
            button("Get started", on_click=ServiceAreaState.start),
            link_button("Book a One-Time Fill", href=routes.ONE_TIME_FILL, kind="quiet"),
            class_name="mt-3 flex flex-wrap gap-3",
        ),
    )


def _elsewhere() -> rx.Component:
    return rx.fragment(
        *_words(
            f"Not yet: we do not deliver in {ServiceAreaState.zip_code}.",
            "Join the waitlist: we write to you as soon as we open there, and your first fill-up "
            f"is free, {UP_TO}.",
        ),
        _join(),
    )


def _before_opening() -> rx.Component:
    inside = ServiceAreaState.city != ""
    code = ServiceAreaState.zip_code
    return rx.fragment(
        *_words(
            rx.cond(
                inside,
                f"Yes: {code} ({ServiceAreaState.city}) is inside our service area.",
                f"Not yet: {code} is outside our service area, which is Sarasota and Bradenton.",
            ),
            rx.cond(
                inside,
                "Join the waitlist, and we write to you as soon as we start.",
                "Join the waitlist all the same: it shows us where to go next.",
            ),
        ),
        _join(),
    )


def _words(answer: Any, next_step: Any) -> tuple[rx.Component, rx.Component]:
    return (
        rx.el.p(
            answer,
            id=ANSWER,
            tab_index=-1,
            class_name="text-base font-semibold text-ink focus:outline-none",
        ),
        rx.el.p(next_step, class_name="mt-1 text-base text-muted"),
    )


def _join() -> rx.Component:
    return button("Join Waitlist", class_name="mt-3", on_click=ServiceAreaState.wait)
