"""One monthly plan as a card: to read, or to choose."""

from typing import Any

import reflex as rx

from fuel_app.plans.rules.plans import Plan

_CARD = "relative flex h-full flex-col rounded-card bg-surface p-5 shadow-soft sm:p-6"
_PLAIN = "border border-line"
_MARKED = "border border-gulf ring-1 ring-gulf"
_CHOICE = (
    "border border-line hover:border-gulf has-[:checked]:border-gulf has-[:checked]:bg-[#F2FAF8] "
    "has-[:checked]:ring-1 has-[:checked]:ring-gulf"
)


def plan_card(plan: Plan, *, action: Any, selected: Any = None) -> rx.Component:
    """Return a plan with an action at its foot.

    The `selected` plan is marked; where there is no choice, the popular one is.
    """
    marked = plan.popular if selected is None else selected
    return rx.el.article(
        *_inside(plan),
        action,
        class_name=rx.cond(marked, f"{_CARD} {_MARKED}", f"{_CARD} {_PLAIN}"),
    )


def plan_choice(plan: Plan, *, selected: Any, on_choose: Any) -> rx.Component:
    """Return a plan as a radio button, `selected` at first; the whole card takes the click."""
    return rx.el.article(
        *_inside(plan),
        rx.el.label(
            rx.el.input(
                type="radio",
                name="plan",
                value=plan.id,
                default_checked=selected,
                on_change=on_choose,
                class_name="relative z-10 h-5 w-5 shrink-0 accent-gulf",
            ),
            rx.el.span(f"Choose {plan.name}", class_name="relative z-10"),
            class_name="flex min-h-11 cursor-pointer items-center gap-3 rounded-control text-base "
            "font-semibold text-gulf-deep after:absolute after:inset-0 after:rounded-card "
            "after:content-['']",
        ),
        class_name=f"{_CARD} {_CHOICE}",
    )


def _inside(plan: Plan) -> list[rx.Component]:
    return [
        rx.el.p(
            "Most Popular",
            class_name="absolute -top-3.5 left-5 rounded-full bg-sun px-3 py-1 text-sm font-bold "
            "leading-5 text-ink sm:left-6",
        )
        if plan.popular
        else rx.fragment(),
        rx.el.h3(plan.name, class_name="text-xl font-bold text-ink"),
        rx.el.p(plan.description, class_name="mt-1 text-base text-muted lg:min-h-12"),
        rx.el.p(
            rx.el.span(plan.price.short, class_name="text-[2.5rem] font-extrabold tracking-tight"),
            rx.el.span("/month", class_name="text-base font-medium text-muted"),
            class_name="mt-4 leading-none text-ink",
        ),
        rx.el.p(
            f"plus the market price of fuel. {plan.price_per_fill.short} a fill.",
            class_name="mt-2 text-sm text-muted",
        ),
        rx.el.ul(
            _feature(rx.el.strong(f"{plan.fills} fills per month", class_name="font-semibold")),
            *[_feature(feature) for feature in plan.features],
            class_name="mb-6 mt-5 flex grow flex-col gap-2.5 border-t border-line pt-5",
        ),
    ]


def _feature(text: Any) -> rx.Component:
    return rx.el.li(
        rx.icon("check", size=20, aria_hidden=True, class_name="mt-0.5 shrink-0 text-gulf"),
        rx.el.span(text),
        class_name="flex gap-2.5 text-base text-ink",
    )
