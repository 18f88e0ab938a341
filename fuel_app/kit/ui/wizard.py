"""The frame of a wizard: step indicator, progress, buttons."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.button import link_button, submit_button
from fuel_app.kit.ui.cards import preview_label, progress_bar
from fuel_app.kit.ui.frame import SECTION, brand, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading


@dataclass(frozen=True, slots=True)
class WizardStep:
    title: str
    address: str
    done: Any = False  # whether it has a check mark; a Var works too


def step_indicator(
    steps: Sequence[WizardStep], current: int, on_lead: Callable[[str], Any] | None
) -> rx.Component:
    entries = []
    for number, step in enumerate(steps, start=1):
        here = {"aria-current": "step"} if number == current + 1 else {}
        inside = (_circle(number, step.done, bool(here)), rx.el.span(step.title))
        look = (
            "flex min-h-11 items-center gap-1.5 rounded-control text-sm font-semibold sm:gap-2 "
            "sm:text-base "
            f"{'text-gulf-deep' if here else 'text-muted'}"
        )
        entries.append(
            rx.el.li(
                rx.el.a(
                    *inside,
                    href=step.address,
                    on_click=on_lead(step.address),
                    custom_attrs=here,
                    class_name=f"{look} underline-offset-4 hover:underline",
                )
                if on_lead
                else rx.el.div(*inside, custom_attrs=here, class_name=look)
            )
        )
    return rx.el.nav(
        rx.el.ol(*entries, class_name="flex flex-wrap items-center gap-x-3.5 sm:gap-x-6"),
        aria_label="Steps",
    )


def _circle(number: int, done: Any, here: bool) -> rx.Component:
    """Return the step's number, or a check mark once it is done and left."""
    shape = "flex h-7 w-7 shrink-0 items-center justify-center rounded-full text-sm font-bold"
    if here:
        return rx.el.span(str(number), class_name=f"{shape} bg-gulf text-white")
    return rx.cond(
        done,
        rx.el.span(
            rx.icon("check", size=18, aria_hidden=True),
            rx.el.span("Completed:", class_name="sr-only"),
            class_name=f"{shape} bg-[#CFE9E3] text-gulf-deep",
        ),
        rx.el.span(
            str(number), class_name=f"{shape} border border-[#8FA3AB] bg-surface text-muted"
        ),
    )


def wizard(
    *children: Any,
    steps: Sequence[WizardStep],
    current: int,
    title: str,
    lead: str,
    home: str,
    ready: rx.Var[bool],
    over: str = "",
    wide: bool = False,
    on_lead: Callable[[str], Any] | None = None,
    preview: Any = True,
) -> rx.Component:
    """Return one step of a wizard.

    Args:
        current: The step's number, from 0.
        title: The step's heading; `lead` says more below it, `over` names the wizard above it.
        ready: False until the tab's own data is there; fields begin with what was typed before.
        on_lead: Makes the event for a step's address; with it, the indicator's steps are links.
        preview: Whether it says that nothing is stored; a Var works too.
    """
    width = "max-w-6xl" if wide else "max-w-2xl"
    return rx.fragment(
        skip_link(),
        _top_bar(len(steps), current, home, preview),
        rx.el.main(
            step_indicator(steps, current, on_lead),
            rx.el.p(over, class_name="mt-5 text-base font-semibold text-gulf-deep sm:mt-8")
            if over
            else rx.fragment(),
            PageHeading.create(title, class_name=f"{TITLE} {'mt-1' if over else 'mt-5 sm:mt-8'}"),
            rx.el.p(lead, class_name="mt-2 text-pretty text-base text-muted"),
            rx.el.div(
                rx.cond(ready, rx.fragment(*children), _waiting()), class_name="mt-5 sm:mt-6"
            ),
            rx.cond(preview, _preview_note()),
            id="content",
            class_name=f"mx-auto w-full px-4 pb-6 pt-4 sm:px-6 sm:py-10 {width}",
        ),
    )


def _top_bar(total: int, current: int, home: str, preview: Any) -> rx.Component:
    text = f"Step {current + 1} of {total}"
    return rx.el.header(
        rx.el.div(
            rx.el.div(
                brand(href=home),
                rx.cond(preview, preview_label("max-md:hidden")),
                class_name="flex min-w-0 items-center gap-4",
            ),
            rx.el.p(text, class_name="shrink-0 text-base font-semibold tabular-nums text-muted"),
            class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
        ),
        rx.cond(preview, rx.el.div(preview_label(), class_name=f"-mt-1 pb-2 md:hidden {SECTION}")),
        rx.el.div(
            progress_bar(current + 1, total, text, "gulf"),
            class_name="[&>progress]:h-1 [&>progress]:rounded-none",
        ),
        class_name="sticky top-0 z-30 bg-surface",
    )


def _waiting() -> rx.Component:
    skeleton = rx.el.div(class_name="skeleton h-11 rounded-control")
    return rx.el.div(
        rx.el.p("Loading...", class_name="sr-only"),
        *[skeleton] * 4,
        role="status",
        class_name="flex flex-col gap-6",
    )


def _preview_note() -> rx.Component:
    return rx.el.p(
        "We are not delivering yet. This is a preview with sample data: nothing is booked, charged "
        "or stored. ",
        rx.el.a("Join the waitlist", href=f"{routes.HOME}?waitlist=true", class_name="link"),
        " to be told when we start.",
        class_name="mt-10 border-t border-line pt-5 text-pretty text-sm text-muted",
    )


def step_buttons(back: rx.Component, text: str, busy: Any = False, **props: Any) -> rx.Component:
    """Return the buttons at the foot of a step; while `busy` the next one cannot be pressed."""
    return rx.el.div(
        back,
        submit_button(
            text,
            busy=busy,
            busy_text="Please wait...",
            class_name="ml-auto whitespace-nowrap max-sm:flex-1 max-sm:px-3",
            **props,
        ),
        class_name="mt-8 flex items-center justify-between gap-3",
    )


def back_link(address: str, text: str = "Back") -> rx.Component:
    return link_button(text, href=address, kind="secondary", class_name="max-sm:flex-1")


def start_at(asked: str, steps: Iterable[tuple[str, bool]]) -> str | None:
    """Return the first incomplete step before the requested one, else None.

    The steps are addresses and whether each is done; the last one never is.
    """
    asked = asked.rstrip("/")
    opens = next(address for address, done in steps if address == asked or not done)
    return None if opens == asked else opens
