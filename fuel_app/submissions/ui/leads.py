"""The staff's list of leads with its controls, bulk changes, and the dialog of one lead."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.screens import UNDO_SECONDS
from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.button import (
    button,
    copyable_email,
    download_link,
    icon_button,
    link_button,
)
from fuel_app.kit.ui.cards import email_link, phone_link
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import tick
from fuel_app.kit.ui.forms import form_dialog, send_button
from fuel_app.kit.ui.list import CELL, ROW, alphabetic, cell, list_table
from fuel_app.leads.rules import SOURCES, STATUSES, TYPE_LABELS
from fuel_app.submissions.rules.details import Field, Linked, LogLine
from fuel_app.submissions.state.dialogs import LeadDeletionState, LeadDetailsState
from fuel_app.submissions.state.leads import LeadsState
from fuel_app.submissions.ui.desk import promise, quote_desk, undo_line

_SELECT = (
    "min-h-11 w-40 max-w-full cursor-pointer rounded-control border border-[#8FA3AB] bg-surface "
    "px-2 text-sm text-ink hover:border-muted lg:min-h-9 lg:w-33"
)


_COLUMNS = {
    "Type": "type",
    "Status": "status",
    "Submission Date": "date",
    "Name": "name",
    "Lead Source": "source",
    "Email": "",
    "Actions": "",
}
ORDERS = {"-date": "Newest", "date": "Oldest", "due": "Answer due"} | alphabetic(
    name="Name", type="Type", status="Status", source="Lead source"
)


def lead_table() -> rx.Component:
    return list_table(
        LeadsState,
        _row,
        _COLUMNS,
        caption="Leads and quote requests",
        loading="Loading submissions...",
        failed="The list could not be loaded just now.",
        nothing_found="No submissions match this search and its filters.",
        nothing="No submissions yet. Whoever joins or asks for a quote appears here at once.",
        orders=ORDERS,
        select_page=_checkbox(
            "Select all rows on this page",
            LeadsState.page_is_chosen,
            LeadsState.choose_page,
            disabled=LeadsState.loading,
        ),
    )


def _checkbox(label: Any, checked: Any, on_change: Any, **props: Any) -> rx.Component:
    return tick(checked=checked, on_change=lambda _: on_change(), aria_label=label, **props)


def _row(row: Any) -> rx.Component:
    chosen = LeadsState.chosen.contains(row.id) | LeadsState.all_matching
    box = _checkbox(f"Select {row.name}", chosen, lambda: LeadsState.choose(row.id))
    return rx.el.tr(
        rx.el.td(box, role="cell", class_name=f"{CELL} max-lg:absolute max-lg:left-0 max-lg:top-3"),
        cell("Type", _type_badge(row)),
        cell("Status", _status(row)),
        cell("Submission Date", _date(row)),
        cell("", _name(row), class_name="max-lg:order-first max-lg:justify-start max-lg:pl-15"),
        cell("Lead Source", _source(row)),
        cell(
            "Email",
            rx.el.div(
                copyable_email(row.email, "lg:min-w-41"),
                rx.cond(row.phone != "", phone_link(row.phone, row.dialed), rx.fragment()),
                class_name="min-w-0 max-lg:text-right lg:*:min-h-6",
            ),
        ),
        cell(
            "Actions",
            icon_button("trash-2", f"Delete {row.name}", on_click=LeadDeletionState.ask(row.id)),
        ),
        key=row.id,
        role="row",
        aria_selected=chosen,
        class_name=f"{ROW} aria-selected:bg-seafoam/60",
    )


def _type_badge(row: Any) -> rx.Component:
    shape = "inline-flex rounded-full px-2.5 py-0.5 text-xs font-semibold"
    colors = rx.match(
        row.type,
        ("fleet", "bg-[#FFF1D6] text-[#6B4400]"),
        ("business", "bg-[#E5ECFB] text-[#23407E]"),
        "bg-seafoam text-gulf-deep",
    )
    return rx.el.span(row.type_label, class_name=f"{colors} {shape}")


def _date(row: Any) -> rx.Component:
    return rx.el.time(
        row.day,
        rx.el.span(row.time, class_name="text-xs text-muted max-lg:ml-2 lg:block"),
        custom_attrs={"dateTime": row.moment},
        class_name="whitespace-nowrap",
    )


def _name(row: Any) -> rx.Component:
    return rx.el.div(
        rx.el.button(
            row.name,
            type="button",
            on_click=LeadDetailsState.open(row.id),
            aria_haspopup="dialog",
            class_name="max-w-full cursor-pointer break-words text-left font-semibold text-ink "
            "hover:text-gulf-deep hover:underline max-lg:text-base",
        ),
        rx.cond(
            row.company != "", rx.el.div(row.company, class_name="break-words text-xs text-muted")
        ),
        rx.cond(
            row.next_step != "",
            rx.el.div(
                row.next_step,
                class_name=rx.cond(
                    row.next_is_due,
                    "break-words text-xs font-semibold text-danger",
                    "break-words text-xs text-muted",
                ),
            ),
        ),
        class_name="min-w-0 lg:min-w-28 lg:max-w-60",
    )


def _status(row: Any) -> rx.Component:
    """Render a select of the four statuses; a stored value that is none of them comes first."""
    return rx.el.div(
        _control(
            f"Status of {row.name}",
            row.status,
            STATUSES,
            lambda value: LeadsState.set_status(row.id, row.revision, value),
        ),
        rx.cond(
            row.stored_status != "",
            rx.el.div("Stored: ", row.stored_status, class_name="mt-0.5 text-xs text-muted"),
        ),
        rx.cond(
            row.promise != "",
            rx.el.div(promise(row.promise, row.is_overdue), class_name="mt-1 whitespace-nowrap"),
        ),
        class_name="max-lg:text-right",
    )


def _source(row: Any) -> rx.Component:
    return rx.el.div(
        _control(
            f"Lead source of {row.name}",
            row.source,
            SOURCES,
            lambda value: LeadsState.set_source(row.id, row.revision, value),
        ),
        rx.cond(
            row.owner != "", rx.el.div("Owner: ", row.owner, class_name="mt-0.5 text-xs text-muted")
        ),
        class_name="max-lg:text-right",
    )


def _control(label: Any, value: Any, options: tuple[str, ...], on_change: Any) -> rx.Component:
    is_option = rx.Var.create(list(options)).contains(value)
    return rx.el.select(
        rx.cond(is_option, rx.fragment(), rx.el.option(value, value=value)),
        *[rx.el.option(option, value=option) for option in options],
        value=value,
        on_change=on_change,
        aria_label=label,
        class_name=_SELECT,
    )


def bulk_bar() -> rx.Component:
    """Shows while rows are chosen."""
    chosen = (LeadsState.chosen.length() > 0) | LeadsState.all_matching
    return rx.el.div(
        rx.cond(
            chosen | LeadsState.working,
            rx.el.div(
                rx.el.p(_count(), class_name="text-base font-semibold text-ink"),
                _choose_all(),
                button(
                    "Clear",
                    kind="quiet",
                    on_click=LeadsState.choose_none,
                    class_name="max-sm:ml-auto",
                ),
                rx.el.div(
                    _set_status(),
                    download_link(
                        "Export",
                        LeadsState.export_chosen_address,
                        class_name="max-sm:[&>svg]:hidden",
                    ),
                    button(
                        rx.icon("trash-2", size=18, aria_hidden=True, class_name="max-sm:hidden"),
                        "Delete",
                        kind="secondary",
                        on_click=LeadDeletionState.ask(""),
                        disabled=LeadsState.working,
                    ),
                    class_name="flex w-full items-center gap-2 sm:ml-auto sm:w-auto",
                ),
                class_name="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border "
                "border-gulf bg-seafoam px-4 py-2 max-sm:fixed max-sm:inset-x-2 max-sm:bottom-2 "
                "max-sm:z-30 max-sm:mb-0 max-sm:shadow-2xl",
            ),
        ),
        role="status",
    )


def _count() -> rx.Component:
    return rx.cond(
        LeadsState.working,
        rx.el.span("Working... ", LeadsState.progress),
        rx.cond(
            LeadsState.all_matching,
            "All that match are selected",
            rx.el.span(LeadsState.chosen.length(), " selected"),
        ),
    )


def _choose_all() -> rx.Component:
    return rx.cond(
        LeadsState.page_is_chosen
        & (LeadsState.pages > 1)
        & ~LeadsState.all_matching
        & ~LeadsState.working,
        rx.el.button(
            "Select all that match",
            type="button",
            on_click=LeadsState.choose_all,
            class_name="min-h-11 cursor-pointer text-base text-gulf-deep underline",
        ),
    )


def _set_status() -> rx.Component:
    return rx.el.select(
        rx.el.option("Status...", value=""),
        *[rx.el.option(status, value=status) for status in STATUSES],
        value="",
        on_change=lambda status: LeadsState.change_chosen("status", status),
        disabled=LeadsState.working,
        aria_label="Set the status of the selected leads",
        class_name="min-h-11 cursor-pointer rounded-control border border-[#8FA3AB] bg-surface "
        "px-3 text-base text-ink max-sm:w-0 max-sm:flex-1",
    )


_EXCEPTION = (
    f"The one exception: for {UNDO_SECONDS} seconds afterwards, the foot of the screen offers Undo."
)


def delete_dialog() -> rx.Component:
    what = rx.cond(
        LeadDeletionState.lead.id != "",
        rx.el.span(
            rx.el.strong(LeadDeletionState.lead.name, class_name="break-words"), " will be deleted."
        ),
        rx.fragment(
            rx.el.span(rx.el.strong(LeadDeletionState.count), " will be deleted:"),
            rx.el.ul(
                rx.foreach(
                    LeadDeletionState.names, lambda name: rx.el.li(name, class_name="break-words")
                ),
                rx.cond(LeadDeletionState.left_out != "", rx.el.li(LeadDeletionState.left_out)),
                class_name="mt-2 list-disc pl-5",
            ),
        ),
    )
    return form_dialog(
        LeadDeletionState,
        rx.el.div(what, class_name="text-base text-ink"),
        rx.cond(
            LeadDeletionState.customers != "",
            rx.el.p(
                LeadDeletionState.customers,
                class_name="mt-3 max-h-48 overflow-y-auto break-words text-base text-ink",
            ),
        ),
        leave="Cancel",
        buttons=send_button(LeadDeletionState, "Delete", "Deleting...", kind="danger"),
        title="Confirm Delete",
        description=f"This action cannot be undone. {_EXCEPTION}",
    )


_lead = LeadDetailsState


def lead_details() -> rx.Component:
    """Return the dialog: of the lead that the address names, and of none before it is read."""
    shown = dialog(
        rx.cond(
            _lead.failed,
            _note("This lead could not be loaded just now. Close it and try again."),
            rx.cond(_lead.missing, _note("There is no such lead (any more)."), _details()),
        ),
        title=rx.cond(_lead.missing | _lead.failed, "Lead", _lead.details.name),
        description=rx.cond(_lead.missing | _lead.failed, "", _lead.details.kind),
        open=_lead.opened & (_lead.lead == LeadsState.question.lead),
        on_open_change=_lead.close,
        closes_when_left=False,  # the address opens it
        width=rx.cond(_lead.details.is_quote, "sm:max-w-2xl lg:max-w-5xl", "sm:max-w-2xl"),
    )
    return once_arrived(LeadsState, shown, until=rx.fragment())


def _note(text: str) -> rx.Component:
    return rx.el.p(text, class_name="py-6 text-base text-muted")


def _details() -> rx.Component:
    referred = rx.el.ul(
        rx.foreach(
            _lead.details.referred, lambda guest: rx.el.li(_link(guest, routes.lead(guest.id)))
        ),
        rx.cond(
            _lead.details.more_referred > 0, rx.el.li("and ", _lead.details.more_referred, " more")
        ),
        class_name="space-y-1",
    )
    changes = rx.el.ol(rx.foreach(_lead.details.log, _log_line), class_name="space-y-2")
    about = rx.fragment(
        rx.el.dl(
            rx.foreach(_lead.details.fields, _field),
            class_name="grid gap-x-6 gap-y-3 sm:grid-cols-2",
        ),
        rx.cond(
            _lead.details.kind == TYPE_LABELS["fleet"],
            link_button(
                "Make a proposal",
                href=routes.new_proposal(_lead.lead),
                kind="secondary",
                class_name="mt-4",
            ),
        ),
        rx.cond(_lead.details.is_waiting, _neighbors(referred), rx.fragment()),
        _section(
            "Change log",
            _lead.details.log.length() > 0,
            changes,
            otherwise="Nothing has been changed yet",
        ),
    )
    of_quote = rx.el.div(
        quote_desk(),
        rx.el.div(about, class_name="max-lg:mt-4 max-lg:border-t max-lg:border-line max-lg:pt-4"),
        class_name="lg:grid lg:grid-cols-2 lg:gap-8",
    )
    return rx.el.div(rx.cond(_lead.details.is_quote, of_quote, about), undo_line())


def _neighbors(referred: rx.Component) -> rx.Component:
    """Return what only a person on the waitlist has."""
    return rx.fragment(
        _section(
            "Neighborhood",
            _lead.details.neighborhood.name != "",
            _link(_lead.details.neighborhood, routes.neighborhood(_lead.details.neighborhood.id)),
            otherwise="In no neighborhood",
        ),
        _section(
            "Referred by",
            _lead.details.referred_by.name != "",
            _link(_lead.details.referred_by, routes.lead(_lead.details.referred_by.id)),
            otherwise="Nobody",
        ),
        _section("Referred", _lead.details.referred.length() > 0, referred, otherwise="Nobody yet"),
    )


def _field(field: rx.Var[Field]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(field.label, class_name="text-sm font-semibold text-muted"),
        rx.el.dd(
            rx.match(
                field.kind,
                ("email", email_link(field.value)),
                ("phone", phone_link(field.value, field.dialed)),
                rx.fragment(field.value),
            ),
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
