"""The frame of every page: toasts, the lost connection, the error page."""

import reflex as rx
from reflex_components_core.core.banner import has_connection_errors, has_too_many_connection_errors

from fuel_app import routes
from fuel_app.kit.ui.address import Moves
from fuel_app.kit.ui.art import mark
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.page_heading import TITLE
from fuel_app.kit.ui.script import Script
from fuel_app.kit.ui.toast import toasts

# A form that is submitted before React has loaded would put its values into the address. React
# would escape quotes and arrow functions.
_NO_GET = """addEventListener(`submit`, function (event) {
  if (event.target.method == `get`) event.preventDefault();
}, true)"""
HEAD = [
    rx.el.script(_NO_GET),
    rx.el.link(
        rel="preload",
        href="/fonts/figtree-latin.woff2",
        custom_attrs={"as": "font", "type": "font/woff2", "crossOrigin": "anonymous"},
    ),
    rx.el.link(rel="icon", href="/favicon.ico", sizes="32x32"),
    rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
    rx.el.link(rel="apple-touch-icon", href="/apple-touch-icon.png"),
    rx.el.link(rel="manifest", href="/site.webmanifest"),
    rx.el.meta(name="theme-color", content="#0E7C86"),
]
ERROR_TITLE = "Unexpected Application Error!"


class _TypedEarly(Script):
    tag = "TypedEarly"
    FILE = "typed_early.js"
    settled: rx.Var[bool]
    failing: rx.Var[bool]

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useLocation"}


def overlay() -> rx.Component:
    return rx.fragment(
        toasts(),
        Moves.create(),
        _TypedEarly.create(settled=rx.State.is_hydrated, failing=has_connection_errors),
        rx.el.div(
            rx.cond(
                has_too_many_connection_errors,
                rx.el.p(
                    rx.icon("wifi-off", size=20, aria_hidden=True),
                    "The connection is interrupted. What you typed is safe; we keep trying.",
                    class_name="flex items-center justify-center gap-2 bg-sun px-4 py-3 text-base "
                    "font-semibold text-ink",
                ),
            ),
            role="status",
            class_name="fixed inset-x-0 top-0 z-[70]",
        ),
    )


def error_page(what: rx.Var[str] | str) -> rx.Component:
    """Return the page for an unknown address and for a failed page."""
    return rx.el.main(
        mark("mb-6 h-12 w-12 text-gulf"),
        rx.el.h1(ERROR_TITLE, class_name=TITLE),
        rx.el.p(what, class_name="mt-3 max-w-[68ch] break-words text-lg text-muted"),
        # The browser's own link: the router's would stay inside the page that has just failed.
        rx.el.A.create(
            "Back to the start", href=routes.HOME, class_name=button_class("primary", "mt-8")
        ),
        class_name="mx-auto flex min-h-dvh w-full max-w-2xl flex-col items-start justify-center "
        "px-6 py-16",
    )


def not_found() -> rx.Component:
    return error_page("404 Not Found")
