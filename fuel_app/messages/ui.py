"""The staff's list of messages, and the dialog of one."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.kit.ui.address import address_mirror
from fuel_app.kit.ui.cards import alert, badge, email_text
from fuel_app.kit.ui.forms import form_dialog, live_form
from fuel_app.kit.ui.list import (
    ROW,
    cell,
    filter_select,
    list_summary,
    list_table,
    pager,
    search_box,
)
from fuel_app.messages.rules.kinds import KINDS, title
from fuel_app.messages.rules.listing import STATES_SHOWN
from fuel_app.messages.state import MessagesState, MessageState

_FORM = "messages"
_COLUMNS = {"What": "", "To": "", "Queued": "queued", "State": ""}


def messages_list() -> rx.Component:
    return rx.fragment(
        _where(),
        rx.el.div(rx.foreach(MessagesState.waiting, alert), class_name="empty:hidden"),
        rx.el.div(_filters(), list_summary(MessagesState), class_name="flex flex-col gap-3"),
        rx.el.div(_table(), pager(MessagesState), class_name="min-w-0"),
        message_dialog(MessageState),
        address_mirror(MessagesState),
    )


def _where() -> rx.Component:
    """Say where mails go now, in room that is taken from the start."""
    return rx.el.p(
        rx.icon("mail", size=20, aria_hidden=True, class_name="mt-0.5 shrink-0 text-gulf-deep"),
        rx.el.span(MessagesState.where, class_name="min-w-0 break-words"),
        class_name="flex min-h-14 gap-2 rounded-card bg-seafoam p-4 text-base text-ink",
    )


def _filters() -> rx.Component:
    tied = partial(filter_select, MessagesState, form=_FORM)
    states = [(state, name) for state, (name, _) in STATES_SHOWN.items()]
    kinds = [(kind, title(kind)) for kind in KINDS]
    return live_form(
        search_box(
            MessagesState,
            "Search recipients",
            box_id="message-search",
            name="q",
            placeholder="Name, email or phone",
        ),
        rx.el.div(
            tied("State", "state", states, everything="All states"),
            tied("Kind", "kind", kinds, everything="All kinds"),
            class_name="mt-3 grid grid-cols-2 gap-x-3 gap-y-2",
        ),
        on_edit=MessagesState.narrow,
        on_submit=MessagesState.narrow,
    )


def _table() -> rx.Component:
    return list_table(
        MessagesState,
        _row,
        _COLUMNS,
        caption="Messages",
        loading="Loading messages...",
        failed="The messages could not be loaded.",
        nothing_found="No messages found",
        nothing="No messages yet",
        orders={"-queued": "Newest first", "queued": "Oldest first"},
    )


def _row(row: Any) -> rx.Component:
    what = rx.el.button(
        row.what,
        type="button",
        on_click=MessageState.begin(row.id),
        aria_haspopup="dialog",
        class_name="-mx-1 min-h-11 min-w-0 cursor-pointer rounded px-1 text-left font-semibold "
        "text-ink hover:text-gulf-deep hover:underline focus-visible:-outline-offset-2 "
        "max-lg:text-base",
    )
    channel = rx.el.span(row.channel, class_name="text-sm text-muted")
    return rx.el.tr(
        cell(
            "",
            rx.el.div(what, channel, class_name="flex min-w-0 flex-col items-start"),
            "max-lg:order-first max-lg:justify-start",
        ),
        cell("To", email_text(row.recipient)),
        cell("Queued", queued(row)),
        cell("State", _state(row)),
        key=row.id,
        role="row",
        class_name=ROW,
    )


def queued(row: Any) -> rx.Component:
    """Return when a message was queued, and below it when it goes if that is later."""
    return rx.el.span(
        row.queued, rx.el.span(row.moved, class_name="block text-sm text-muted empty:hidden")
    )


def _state(row: Any) -> rx.Component:
    return rx.el.div(
        badge(row.state, row.color),
        rx.cond(
            row.note != "",
            rx.el.span(row.note, class_name="max-w-60 break-words text-xs text-muted"),
        ),
        class_name="flex min-w-0 flex-col items-start gap-1 max-lg:items-end max-lg:text-right",
    )


def message_dialog(state: Any) -> rx.Component:
    """Return the dialog of a `MessageDialog`."""
    message, line = state.message, state.message.line
    facts = (
        ("Subject", message.subject),
        ("To", line.recipient),
        ("Queued", rx.cond(line.moved != "", f"{line.queued} · {line.moved}", line.queued)),
        ("State", line.state),
        ("Note", line.note),
    )
    return form_dialog(
        state,
        rx.el.dl(
            *[_fact(label, value) for label, value in facts],
            class_name="mb-4 flex flex-col gap-1 text-base",
        ),
        rx.cond(
            message.full,
            rx.el.p(
                "Codes and links are shown since this site runs on your own machine.",
                class_name="mb-2 text-sm text-muted",
            ),
        ),
        rx.el.pre(
            message.text,
            tab_index=0,
            aria_label="Text",
            class_name="mb-4 max-h-[50dvh] overflow-auto whitespace-pre-wrap rounded-control "
            "bg-sand p-4 font-sans text-base text-ink wrap-anywhere",
        ),
        leave="Close",
        send="Send again",
        busy_text="Sending...",
        title=f"{line.what} ({line.channel})",
    )


def _fact(label: str, value: Any) -> rx.Component:
    return rx.cond(
        value != "",
        rx.el.div(
            rx.el.dt(label, class_name="w-20 shrink-0 font-semibold text-muted"),
            rx.el.dd(value, class_name="min-w-0 text-ink wrap-anywhere"),
            class_name="flex gap-3",
        ),
    )
