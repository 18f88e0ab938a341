"""The tab 'Invoices' of one customer, and the dialog of a correction."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.billing.rules.corrections import (
    CHARGE,
    GIFT,
    REASON_MAX,
    TO_CARD,
    TO_CREDIT,
    WAIVED,
    WRITE_OFF,
)
from fuel_app.billing.ui import status_badge
from fuel_app.kit.ui.button import busy_button, button, line_button
from fuel_app.kit.ui.cards import H2, TEXT
from fuel_app.kit.ui.forms import field_of, form_dialog, send_button
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.invoices import (
    INVOICE_SHOWN,
    OF_AMOUNTS,
    CorrectionState,
    InvoicesTab,
)

_ACTIONS = {
    TO_CARD: "Refund to card",
    TO_CREDIT: "Refund as credit",
    WAIVED: "Waive",
    CHARGE: "Charge now",
    WRITE_OFF: "Mark uncollectible",
}
_NOTE = "block text-sm text-muted"
_asked = CorrectionState


def invoices() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.cond(InvoicesTab.shown.id != "", _invoice(), _list()),
            id=INVOICE_SHOWN,
            tab_index=-1,
            class_name="focus:outline-none",
        ),
        _dialog(),
    )


def _list() -> rx.Component:
    return rx.fragment(
        stacked_table(
            InvoicesTab.account.invoices,
            (
                Column("Invoice", _choose),
                Column("Date", lambda line: line.date),
                Column("State", lambda line: status_badge(line.status)),
                Column("Total", lambda line: line.total, number=True),
                Column("Paid", lambda line: line.paid, number=True),
                Column("Due", lambda line: line.due, number=True),
            ),
            caption="Invoices",
            loading=InvoicesTab.loading,
            empty_text=rx.cond(InvoicesTab.failed, "", "No invoices yet"),
        ),
        rx.el.div(
            rx.el.h3("Credit balance: ", InvoicesTab.account.credit, class_name=H2),
            button("Give credit", kind="secondary", on_click=_asked.begin(GIFT)),
            class_name="mt-8 flex flex-wrap items-center justify-between gap-3",
        ),
        _items("Changes of credit", InvoicesTab.account.credit_changes, InvoicesTab.loading),
        rx.cond(
            InvoicesTab.requests.length() > 0,
            _items("Requests to an admin", InvoicesTab.requests),
        ),
    )


def _choose(line: Any) -> rx.Component:
    return rx.fragment(
        button(
            line.name,
            kind="quiet",
            on_click=InvoicesTab.choose(line.id),
            class_name="sm:-ml-5 max-sm:-mr-5",
        ),
        rx.el.span(line.what, class_name=_NOTE),
    )


def _invoice() -> rx.Component:
    shown = InvoicesTab.shown
    return rx.fragment(
        button(
            rx.icon("arrow-left", size=20, aria_hidden=True),
            "All invoices",
            kind="quiet",
            on_click=InvoicesTab.choose(""),
            class_name="-ml-5",
        ),
        rx.el.div(
            rx.el.h3(shown.name, ", ", shown.date, class_name=H2),
            status_badge(shown.status),
            rx.cond(
                shown.status != "Draft",
                rx.el.a("Receipt", href=f"{routes.RECEIPT}/{shown.id}", class_name="link"),
            ),
            class_name="mt-2 flex flex-wrap items-center gap-3",
        ),
        rx.el.p(
            "Total ",
            shown.total,
            ", paid ",
            shown.paid,
            ", due ",
            shown.due,
            ".",
            rx.cond(
                InvoicesTab.account.card != "", f" Card: {InvoicesTab.account.card}.", " No card."
            ),
            class_name=TEXT,
        ),
        rx.el.div(*[_action(kind) for kind in _ACTIONS], class_name="mt-3 flex flex-wrap gap-2"),
        _items("Lines", shown.lines),
        _items("Payments", shown.payments),
        _items("Credit notes", shown.notes),
    )


def _action(kind: str) -> rx.Component:
    shows = InvoicesTab.shown.left.contains(kind)
    if kind == WRITE_OFF:
        shows = shows & SessionState.is_admin
    press = button(_ACTIONS[kind], kind="secondary", on_click=_asked.begin(kind))
    return rx.cond(shows, press)


def _items(title: str, rows: Any, loading: Any = False) -> rx.Component:
    return stacked_table(
        rows,
        (
            Column(title, lambda item: rx.fragment(item.text, _more(item))),
            Column("Amount", lambda item: item.amount, number=True),
        ),
        caption=title,
        loading=loading,
        empty_text=f"No {title.lower()} yet",
    )


def _more(item: Any) -> rx.Component:
    return rx.fragment(
        rx.el.span(item.note, class_name=_NOTE),
        rx.cond(
            item.retry != "", line_button("Try again", item.text, on_click=_asked.retry(item.retry))
        ),
    )


def _dialog() -> rx.Component:
    titles = {GIFT: "Give credit", **_ACTIONS}
    of_amounts = rx.Var.create(list(OF_AMOUNTS)).contains(_asked.kind)
    title = rx.match(_asked.kind, *titles.items(), "")
    return form_dialog(
        CorrectionState,
        rx.cond(
            of_amounts,
            field_of(
                CorrectionState,
                "Amount in dollars",
                "amount",
                hint=_asked.most,
                input_mode="decimal",
                max_length=20,
            ),
        ),
        rx.el.div(
            field_of(
                CorrectionState,
                "Reason",
                "reason",
                hint="It stays in the audit log",
                max_length=REASON_MAX + 1,
            ),
            class_name="mt-4",
        ),
        leave="Close",
        buttons=rx.fragment(
            rx.cond(
                _asked.ask != "",
                busy_button(
                    _asked.ask,
                    busy=_asked.busy,
                    busy_text="Working...",
                    kind="secondary",
                    on_click=_asked.ask_admin,
                ),
            ),
            send_button(
                CorrectionState,
                rx.cond(_asked.kind == CHARGE, f"Charge {_asked.left} now", title),
                "Working...",
            ),
        ),
        title=title,
        description=rx.cond(_asked.left != "", f"{_asked.name}: {_asked.left}", ""),
    )
