"""The vehicles manager: the registered vehicles, and the dialog that adds and edits them."""

import reflex as rx

from fuel_app.customers.state.cards import VehicleCard
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.vehicles import ADD_BUTTON, UNDO_BUTTON, VehiclesState
from fuel_app.customers.ui.fields import vehicle_fields
from fuel_app.customers.ui.photo import vehicle_photo
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, alert, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.live_form import live_form


def vehicles() -> rx.Component:
    return panel(
        "Vehicles",
        rx.cond(
            CustomerState.vehicles.length() > 0,
            rx.el.ul(
                rx.foreach(CustomerState.vehicles, _vehicle),
                class_name="mt-2 divide-y divide-line",
            ),
            rx.cond(CustomerState.card.name != "", _no_vehicles()),
        ),
        _undo(),
        _form(),
        action=button(
            rx.icon("plus", size=20, aria_hidden=True),
            "Add Vehicle",
            kind="secondary",
            on_click=VehiclesState.add,
            id=ADD_BUTTON,
        ),
    )


def _vehicle(vehicle: rx.Var[VehicleCard]) -> rx.Component:
    return rx.el.li(
        vehicle_photo(vehicle.image, class_name="h-20 w-24 sm:w-28", alt=vehicle.title),
        rx.el.div(
            rx.el.h3(vehicle.title, class_name="text-base font-bold text-ink"),
            rx.el.p(vehicle.details, class_name=TEXT),
            rx.el.p(vehicle.tank, class_name="text-sm text-muted"),
            class_name="min-w-0 flex-1 break-words",
        ),
        rx.el.div(
            button(
                "Edit",
                rx.el.span(vehicle.title, class_name="sr-only"),
                kind="quiet",
                on_click=VehiclesState.change(vehicle.id),
                class_name="px-3",
            ),
            button(
                "Delete",
                rx.el.span(vehicle.title, class_name="sr-only"),
                kind="quiet",
                on_click=VehiclesState.remove(vehicle.id),
                class_name="px-3 !text-danger hover:!bg-[#FEF1EF]",
            ),
            class_name="flex gap-1 max-sm:-my-1 max-sm:ml-[100px] max-sm:w-full",
        ),
        key=vehicle.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-4",
    )


def _no_vehicles() -> rx.Component:
    return rx.el.div(
        rx.icon("car", size=36, aria_hidden=True, class_name="text-[#8FA3AB]"),
        rx.el.p("No vehicles registered yet", class_name=TEXT),
        button("Add Your First Vehicle", on_click=VehiclesState.add),
        class_name="flex flex-col items-center gap-3 py-8",
    )


def _undo() -> rx.Component:
    return rx.el.div(
        rx.cond(
            VehiclesState.removed != "",
            rx.el.p(
                rx.el.span(f"{VehiclesState.removed} was deleted."),
                rx.el.button(
                    "Undo",
                    type="button",
                    on_click=VehiclesState.undo,
                    id=UNDO_BUTTON,
                    class_name="link min-h-11 shrink-0 cursor-pointer px-2",
                ),
                class_name="mt-3 flex items-center justify-between gap-3 "
                "rounded-control bg-seafoam py-1 pl-4 pr-2 text-base text-ink",
            ),
        ),
        role="status",
    )


def _form() -> rx.Component:
    return dialog(
        live_form(
            alert(VehiclesState.refusal),
            vehicle_fields(VehiclesState),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=VehiclesState.show(False)),
                button(
                    rx.cond(VehiclesState.editing != "", "Save Changes", "Add Vehicle"),
                    type="submit",
                ),
                class_name="mt-6 flex flex-wrap justify-end gap-3",
            ),
            on_edit=VehiclesState.edit_vehicle,
            on_submit=VehiclesState.save,
        ),
        open=VehiclesState.opened,
        on_open_change=VehiclesState.show,
        title=rx.cond(VehiclesState.editing != "", "Edit Vehicle", "Add Vehicle"),
        description="We estimate the tank from make and model.",
        width="sm:max-w-xl",
    )
