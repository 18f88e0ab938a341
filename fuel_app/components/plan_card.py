"""One monthly plan as a card: to read, or to choose."""

from typing import Any

import reflex as rx

from fuel_app.components.button import button
from fuel_app.domain.plans import Plan

_CARD = "relative flex h-full flex-col rounded-card bg-surface p-5 shadow-soft sm:p-6"
_PLAIN = f"{_CARD} border border-line"
_MARKED = f"{_CARD} border border-gulf ring-1 ring-gulf"


def plan_card(
    plan: Plan,
    *,
    action: rx.Component | None = None,
    selected: Any = None,
    on_click: Any = None,
) -> rx.Component:
    """A plan with its price and everything in it.

    Args:
        plan: What is shown.
        action: What stands at the card's foot, such as a button.
        selected: Whether this is the chosen plan (a Var works too); it is marked then. Where
            nothing is to be chosen, the popular plan is.
        on_click: The event that chooses this plan; the whole card takes the click.
    """
    marked = plan.popular if selected is None else selected
    return rx.el.article(
        rx.el.p(
            "Most Popular",
            class_name="absolute -top-3.5 left-5 rounded-full bg-sun px-3 py-1 text-sm font-bold "
            "leading-5 text-ink sm:left-6",
        )
        if plan.popular
        else rx.fragment(),
        rx.el.h3(plan.name, class_name="text-xl font-bold text-ink"),
        rx.el.p(plan.description, class_name="mt-1 text-base text-muted lg:min-h-12"),
        _price(plan),
        _features(plan),
        _chooser(plan, selected, on_click) if on_click is not None else action or rx.fragment(),
        class_name=(_MARKED if marked else _PLAIN)
        if isinstance(marked, bool)
        else rx.cond(marked, _MARKED, _PLAIN),
    )


def _price(plan: Plan) -> rx.Component:
    return rx.fragment(
        rx.el.p(
            rx.el.span(f"${plan.price}", class_name="text-[40px] font-extrabold tracking-tight"),
            rx.el.span("/month", class_name="text-base font-medium text-muted"),
            class_name="mt-4 leading-none text-ink",
        ),
        rx.el.p(
            f"plus the market price of fuel. {plan.price_per_fill} a fill.",
            class_name="mt-2 text-sm text-muted",
        ),
    )


def _features(plan: Plan) -> rx.Component:
    return rx.el.ul(
        _feature(rx.el.strong(f"{plan.fills} fills per month", class_name="font-semibold")),
        *[_feature(feature) for feature in plan.features],
        class_name="mb-6 mt-5 flex grow flex-col gap-2.5 border-t border-line pt-5",
    )


def _feature(text: Any) -> rx.Component:
    return rx.el.li(
        rx.icon("check", size=20, aria_hidden=True, class_name="mt-0.5 shrink-0 text-gulf"),
        rx.el.span(text),
        class_name="flex gap-2.5 text-base text-ink",
    )


def _chooser(plan: Plan, selected: Any, on_click: Any) -> rx.Component:
    """A button at the foot whose target is the whole card."""
    return button(
        rx.cond(selected, "Selected", "Choose"),
        rx.el.span(plan.name, class_name="sr-only"),
        kind="secondary",
        aria_pressed=selected,
        on_click=on_click,
        class_name="w-full after:absolute after:inset-0 after:rounded-card after:content-['']",
    )
