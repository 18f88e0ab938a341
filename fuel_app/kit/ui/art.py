"""The brand mark, drawn inline."""

import reflex as rx

_MARK_PATH = (
    "M16 1C16.55 1 17.05 1.25 17.4 1.65C21 5.9 26.9 11.9 26.9 19.1"
    "C26.9 19.36 26.89 19.63 26.87 19.89Q23.86 20.9 21.45 20.9Q18.41 20.9 17.52 19.34"
    "Q16.8 18.11 17.42 16.87Q18.13 15.47 20.12 14.96Q20.8 14.78 21.03 14.12"
    "Q21.2 13.61 20.97 13.13Q20.73 12.64 20.22 12.47Q12.77 9.93 8.69 16.93"
    "Q8.52 17.2 8.21 17.74Q6.88 20.01 5.33 21.32C5.18 20.61 5.1 19.86 5.1 19.1"
    "C5.1 11.9 11 5.9 14.6 1.65C14.95 1.25 15.45 1 16 1ZM26.26 22.79"
    "C24.75 26.99 20.72 30 16 30C11.71 30 8.01 27.53 6.23 23.93Q8.58 22.27 10.46 19.05"
    "Q10.76 18.52 10.91 18.27Q12.9 14.87 15.92 14.49Q15.44 15.03 15.1 15.7"
    "Q13.84 18.19 15.28 20.66Q16.9 23.5 21.45 23.5Q23.67 23.5 26.26 22.79Z"
)


def mark(class_name: str) -> rx.Component:
    """The brand mark in the current text color, hidden from assistive technology."""
    return rx.el.svg(
        rx.el.svg.path(d=_MARK_PATH),
        view_box="0 0 32 32",
        class_name=class_name,
        aria_hidden="true",
        custom_attrs={"fill": "currentColor", "focusable": "false"},
    )
