"""Inline artwork: the brand mark and the street that lights up as neighbors join."""

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

# Each house takes three colors from its <use>: fill = walls, text = roof, stroke = windows, glow.
_LIT = "fill-surface text-gulf stroke-sun"
_UNLIT = "fill-sand text-line stroke-line"

_COLUMN = 40  # width of one lot
_ROW = 60  # from one side of the street to the other
_GLOW = "M20 28h.01"

# Gable, low ranch, two storeys: walls, roof, windows and door (as thick strokes).
_HOUSES = (
    ("M8 24H32V44H8Z", "M20 14 35 26H5Z", "M12 32.5h6M22 32.5h6M22 38h6M22 41h6"),
    ("M6 26H34V44H6Z", "M11 18H29L37 27H3Z", "M9 34.5h5M26 34.5h5M17 34.5h6M17 38h6M17 41h6"),
    ("M10 18H30V44H10Z", "M20 8 33 19H7Z", "M13 25.5h5M22 25.5h5M13 35.5h5M22 35.5h5M22 41h5"),
)


def _house(index: int) -> rx.Component:
    """One house shape, drawn once and reused along the street."""
    walls, roof, windows = _HOUSES[index]
    paint = {"stroke": "currentColor"}
    return rx.el.svg.symbol(
        rx.el.svg.path(d=_GLOW, custom_attrs={"strokeWidth": 34, "strokeOpacity": 0.2}),
        rx.el.svg.path(d=walls, custom_attrs=paint),
        rx.el.svg.path(d=windows, custom_attrs={"strokeWidth": 5.5, "strokeLinecap": "butt"}),
        rx.el.svg.path(d=roof, custom_attrs={"fill": "currentColor", **paint}),
        # Plain attributes: the framework's id would create a ref, its style props a style tag.
        custom_attrs={"id": f"street-house-{index}", "overflow": "visible"},
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


def street(lit: int, houses: int) -> rx.Component:
    """A street of small houses: the first `lit` ones glow, the others are quiet outlines.

    Houses light up along the street, both sides at once: houses 0 and 1 face each other at
    the left end, 2 and 3 come next.
    """
    width = (houses + 1) // 2 * _COLUMN
    row_of_houses = [
        rx.el.svg.use(
            href=f"#street-house-{(number // 2 + number % 2 * 2) % len(_HOUSES)}",
            x=number // 2 * _COLUMN,
            y=number % 2 * _ROW,
            class_name=_LIT if number < lit else _UNLIT,
        )
        for number in range(houses)
    ]
    return rx.el.svg(
        rx.el.svg.defs(*[_house(index) for index in range(len(_HOUSES))]),
        rx.el.svg.rect(y=48, width=width, height=14, rx=7, class_name="fill-seafoam"),
        rx.el.svg.path(
            d=f"M10 55H{width - 10}",
            class_name="stroke-surface",
            custom_attrs={"strokeWidth": 1.5, "strokeDasharray": "8 8"},
        ),
        rx.el.svg.g(
            *row_of_houses,
            class_name="*:transition-colors *:duration-200",
            custom_attrs={"strokeWidth": 1.5, "strokeLinejoin": "round", "strokeLinecap": "round"},
        ),
        view_box=f"0 4 {width} 102",
        role="img",
        aria_label=f"{lit} of {houses} houses lit",
        class_name="block h-auto w-full",
    )
