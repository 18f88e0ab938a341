"""The tab 'Vehicles' of one customer."""

import reflex as rx

from fuel_app.kit.ui.cards import H2, alert, card
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.customer_garage import VehiclesTab


def garage() -> rx.Component:
    return card(
        alert(rx.cond(VehiclesTab.failed, "This cannot be read just now.", "")),
        rx.el.h3("Vehicles", class_name=H2),
        stacked_table(
            VehiclesTab.vehicles,
            [
                Column("Vehicle", lambda line: line.title),
                Column("Color and plate", lambda line: line.details),
                Column("Fuel", lambda line: line.fuel),
                Column("Tank", lambda line: line.tank, number=True),
            ],
            caption="Vehicles",
            loading=VehiclesTab.loading,
            empty_text="No vehicles yet",
        ),
        rx.el.h3("Addresses", class_name=f"mt-8 {H2}"),
        stacked_table(
            VehiclesTab.places,
            [
                Column("Address", lambda line: line.label),
                Column("Car stands", lambda line: line.spot),
                Column("Gate code", lambda line: line.gate_code),
                Column("Notes", _lines),
                Column("Marked", lambda line: line.marks),
            ],
            caption="Addresses",
            loading=VehiclesTab.loading,
            empty_text="No addresses yet",
        ),
    )


def _lines(line: rx.Var) -> rx.Component:
    return rx.el.span(line.notes, class_name="whitespace-pre-line")
