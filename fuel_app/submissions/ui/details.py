"""The dialog in which a lead opens."""

import reflex as rx

from fuel_app.kit.ui.dialog import dialog
from fuel_app.submissions.state.details import Field, LeadDetailsState, Link, LogLine


def lead_details() -> rx.Component:
    return dialog(
        rx.cond(
            LeadDetailsState.failed,
            _note("This lead could not be loaded just now. Close it and try again."),
            rx.cond(
                LeadDetailsState.missing,
                _note("There is no such lead (any more)."),
                _details(),
            ),
        ),
        title=rx.cond(
            LeadDetailsState.missing | LeadDetailsState.failed, "Lead", LeadDetailsState.name
        ),
        description=rx.cond(
            LeadDetailsState.missing | LeadDetailsState.failed, "", LeadDetailsState.kind
        ),
        open=LeadDetailsState.opened,
        on_open_change=LeadDetailsState.close,
        width="sm:max-w-2xl",
    )


def _note(text: str) -> rx.Component:
    return rx.el.p(text, class_name="py-6 text-base text-muted")


def _details() -> rx.Component:
    return rx.el.div(
        rx.el.dl(
            rx.foreach(LeadDetailsState.fields, _field),
            class_name="grid gap-x-6 gap-y-3 sm:grid-cols-2",
        ),
        _section(
            "Neighborhood",
            rx.cond(
                LeadDetailsState.neighborhood.name != "",
                _link(LeadDetailsState.neighborhood),
                _none("In no neighborhood"),
            ),
        ),
        _section(
            "Referred by",
            rx.cond(
                LeadDetailsState.referred_by.name != "",
                _link(LeadDetailsState.referred_by),
                _none("Nobody"),
            ),
        ),
        _section(
            "Referred",
            rx.cond(
                LeadDetailsState.referred.length() > 0,
                rx.el.ul(
                    rx.foreach(LeadDetailsState.referred, lambda guest: rx.el.li(_link(guest))),
                    rx.cond(
                        LeadDetailsState.more_referred > 0,
                        rx.el.li("and ", LeadDetailsState.more_referred, " more"),
                    ),
                    class_name="space-y-1",
                ),
                _none("Nobody yet"),
            ),
        ),
        _section(
            "Change log",
            rx.cond(
                LeadDetailsState.log.length() > 0,
                rx.el.ol(rx.foreach(LeadDetailsState.log, _log_line), class_name="space-y-2"),
                _none("Nothing has been changed yet"),
            ),
        ),
    )


def _field(field: rx.Var[Field]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(field.label, class_name="text-sm font-semibold text-muted"),
        rx.el.dd(field.value, class_name="whitespace-pre-line break-words text-base text-ink"),
        class_name=rx.cond(field.label == "Notes", "sm:col-span-2", ""),
    )


def _section(title: str, content: rx.Component) -> rx.Component:
    return rx.el.section(
        rx.el.h3(title, class_name="mb-1 text-sm font-semibold text-muted"),
        content,
        class_name="mt-4 border-t border-line pt-3 text-base text-ink",
    )


def _none(text: str) -> rx.Component:
    return rx.el.p(text, class_name="text-base text-muted")


def _link(link: rx.Var[Link]) -> rx.Component:
    return rx.el.a(link.name, href=link.address, class_name="break-words text-gulf-deep underline")


def _log_line(line: rx.Var[LogLine]) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.what, class_name="break-words font-medium"),
        rx.el.span(line.when, " · ", line.who, class_name="block text-sm text-muted"),
    )
