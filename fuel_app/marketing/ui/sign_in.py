"""The Sign In dialog, which before launch only announces accounts."""

import reflex as rx

from fuel_app import routes
from fuel_app.joining.ui.modal import join_button
from fuel_app.kit.ui.button import Kind, button, link_button
from fuel_app.kit.ui.dialog import dialog, dismissing


def sign_in_button(kind: Kind = "quiet", class_name: str = "") -> rx.Component:
    return dialog(
        rx.el.p(
            "Join the waitlist now: your first fill-up is free, and we write to you when your "
            "account can be opened. Until then you can look around with sample data.",
            class_name="text-base text-ink",
        ),
        rx.el.div(
            dismissing(link_button("See a preview", href=routes.DASHBOARD, kind="secondary")),
            dismissing(join_button()),
            class_name="mt-6 flex flex-wrap justify-end gap-3",
        ),
        trigger=button("Sign In", kind=kind, class_name=class_name),
        title="Sign In opens with our service",
        description="We are not delivering yet, so there are no customer accounts yet.",
        width="sm:max-w-md",
    )
