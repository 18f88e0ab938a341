"""The dialog in which a lead opens."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.cards import email_text
from fuel_app.kit.ui.dialog import dialog
from fuel_app.submissions.rules.details import Linked
from fuel_app.submissions.state.dialogs import Field, LeadDetailsState, LogLine
from fuel_app.submissions.state.leads import LeadsState

_lead = LeadDetailsState


def lead_details() -> rx.Component:
    """Return the dialog: of the lead that the address names, and of none before it is read."""
    shown = dialog(
        rx.cond(
            _lead.failed,
            _note("This lead could not be loaded just now. Close it and try again."),
            rx.cond(_lead.missing, _note("There is no such lead (any more)."), _details()),
        ),
        title=rx.cond(_lead.missing | _lead.failed, "Lead", _lead.name),
        description=rx.cond(_lead.missing | _lead.failed, "", _lead.kind),
        open=_lead.opened & (_lead.lead == LeadsState.question.lead),
        on_open_change=_lead.close,
        width="sm:max-w-2xl",
    )
    return once_arrived(LeadsState, shown, until=rx.fragment())


def _note(text: str) -> rx.Component:
    return rx.el.p(text, class_name="py-6 text-base text-muted")


def _details() -> rx.Component:
    referred = rx.el.ul(
        rx.foreach(_lead.referred, lambda guest: rx.el.li(_link(guest, routes.lead(guest.id)))),
        rx.cond(_lead.more_referred > 0, rx.el.li("and ", _lead.more_referred, " more")),
        class_name="space-y-1",
    )
    changes = rx.el.ol(rx.foreach(_lead.log, _log_line), class_name="space-y-2")
    return rx.el.div(
        rx.el.dl(
            rx.foreach(_lead.fields, _field), class_name="grid gap-x-6 gap-y-3 sm:grid-cols-2"
        ),
        _section(
            "Neighborhood",
            _lead.neighborhood.name != "",
            _link(_lead.neighborhood, routes.neighborhood(_lead.neighborhood.id)),
            otherwise="In no neighborhood",
        ),
        _section(
            "Referred by",
            _lead.referred_by.name != "",
            _link(_lead.referred_by, routes.lead(_lead.referred_by.id)),
            otherwise="Nobody",
        ),
        _section("Referred", _lead.referred.length() > 0, referred, otherwise="Nobody yet"),
        _section(
            "Change log", _lead.log.length() > 0, changes, otherwise="Nothing has been changed yet"
        ),
    )


def _field(field: rx.Var[Field]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(field.label, class_name="text-sm font-semibold text-muted"),
        rx.el.dd(
            rx.cond(field.label == "Email", email_text(field.value), field.value),
            class_name="whitespace-pre-line break-words text-base text-ink",
        ),
        class_name=rx.cond(field.label == "Notes", "sm:col-span-2", ""),
    )


def _section(title: str, present: Any, content: rx.Component, *, otherwise: str) -> rx.Component:
    return rx.el.section(
        rx.el.h3(title, class_name="mb-1 text-sm font-semibold text-muted"),
        rx.cond(present, content, rx.el.p(otherwise, class_name="text-base text-muted")),
        class_name="mt-4 border-t border-line pt-3 text-base text-ink",
    )


def _link(linked: rx.Var[Linked], address: str) -> rx.Component:
    return rx.el.a(linked.name, href=address, class_name="break-words text-gulf-deep underline")


def _log_line(line: rx.Var[LogLine]) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.what, class_name="break-words font-medium"),
        rx.el.span(line.when, " · ", line.who, class_name="block text-sm text-muted"),
    )
