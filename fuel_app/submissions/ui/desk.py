"""The sales desk in the dialog of a quote: owner, next step, calls and notes, why it was lost."""

from typing import Any

import reflex as rx

from fuel_app.accounts.state.screens import UndoState
from fuel_app.kit.ui.button import button, button_class, submit_button
from fuel_app.kit.ui.fields import CONTROL, select_field, textarea_field
from fuel_app.kit.ui.forms import edition_of, field_of, form_dialog, live_form
from fuel_app.kit.ui.script import alert_in_view
from fuel_app.leads.rules import LOST_NOTE_MAX, LOST_REASONS, NEXT_STEP_MAX, NOTE_MAX, STATUSES
from fuel_app.submissions.rules.desk import LOGGED, NoteLine
from fuel_app.submissions.state.dialogs import LeadDetailsState, NextStepState, QuoteNoteState
from fuel_app.submissions.state.leads import LeadsState, LostState

_lead = LeadDetailsState
_desk = LeadDetailsState.details.desk
_TITLE = "mb-1 text-sm font-semibold text-muted"
_PART = "mt-4 border-t border-line pt-3"


def promise(text: Any, is_overdue: Any, class_name: str = "") -> rx.Component:
    """Render how long the answer to a quote has time; nothing once it is answered."""
    shape = f"rounded-full px-2.5 py-0.5 text-xs font-semibold empty:hidden {class_name}"
    return rx.el.span(
        text,
        class_name=rx.cond(
            is_overdue, f"{shape} bg-danger text-white", f"{shape} bg-[#FFF0CC] text-[#6B4700]"
        ),
    )


def quote_desk() -> rx.Component:
    return rx.el.div(
        _reach(),
        rx.el.div(_status(), _owner(), class_name="mt-4 grid grid-cols-2 gap-3"),
        rx.cond(_desk.lost != "", _lost()),
        _log(),
        _next_step(),
    )


def _reach() -> rx.Component:
    """Return how the answer stands, and the ways to give it."""
    return rx.el.div(
        rx.cond(
            _desk.phone != "",
            rx.el.A.create(
                rx.icon("phone", size=18, aria_hidden=True),
                "Call",
                rx.el.span(_desk.phone, class_name="max-sm:sr-only"),
                href=rx.Var.create("tel:") + _desk.dialed,
                class_name=button_class("secondary", "px-3"),
            ),
        ),
        rx.el.A.create(
            rx.icon("mail", size=18, aria_hidden=True),
            "Email",
            href=rx.Var.create("mailto:") + _desk.email,
            class_name=button_class("secondary", "px-3"),
        ),
        promise(_desk.promise, _desk.is_overdue, "text-sm"),
        class_name="flex flex-wrap items-center gap-2",
    )


def _select(label: str, value: Any, on_change: Any, *options: rx.Component) -> rx.Component:
    return rx.el.label(
        rx.el.span(label, class_name="mb-1 block text-sm font-semibold text-ink"),
        rx.el.select(
            *options,
            value=value,
            on_change=on_change,
            class_name=f"{CONTROL} cursor-pointer pl-2",
        ),
    )


def _status() -> rx.Component:
    is_option = rx.Var.create(list(STATUSES)).contains(_desk.status)
    return _select(
        "Status",
        _desk.status,
        _lead.set_status,
        rx.cond(is_option, rx.fragment(), rx.el.option(_desk.status, value=_desk.status)),
        *[rx.el.option(status, value=status) for status in STATUSES],
    )


def _owner() -> rx.Component:
    office, me = LeadsState.office, LeadsState.me
    is_known = (_desk.owner_id == "") | office.contains(_desk.owner_id)
    return rx.el.div(
        _select(
            "Owner",
            _desk.owner_id,
            _lead.assign,
            rx.el.option("Nobody", value=""),
            rx.cond(is_known, rx.fragment(), rx.el.option(_desk.owner, value=_desk.owner_id)),
            rx.foreach(office, lambda each: rx.el.option(each[1], value=each[0])),
        ),
        rx.cond(
            (me != "") & (_desk.owner_id != me),
            button(
                "Assign to me", kind="quiet", on_click=_lead.assign(me), class_name="-ml-3 px-3"
            ),
        ),
    )


def _lost() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            rx.el.span("Lost: ", _desk.lost, class_name="font-semibold"),
            rx.el.span(_desk.lost_note, class_name="block whitespace-pre-line empty:hidden"),
            class_name="min-w-0 flex-1 text-base text-ink wrap-anywhere",
        ),
        button("Change reason", kind="quiet", on_click=_lead.explain_lost, class_name="px-3"),
        class_name="mt-3 flex flex-wrap items-start gap-2 rounded-control bg-sand px-3 py-1",
    )


def _next_step() -> rx.Component:
    stored = _desk.next_step + _desk.next_step_on + NextStepState.edition.to_string()
    planned = _desk.next_step != ""
    return rx.el.section(
        rx.el.h3("Next step", class_name=_TITLE),
        rx.cond(
            planned,
            rx.el.div(
                rx.el.p(
                    rx.el.span(_desk.next_step, class_name="font-semibold"),
                    rx.el.span(
                        _desk.next_due,
                        class_name=rx.cond(
                            _desk.next_is_due,
                            "block text-sm font-semibold text-danger",
                            "block text-sm text-muted",
                        ),
                    ),
                    class_name="min-w-0 flex-1 text-base text-ink wrap-anywhere",
                ),
                button("Done", kind="secondary", on_click=_lead.end_step),
                class_name="mb-3 flex items-center gap-3",
            ),
        ),
        live_form(
            rx.el.div(
                field_of(
                    NextStepState,
                    rx.cond(planned, "Then", "What"),
                    "next_step",
                    placeholder="Call back about the price",
                    max_length=NEXT_STEP_MAX + 1,
                    auto_complete="off",
                    key=f"step {stored}",
                ),
                field_of(NextStepState, "On", "next_step_on", type="date", key=f"day {stored}"),
                class_name="grid gap-3 sm:grid-cols-[1fr_auto]",
            ),
            edition_of(NextStepState),
            alert_in_view(NextStepState.error, class_name="mt-3"),
            rx.el.div(
                submit_button(
                    "Set next step",
                    busy=NextStepState.busy,
                    busy_text="Saving...",
                    kind="secondary",
                ),
                class_name="mt-3 flex justify-end",
            ),
            on_edit=NextStepState.edit,
            on_submit=NextStepState.submit,
            key=f"next step {_lead.lead}",
        ),
        class_name=_PART,
    )


def _log() -> rx.Component:
    edition = QuoteNoteState.edition.to_string()
    options = [rx.el.option(text, value=value) for value, text in LOGGED.items()]
    return rx.el.section(
        rx.el.h3("Calls and notes", class_name=_TITLE),
        live_form(
            field_of(
                QuoteNoteState,
                "What to log",
                "what",
                make=select_field,
                options=rx.fragment(*options),
                placeholder="Choose...",
                key=f"what {edition}",
            ),
            rx.el.div(
                field_of(
                    QuoteNoteState,
                    "Text",
                    "text",
                    make=textarea_field,
                    optional=True,
                    rows=2,
                    max_length=NOTE_MAX + 1,
                    key=f"text {edition}",
                ),
                class_name="mt-3",
            ),
            edition_of(QuoteNoteState),
            alert_in_view(QuoteNoteState.error, class_name="mt-3"),
            rx.el.div(
                submit_button(
                    "Log it", busy=QuoteNoteState.busy, busy_text="Saving...", kind="secondary"
                ),
                class_name="mt-3 flex justify-end",
            ),
            on_edit=QuoteNoteState.edit,
            on_submit=QuoteNoteState.submit,
            key=f"note {_lead.lead}",
        ),
        rx.el.ol(
            rx.foreach(_desk.notes, _note),
            aria_label="Calls and notes",
            class_name="mt-2 divide-y divide-line empty:hidden",
        ),
        class_name=_PART,
    )


def _note(note: rx.Var[NoteLine]) -> rx.Component:
    return rx.el.li(
        rx.el.p(note.what, class_name="font-semibold text-ink"),
        rx.el.p(note.text, class_name="whitespace-pre-line text-ink wrap-anywhere empty:hidden"),
        rx.el.p(note.about, class_name="text-sm text-muted"),
        key=note.id,
        class_name="py-2 text-base",
    )


def undo_line() -> rx.Component:
    """Render the offer of Undo within the dialog, which covers the one at the screen's foot."""
    return rx.el.div(
        rx.cond(
            UndoState.is_offered & (UndoState.action_id != ""),
            rx.el.div(
                rx.el.span(UndoState.text, class_name="min-w-0 flex-1 py-2 wrap-anywhere"),
                rx.el.button(
                    rx.cond(UndoState.busy, "Undoing...", "Undo"),
                    type="button",
                    on_click=UndoState.undo(UndoState.action_id),
                    disabled=UndoState.busy,
                    class_name="min-h-11 shrink-0 cursor-pointer rounded-control px-3 "
                    "font-semibold text-sun hover:bg-white/10",
                ),
                class_name="mt-4 flex items-center gap-2 rounded-card bg-ink py-1 pl-4 pr-1 "
                "text-base font-medium text-white shadow-2xl",
            ),
        ),
        role="status",
        class_name="sticky bottom-0 z-10",
    )


def lost_dialog() -> rx.Component:
    options = rx.fragment(
        *[rx.el.option(text, value=value) for value, text in LOST_REASONS.items()]
    )
    return form_dialog(
        LostState,
        field_of(
            LostState,
            "Reason",
            "lost_reason",
            make=select_field,
            options=options,
            default_value=LostState.reason,
        ),
        rx.el.div(
            field_of(
                LostState,
                "Note",
                "lost_note",
                make=textarea_field,
                optional=True,
                rows=3,
                max_length=LOST_NOTE_MAX + 1,
                default_value=LostState.note,
            ),
            class_name="mt-4",
        ),
        leave="Cancel",
        send="Close as lost",
        title="Why is it lost?",
        description=LostState.name,
    )
