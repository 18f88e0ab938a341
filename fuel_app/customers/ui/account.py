"""Sections of Account Settings: vehicles, personal information, e-mail, neighborhood, messages,
own data, deletion.
"""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.account import NEIGHBORHOOD_CARD, OwnNeighborhoodState
from fuel_app.customers.state.customer import CONSENT, DEVICE, CustomerState, VehicleCard
from fuel_app.customers.state.texts import TEXTS_FORM, OfferTextsState, TextsState
from fuel_app.customers.state.vehicles import ADD_BUTTON, UNDO_BUTTON, VehiclesState
from fuel_app.customers.ui.fields import own_vehicle_fields, vehicle_photo
from fuel_app.customers.ui.page import is_known, is_sample
from fuel_app.customers.ui.push import push_switch
from fuel_app.joining.ui import neighborhood_link, neighborhood_picker, progress
from fuel_app.kit.ui.button import busy_button, button, line_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, panel
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.fields import code_field, switch
from fuel_app.kit.ui.forms import live_form
from fuel_app.messages.rules.delivery import OFFERS_WORDING, WORDING

_CHANNELS = (
    ("email", "Email notifications", "Messages to your e-mail address"),
    ("sms", "SMS notifications", "Text messages to your phone"),
)


def preferences() -> rx.Component:
    """Return Notification Preferences: the two channels that Account Settings shows."""
    return notification_switches("Notification Preferences", _CHANNELS, form="preferences")


def notification_switches(
    title: str, entries: Sequence[tuple[str, str, str]], *, form: str
) -> rx.Component:
    """Return a card of switches from (setting, label, description)."""
    return panel(
        title,
        rx.el.div(
            *[_notification_line(*entry, form) for entry in entries],
            class_name="-mx-2 mt-3 flex flex-col gap-1",
        ),
    )


def _notification_line(name: str, label: str, text: str, form: str) -> rx.Component:
    line = switch(
        label,
        text,
        form=form,
        name=name,
        on=is_known() & CustomerState.notifications[name],
        disabled=~is_known(),
        on_click=CustomerState.toggle_notification(name),
    )
    if name == "marketing":
        return rx.fragment(line, _offer_texts())
    if name == "push":  # the preview shows it, too
        shown = rx.cond(is_sample() | CustomerState.push_offered, line)
        return rx.fragment(shown, rx.cond(CustomerState.push_offered, _device()))
    return rx.fragment(line, _consent()) if name == "sms" else line


def _offer_texts() -> rx.Component:
    """Return the consent to offers by text message, for who gets offers and text messages."""
    state, chosen = OfferTextsState, CustomerState.notifications
    agree = rx.fragment(
        rx.el.p(OFFERS_WORDING, class_name="text-base text-ink"),
        button("Agree to offers by text", on_click=state.agree, class_name="mt-3"),
    )
    end = rx.fragment(
        rx.el.p("You get offers by text message, too.", class_name="text-base text-ink"),
        button("No offers by text", kind="secondary", on_click=state.end, class_name="mt-3"),
    )
    return rx.cond(
        state.shown & chosen["marketing"] & chosen["sms"],
        rx.el.div(
            alert(state.error),
            rx.cond(state.agreed, end, agree),
            role="status",
            class_name="mx-2 mb-2 rounded-control bg-seafoam p-4",
        ),
    )


def _device() -> rx.Component:
    """Return what turns notifications on and off in this browser."""
    return rx.el.div(
        rx.el.div(alert(CustomerState.device_refusal), role="status"),
        push_switch(on_change=CustomerState.device_changed),
        id=DEVICE,
        tab_index=-1,
        class_name="mx-2 mb-2",
    )


def _consent() -> rx.Component:
    """Return what text messages need before they can be turned on."""
    return rx.el.div(
        rx.cond(
            CustomerState.consent_needed,
            rx.cond(
                CustomerState.phone_verified,
                rx.el.div(
                    rx.el.p(WORDING, class_name="text-base text-ink"),
                    button(
                        "Agree and turn on",
                        id=CONSENT,
                        on_click=CustomerState.agree_to_texts,
                        class_name="mt-3",
                    ),
                    class_name="mx-2 mb-2 rounded-control bg-seafoam p-4",
                ),
                _verify_phone(),
            ),
        ),
        rx.el.div(alert(CustomerState.texts_refusal), class_name="mx-2"),
        role="status",
    )


def _verify_phone() -> rx.Component:
    """Return the consent with the code that shows whose phone it is."""
    phone = CustomerState.card.phone
    return rx.el.div(
        alert(rx.cond(TextsState.code_sent, "", TextsState.error)),
        rx.el.p(WORDING, class_name="text-base text-ink"),
        rx.cond(
            phone != "",
            rx.el.p(
                "We text a code to ",
                rx.el.span(phone, class_name="whitespace-nowrap font-semibold"),
                ". ",
                rx.el.a("Another number", href=routes.ACCOUNT, class_name="link"),
                class_name="mt-3 text-base text-ink",
            ),
            rx.el.p(
                "Add your phone first: ",
                rx.el.a("Account Settings", href=routes.ACCOUNT, class_name="link"),
                class_name="mt-3 text-base text-ink",
            ),
        ),
        busy_button(
            rx.cond(TextsState.code_sent, "Send another code", "Agree and text me a code"),
            busy=TextsState.busy,
            busy_text="One moment...",
            disabled=TextsState.busy | (phone == ""),
            kind="secondary",
            id=CONSENT,
            on_click=TextsState.send_code,
            class_name="mt-3",
        ),
        rx.cond(
            TextsState.code_sent,
            rx.el.form(
                code_field(form=TEXTS_FORM, error=TextsState.error),
                submit_button(
                    "Turn on", busy=TextsState.busy, busy_text="Checking...", class_name="mt-3"
                ),
                on_submit=TextsState.confirm,
                no_validate=True,
                class_name="mt-4 max-w-md",
            ),
        ),
        class_name="mx-2 mb-2 rounded-control bg-seafoam p-4",
    )


def own_neighborhood() -> rx.Component:
    """Return the card: the neighborhood, or the picker for those of the ZIP."""
    state = OwnNeighborhoodState
    return rx.cond(
        CustomerState.is_own & CustomerState.is_customer & state.ready,
        panel(
            "Neighborhood",
            rx.el.div(
                rx.cond(
                    state.card.id != "",
                    _membership(),
                    rx.cond(
                        state.zip_code != "",
                        neighborhood_picker(state),
                        rx.el.p("Add your ZIP code above to see the groups near you."),
                    ),
                ),
                id=NEIGHBORHOOD_CARD,
                tab_index=-1,
                class_name=f"mt-4 flex flex-col items-start gap-4 {TEXT} [&>*]:w-full",
            ),
            lead="The more neighbors join, the less everyone pays",
        ),
    )


def _membership() -> rx.Component:
    card, saving = OwnNeighborhoodState.card, OwnNeighborhoodState.saving
    confirmed = OwnNeighborhoodState.confirmed
    return rx.fragment(
        alert(OwnNeighborhoodState.refusal),
        progress(
            card,
            rx.el.p(card.name, class_name="min-w-0 break-words text-lg font-bold text-ink"),
            size="text-base",
        ),
        rx.el.p(
            rx.cond(saving != "", f"{saving}. ", "No discount yet. "),
            rx.cond(OwnNeighborhoodState.is_pioneer, "You are the pioneer.", ""),
        ),
        rx.el.p(
            f"{confirmed}. Customers with a verified email count for the discount.",
            class_name="text-sm text-muted",
        ),
        rx.el.div(neighborhood_link(card, OwnNeighborhoodState.join_link)),
        dialog(
            rx.el.div(
                dismissing(button("Stay", kind="secondary")),
                dismissing(button("Leave", kind="danger", on_click=OwnNeighborhoodState.leave)),
                class_name="mt-4 flex flex-wrap justify-end gap-3",
            ),
            trigger=button("Leave Neighborhood", kind="secondary", class_name="sm:!w-auto"),
            title=f"Leave {card.name}?",
            description=rx.cond(
                OwnNeighborhoodState.is_pioneer,
                "The group stays without a pioneer, and you no longer share its discount.",
                "You no longer share its discount. You can join again at any time.",
            ),
            width="sm:max-w-md",
        ),
    )


def vehicles() -> rx.Component:
    return panel(
        "Vehicles",
        rx.cond(
            CustomerState.vehicles.length() > 0,
            rx.el.ul(
                rx.foreach(CustomerState.vehicles, _vehicle), class_name="mt-2 divide-y divide-line"
            ),
            rx.cond(
                CustomerState.card.name != "",
                nothing_yet(
                    "car",
                    "No vehicles registered yet",
                    button("Add Your First Vehicle", on_click=VehiclesState.add),
                ),
            ),
        ),
        undo_line(VehiclesState, UNDO_BUTTON),
        _vehicle_form(),
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
            rx.el.p(vehicle.fuel, class_name="text-sm text-muted empty:hidden"),
            rx.el.p(vehicle.tank, class_name="text-sm text-muted"),
            rx.cond(
                vehicle.outside,
                rx.el.p(
                    "Not in your plan",
                    line_button(
                        "Use this one instead",
                        vehicle.title,
                        on_click=VehiclesState.use(vehicle.id),
                    ),
                    class_name="flex flex-wrap items-center gap-x-2 text-base font-semibold",
                ),
            ),
            class_name="min-w-0 flex-1 break-words",
        ),
        rx.el.div(
            line_button("Edit", vehicle.title, on_click=VehiclesState.change(vehicle.id)),
            delete_button(vehicle.title, VehiclesState.remove(vehicle.id)),
            class_name="flex gap-1 max-sm:-my-1 max-sm:ml-[100px] max-sm:w-full",
        ),
        key=vehicle.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-4",
    )


def delete_button(of: Any, on_click: Any) -> rx.Component:
    danger = "!text-danger hover:!bg-[#FEF1EF]"
    return line_button("Delete", of, on_click=on_click, class_name=danger)


def nothing_yet(icon: str, text: str, add: rx.Component) -> rx.Component:
    """Return what stands in place of an empty list."""
    return rx.el.div(
        rx.icon(icon, size=36, aria_hidden=True, class_name="text-[#8FA3AB]"),
        rx.el.p(text, class_name=TEXT),
        add,
        class_name="flex flex-col items-center gap-3 py-8",
    )


def undo_line(state: Any, button_id: str) -> rx.Component:
    """Return the line that says what was deleted, with a button; `state` has `removed`, `undo`."""
    return rx.el.div(
        rx.cond(
            state.removed != "",
            rx.el.p(
                rx.el.span(f"{state.removed} was deleted."),
                rx.el.button(
                    "Undo",
                    type="button",
                    on_click=state.undo,
                    id=button_id,
                    class_name="link min-h-11 shrink-0 cursor-pointer px-2",
                ),
                class_name="mt-3 flex items-center justify-between gap-3 "
                "rounded-control bg-seafoam py-1 pl-4 pr-2 text-base text-ink",
            ),
        ),
        role="status",
    )


def _vehicle_form() -> rx.Component:
    return dialog(
        live_form(
            alert(VehiclesState.refusal),
            rx.cond(
                CustomerState.is_own,
                own_vehicle_fields(VehiclesState, own=True),
                own_vehicle_fields(VehiclesState),
            ),
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
