"""Delete Account: what it means, and one more question."""

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, TEXT
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.states.account import AccountState


def ending() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Delete Account", class_name=H2),
        rx.el.p(
            "Deleting your account removes all your data and cancels active subscriptions.",
            class_name=f"mt-0.5 {TEXT}",
        ),
        dialog(
            rx.el.div(
                dismissing(button("Cancel", kind="secondary")),
                dismissing(
                    button("Delete Account", kind="danger", on_click=AccountState.delete_account)
                ),
                class_name="mt-4 flex flex-wrap justify-end gap-3",
            ),
            trigger=button("Delete Account", kind="danger", class_name="mt-4"),
            title="Confirm Deletion",
            description="Are you sure you want to delete your account? "
            "This action cannot be undone.",
            width="sm:max-w-md",
        ),
        class_name="rounded-card border border-danger/40 bg-[#FEF6F5] p-5 sm:p-6",
    )
