"""Form fields: label, control, hint and error, tied together for every reader.

A phone number formats itself to (XXX) XXX-XXXX while it is typed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import reflex as rx
from reflex_components_core.el.elements.forms import BaseInput, CheckboxInput

from fuel_app.kit.ui.script import Script

CONTROL = (
    "block w-full min-h-11 rounded-control border border-[#8FA3AB] bg-surface px-3 py-2 text-base "
    "text-ink placeholder:text-muted transition-colors duration-150 "
    "hover:border-muted aria-[invalid=true]:border-danger aria-[invalid=true]:bg-[#FEF6F5] "
    "disabled:cursor-not-allowed disabled:bg-sand disabled:text-muted"
)

# Far above any rule, so that a message can say what is too long, and far below what a message to
# the server may hold.
PASTE_MAX = 2000
_INPUT = partial(rx.el.input, max_length=PASTE_MAX)


def described(control_id: str, hint: Any) -> str:
    return f"{control_id}-error" + (f" {control_id}-hint" if hint is not None else "")


def framed(
    control: rx.Component, control_id: str, label: str, error: Any, hint: Any, optional: bool
) -> rx.Component:
    """Render a control with its label above, its error and its hint below."""
    return rx.el.div(
        rx.el.label(
            label,
            rx.el.span(" (optional)", class_name="font-normal text-muted") if optional else "",
            html_for=control_id,
            class_name="mb-1 block text-sm font-semibold text-ink",
        ),
        control,
        error_text(f"{control_id}-error", error),
        rx.el.p(hint, id=f"{control_id}-hint", class_name="mt-1 text-sm text-muted")
        if hint is not None
        else rx.fragment(),
    )


def error_text(element_id: str, error: Any) -> rx.Component:
    """Render a field's error; always there, so that screen readers announce its changes."""
    return rx.el.p(
        error,
        id=element_id,
        aria_live="polite",
        class_name="mt-1 text-sm font-medium text-danger empty:mt-0",
    )


def field(
    label: str,
    name: str,
    *,
    form: str,
    error: Any = "",
    hint: Any = None,
    optional: bool = False,
    make: Callable[..., rx.Component] = _INPUT,
    **props: Any,
) -> rx.Component:
    """Render a one-line input; `form` and `name` make its id, to which focus can be sent."""
    control_id = field_id(form, name)
    control = make(
        id=control_id,
        name=name,
        aria_describedby=described(control_id, hint),
        aria_invalid=rx.cond(error != "", "true", "false"),
        aria_required=not optional,
        **{"class_name": CONTROL} | props,
    )
    return framed(control, control_id, label, error, hint, optional)


class _PasswordInput(Script, BaseInput):
    tag = "PasswordInput"
    FILE = "password.js"
    _is_tag_in_global_scope = False

    toggle_class: rx.Var[str]


_PASSWORD = partial(
    _PasswordInput.create,
    max_length=PASTE_MAX,
    toggle_class="absolute inset-y-0 right-0 min-w-11 cursor-pointer rounded-control px-3 text-sm "
    "font-semibold text-gulf-deep hover:underline",
)
# Beside what is typed a button shows it.
password_field = partial(
    field, make=_PASSWORD, auto_complete="current-password", class_name=f"{CONTROL} pr-16"
)
new_password_field = partial(password_field, auto_complete="new-password")
code_field = partial(
    field, "Code", "code", input_mode="numeric", auto_complete="one-time-code", max_length=20
)


def textarea_field(label: str, name: str, **props: Any) -> rx.Component:
    """Render an input of several lines; otherwise as `field`."""
    make = partial(rx.el.textarea, rows=4, max_length=10 * PASTE_MAX)
    return field(label, name, make=make, **props)


def select_field(
    label: str,
    name: str,
    options: Sequence[Any] | rx.Component,
    *,
    placeholder: str = "",
    **props: Any,
) -> rx.Component:
    """Render the browser's own select; otherwise as `field`.

    `options` is a list of texts, or a component (such as a foreach) that makes the options.
    """
    listed = (
        [options]
        if isinstance(options, rx.Component)
        else [rx.el.option(text, value=text) for text in options]
    )
    first = rx.el.option(placeholder, value="") if placeholder else rx.fragment()
    # Browsers indent its text by the other 4 px.
    props = {"class_name": f"{CONTROL} pl-2"} | props
    return field(label, name, make=partial(rx.el.select, first, *listed), **props)


def checkbox(label: Any, name: str, *, form: str, **props: Any) -> rx.Component:
    """Render a checkbox; the whole line is the target."""
    return rx.el.label(
        rx.el.input(
            id=field_id(form, name),
            name=name,
            type="checkbox",
            class_name="mt-0.5 h-5 w-5 shrink-0 accent-gulf",
            **props,
        ),
        rx.el.span(label),
        class_name="flex min-h-11 cursor-pointer items-start gap-3 py-2.5 text-base text-ink",
    )


class _Tick(Script, CheckboxInput):
    tag = "Tick"
    FILE = "tick.js"
    _is_tag_in_global_scope = False


def tick(*, checked: Any, on_change: Any, class_name: str = "", **props: Any) -> rx.Component:
    """Render a checkbox whose state the server keeps; it ticks before that has answered."""
    return _Tick.create(
        checked=checked,
        on_change=on_change,
        class_name=f"h-5 w-5 shrink-0 cursor-pointer accent-gulf {class_name}",
        **props,
    )


def bound(name: str, *, form: str, errors: Any, values: Any) -> dict[str, Any]:
    """Return the props that bind a field to its form: its value in the state, and its error."""
    return {"name": name, "form": form, "error": errors[name], "default_value": values[name]}


def field_id(form: str, name: str) -> str:
    return f"{form}-{name}"


def focus_field(form: str, name: str) -> rx.event.EventSpec:
    return rx.set_focus(field_id(form, name))


# Both keep their colours where a system sets its own: these alone say whether it is on.
_TRACK = (
    "relative h-7 w-12 shrink-0 rounded-full transition-colors duration-150 ease-out "
    "forced-color-adjust-none"
)
_THUMB = (
    "absolute left-1 top-1 h-5 w-5 rounded-full bg-surface shadow transition-transform "
    "duration-150 ease-out forced-color-adjust-none"
)


def switch(
    label: Any,
    description: Any,
    *,
    form: str,
    name: Any,
    on: rx.Var[bool],
    on_click: Any,
    disabled: Any = False,
) -> rx.Component:
    """Render a switch; the whole line is the target, its label the switch's name."""
    control_id = field_id(form, name)
    return rx.el.button(
        rx.el.span(
            rx.el.span(
                label, id=f"{control_id}-label", class_name="block text-base font-semibold text-ink"
            ),
            rx.el.span(description, id=f"{control_id}-hint", class_name="block text-sm text-muted"),
        ),
        rx.el.span(
            rx.el.span(class_name=rx.cond(on, f"{_THUMB} translate-x-5", _THUMB)),
            aria_hidden=True,
            class_name=rx.cond(on, f"{_TRACK} bg-gulf", f"{_TRACK} bg-[#6B828B]"),
        ),
        type="button",
        role="switch",
        id=control_id,
        aria_checked=on,
        aria_labelledby=f"{control_id}-label",
        aria_describedby=f"{control_id}-hint",
        on_click=on_click,
        disabled=disabled,
        class_name="flex min-h-14 w-full cursor-pointer items-center justify-between gap-4 "
        "rounded-control px-2 py-2 text-left hover:bg-seafoam "
        "disabled:pointer-events-none disabled:opacity-60",
    )


def checkbox_group(
    label: str,
    name: str,
    options: Sequence[tuple[str, str]],
    *,
    form: str,
    ticked: rx.Var[list[str]],
    error: Any = "",
) -> rx.Component:
    """Render checkboxes for `options` of (value, text); the first has the field's id, for focus."""
    group_id = field_id(form, name)
    return rx.el.fieldset(
        rx.el.legend(label, class_name="mb-1 text-sm font-semibold text-ink"),
        rx.el.div(
            *[
                rx.el.label(
                    rx.el.input(
                        id=group_id if number == 0 else f"{group_id}-{value}",
                        name=name,
                        type="checkbox",
                        value=value,
                        default_checked=ticked.contains(value),
                        aria_describedby=f"{group_id}-error",
                        aria_invalid=rx.cond(error != "", "true", "false"),
                        class_name="h-5 w-5 shrink-0 accent-gulf",
                    ),
                    rx.el.span(text),
                    class_name="flex min-h-11 flex-1 cursor-pointer items-center gap-3 "
                    "rounded-control border border-[#8FA3AB] px-3 text-base text-ink "
                    "hover:border-muted has-[:checked]:border-gulf has-[:checked]:bg-seafoam",
                )
                for number, (value, text) in enumerate(options)
            ],
            class_name="grid gap-3 sm:grid-cols-2",
        ),
        error_text(f"{group_id}-error", error),
    )


class _PhoneInput(Script, BaseInput):
    tag = "PhoneInput"
    FILE = "phone_field.js"
    _is_tag_in_global_scope = False


def phone_field(label: str, name: str, **props: Any) -> rx.Component:
    """Render the whole field; the form around it gets every change, already formatted."""
    return field(
        label,
        name,
        make=_PhoneInput.create,
        placeholder="(XXX) XXX-XXXX",
        auto_complete="tel-national",
        **props,
    )
