"""The staff's screens of proposals: the list, the editor with its calculator, what was sent."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.companies.rules.companies import CYCLE_NAMES, TERM_NAMES
from fuel_app.companies.rules.price_rules import BASIS_NAMES
from fuel_app.kit.ui.button import button, download_link, submit_button
from fuel_app.kit.ui.cards import GAP, H2, TEXT, badge, card, email_text, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import checkbox, checkbox_group, field, select_field, textarea_field
from fuel_app.kit.ui.forms import edition_of, field_of, form_dialog, live_form
from fuel_app.kit.ui.list import (
    ROW,
    alphabetic,
    cell,
    filter_select,
    list_summary,
    list_table,
    pager,
    search_box,
)
from fuel_app.kit.ui.script import TITLE, alert_in_view
from fuel_app.proposals.rules.listing import ContactLine, HistoryLine, Version
from fuel_app.proposals.rules.states import STATE_NAMES
from fuel_app.proposals.rules.terms import PRODUCTS, WEEKDAYS
from fuel_app.proposals.state.desk import (
    ProposalsState,
    ProposalState,
    SendProposalState,
    WithdrawProposalState,
)
from fuel_app.proposals.ui.document import document_view, facts_list
from fuel_app.quotes.rules import FILL_FREQUENCIES

_FORM = "proposals"
_COLUMNS = {
    "Company": "company",
    "Proposal": "date",
    "State": "",
    "Sent": "",
    "Valid until": "",
}
_ORDERS = {"-date": "Newest first", "date": "Oldest first", **alphabetic(company="Company")}
_PAIR = "grid gap-4 sm:grid-cols-2"
_shown = ProposalState.proposal


def proposals_list() -> rx.Component:
    states = [(state, name) for state, (name, _) in STATE_NAMES.items()]
    return rx.fragment(
        live_form(
            search_box(
                ProposalsState,
                "Search proposals",
                box_id="proposal-search",
                name="q",
                placeholder="Company",
            ),
            filter_select(
                ProposalsState, "State", "state", states, form=_FORM, everything="All current"
            ),
            on_edit=ProposalsState.narrow,
            on_submit=ProposalsState.narrow,
            class_name="mb-3 grid items-end gap-3 sm:grid-cols-[1fr_14rem]",
        ),
        list_summary(ProposalsState),
        list_table(
            ProposalsState,
            _row,
            _COLUMNS,
            caption="Proposals",
            loading="Loading proposals...",
            failed="The proposals could not be loaded.",
            nothing_found="No proposals found",
            nothing="No proposals yet. Make one from a fleet quote under Submissions.",
            orders=_ORDERS,
        ),
        pager(ProposalsState),
    )


def _row(row: Any) -> rx.Component:
    company = rx.el.a(
        row.company,
        href=routes.proposal(row.id),
        class_name="inline-flex min-h-11 min-w-0 items-center font-semibold text-ink wrap-anywhere "
        "hover:text-gulf-deep hover:underline max-lg:text-base",
    )
    return rx.el.tr(
        cell("", company, "max-lg:order-first max-lg:justify-start"),
        cell("Proposal", row.name),
        cell("State", badge(row.state, row.color)),
        cell("Sent", row.sent),
        cell("Valid until", row.valid),
        key=row.id,
        role="row",
        class_name=ROW,
    )


def proposal_shown() -> rx.Component:
    """Return one version: the editor of a draft, else what was sent."""
    return rx.fragment(
        _heading(),
        rx.cond(_shown.is_draft, _editor(), _sent()),
        _send_dialog(),
        _withdraw_dialog(),
        _preview(),
    )


def _heading() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h1(_shown.company, class_name=f"{TITLE} wrap-anywhere"),
            rx.el.p(
                _shown.name,
                badge(_shown.state, _shown.color),
                rx.el.a("The quote", href=routes.lead(_shown.lead_id), class_name="link"),
                rx.cond(
                    _shown.company_id != "",
                    rx.el.a(
                        "The company", href=routes.company(_shown.company_id), class_name="link"
                    ),
                ),
                class_name=f"mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 {TEXT}",
            ),
            class_name="min-w-0",
        ),
        rx.el.div(
            rx.cond(
                _shown.may_revise,
                button("New version", on_click=ProposalState.revise),
            ),
            download_link("PDF", routes.proposal_file(_shown.id)),
            rx.cond(
                _shown.may_withdraw,
                button("Withdraw", kind="secondary", on_click=WithdrawProposalState.begin),
            ),
            class_name="flex flex-wrap gap-2",
        ),
        class_name="mb-4 flex flex-wrap items-start justify-between gap-3",
    )


def _bound(name: str, **props: Any) -> dict[str, Any]:
    return {"key": f"{name} {ProposalState.edition}", "auto_complete": "off"} | props


def _text(label: str, name: str, make: Any = field, **props: Any) -> rx.Component:
    return field_of(
        ProposalState,
        label,
        name,
        make=make,
        default_value=ProposalState.values[name],
        **_bound(name, **props),
    )


_lines = partial(_text, make=textarea_field)


def _choice(label: str, name: str, options: Any) -> rx.Component:
    options = rx.fragment(*[rx.el.option(text, value=value) for value, text in options])
    return _text(label, name, make=partial(_select, options))


def _select(options: rx.Component, label: str, name: str, **props: Any) -> rx.Component:
    props.pop("auto_complete")
    return select_field(label, name, options, **props)


def _ticks(label: str, name: str, options: Any, ticked: Any) -> rx.Component:
    return rx.el.div(
        checkbox_group(
            label,
            name,
            options,
            form=ProposalState.FORM,
            ticked=ticked,
            error=ProposalState.errors[name],
        ),
        key=f"{name} {ProposalState.edition}",
    )


def _editor() -> rx.Component:
    return live_form(
        edition_of(ProposalState),
        rx.el.div(
            rx.el.div(
                _company(),
                _served(),
                _price(),
                _payment(),
                class_name="flex min-w-0 flex-col gap-4",
            ),
            rx.el.div(
                _calculator(),
                _history(),
                class_name="flex min-w-0 flex-col gap-4 xl:sticky xl:top-4",
            ),
            class_name="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]",
        ),
        on_edit=ProposalState.edit,
        on_submit=ProposalState.submit,
    )


def _company() -> rx.Component:
    return panel(
        "Company",
        rx.el.div(
            _text("Company", "company_name"),
            _text("Legal name", "legal_name", optional=True),
            class_name=f"mt-4 {_PAIR}",
        ),
        rx.el.div(
            _lines(
                "Contacts",
                "contacts",
                rows=3,
                hint="One a line: Ada Lovelace <ada@example.com>. Each gets a link of their own.",
            ),
            _lines(
                "Sites",
                "sites",
                rows=3,
                hint="One a line: Main yard: 100 Main St, Sarasota 34236",
            ),
            _text("E-mail for invoices", "billing_email", input_mode="email"),
            class_name="mt-4 flex flex-col gap-4",
        ),
    )


def _served() -> rx.Component:
    products = [(each, GRADE_LABELS[each]) for each in PRODUCTS]
    days = [(each, each.capitalize()) for each in WEEKDAYS]
    frequencies = [(each, each.replace("-", " ").capitalize()) for each in FILL_FREQUENCIES]
    return panel(
        "What we serve",
        rx.el.div(
            _ticks("Products", "products", products, ProposalState.products),
            rx.el.div(
                _text("Vehicles", "vehicle_count", input_mode="numeric"),
                _text("Gallons a vehicle and fill", "gallons", input_mode="decimal"),
                _choice("Frequency", "frequency", frequencies),
                class_name=_PAIR,
            ),
            _ticks("Weekdays", "weekdays", days, ProposalState.weekdays),
            rx.el.div(
                _text("From", "opens", type="time"),
                _text("To", "closes", type="time", hint="The next day, if it is not after 'From'"),
                class_name=_PAIR,
            ),
            class_name="mt-4 flex flex-col gap-4",
        ),
    )


def _price() -> rx.Component:
    amount = partial(_text, optional=True, input_mode="decimal")
    return panel(
        "Price",
        rx.el.div(
            _choice("Basis", "basis", BASIS_NAMES.items()),
            amount("Offset a gallon", "offset", hint="Such as 0.24 or -0.05"),
            amount("Floor a gallon", "floor"),
            amount("Cap a gallon", "cap"),
            amount("Fixed price a gallon", "fixed", hint="Of a fixed price alone"),
            _text("Source", "source", optional=True, hint="Of a rack price: where it is read"),
            amount("Fee each visit", "visit_fee"),
            amount("Fee each vehicle", "vehicle_fee"),
            _text("Minimum gallons a visit", "minimum_gallons", optional=True),
            class_name=f"mt-4 {_PAIR}",
        ),
    )


def _payment() -> rx.Component:
    return panel(
        "Payment and notes",
        rx.el.div(
            _choice("Terms", "payment", TERM_NAMES.items()),
            _choice("Invoices", "invoice_cycle", CYCLE_NAMES.items()),
            _text("Valid until", "valid_until", type="date"),
            class_name=f"mt-4 {_PAIR}",
        ),
        checkbox(
            "Invoices need a purchase order",
            "po_required",
            form=ProposalState.FORM,
            default_checked=ProposalState.values["po_required"] != "",
            key=f"po_required {ProposalState.edition}",
        ),
        _lines("Notes for the company", "notes", optional=True),
    )


def _calculator() -> rx.Component:
    month = ProposalState.calculation
    facts = (
        ("Gallons", month.gallons),
        ("Work", month.minutes),
        ("Price today", month.price),
        ("Cost", month.cost),
        ("Margin", month.margin),
    )
    return rx.el.aside(
        card(
            rx.el.h2("A month of it", class_name=H2),
            rx.el.p(month.missing, class_name=f"mt-1 {TEXT} empty:hidden"),
            rx.el.dl(
                *[
                    rx.el.div(
                        rx.el.dt(label, class_name="w-24 shrink-0 text-muted"),
                        rx.el.dd(value, class_name="min-w-0 font-semibold text-ink tabular-nums"),
                        class_name="flex gap-3 py-1 text-base has-[dd:empty]:hidden",
                    )
                    for label, value in facts
                ],
                aria_live="polite",
                class_name="mt-2",
            ),
            rx.cond(
                month.approval != "",
                rx.el.p(
                    month.approval,
                    " An admin has to send it.",
                    class_name="mt-3 rounded-control bg-[#FFF0CC] p-3 text-base text-[#6B4700]",
                ),
            ),
            alert_in_view(ProposalState.error, class_name="mt-4"),
            rx.el.div(
                submit_button("Send...", busy=ProposalState.busy, busy_text="Checking..."),
                button("Preview", kind="secondary", on_click=ProposalState.show_preview),
                class_name="mt-4 flex flex-wrap gap-2",
            ),
            rx.el.p(
                rx.cond(ProposalState.saved != "", ProposalState.saved, "Saved as you type"),
                role="status",
                class_name="mt-3 text-sm text-muted",
            ),
        ),
        aria_label="Calculator",
    )


def _sent() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.cond(
                _shown.evidence.length() > 0,
                panel("Evidence of acceptance", facts_list(_shown.evidence)),
            ),
            rx.cond(_shown.reason != "", panel("Reason", rx.el.p(_shown.reason, class_name=TEXT))),
            card(document_view(_shown.document)),
            class_name="flex min-w-0 flex-col gap-4",
        ),
        rx.el.div(
            rx.cond(
                _shown.contacts.length() > 0,
                panel(
                    "Contacts",
                    rx.el.ul(
                        rx.foreach(_shown.contacts, _contact),
                        class_name="mt-2 divide-y divide-line text-base",
                    ),
                ),
            ),
            _history(),
            class_name="flex min-w-0 flex-col gap-4",
        ),
        class_name="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]",
    )


def _contact(contact: rx.Var[ContactLine]) -> rx.Component:
    return rx.el.li(
        rx.el.span(contact.name, class_name="block font-semibold text-ink"),
        email_text(contact.email, "block text-muted"),
        rx.el.span(contact.viewed, class_name="block text-sm text-muted"),
        class_name="py-2",
    )


def _history() -> rx.Component:
    return panel(
        "History",
        rx.el.ul(
            rx.foreach(_shown.versions, _version), class_name="mt-2 flex flex-col gap-1 text-base"
        ),
        rx.el.ol(
            rx.foreach(_shown.history, _happened),
            class_name=f"{GAP} divide-y divide-line border-t border-line text-base",
        ),
    )


def _version(version: rx.Var[Version]) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            version.name,
            href=routes.proposal(version.id),
            class_name="link inline-flex min-h-11 items-center",
            aria_current=rx.cond(version.id == _shown.id, "page", "false"),
        ),
        badge(version.state, version.color),
        class_name="flex items-center justify-between gap-3",
    )


def _happened(line: rx.Var[HistoryLine]) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.what, class_name="block text-ink wrap-anywhere"),
        rx.el.span(line.when, " · ", line.who, class_name="block text-sm text-muted"),
        class_name="py-2",
    )


def _send_dialog() -> rx.Component:
    state = SendProposalState
    return form_dialog(
        state,
        rx.el.p("It goes to ", rx.el.strong(state.to), ".", class_name="text-base wrap-anywhere"),
        rx.cond(
            state.approval != "",
            rx.el.div(
                rx.el.p(state.approval, class_name="mb-3 mt-3 text-base text-ink"),
                field_of(state, "Why is it sent all the same?", "reason", make=textarea_field),
            ),
        ),
        leave="Back",
        send="Send",
        busy_text="Sending...",
        title="Send this proposal?",
        description="It does not change any more: an edit is a new version.",
    )


def _withdraw_dialog() -> rx.Component:
    state = WithdrawProposalState
    return form_dialog(
        state,
        field_of(state, "Why?", "reason", make=textarea_field, hint="For the staff alone"),
        leave="Back",
        send="Withdraw",
        busy_text="Withdrawing...",
        title="Withdraw this proposal?",
        description="Its links then say that it was withdrawn.",
    )


def _preview() -> rx.Component:
    document = ProposalState.preview
    return dialog(
        rx.cond(
            document.sections.length() > 0,
            document_view(document),
            rx.el.p(
                "Some fields are not right yet: 'Send...' shows which.",
                class_name=f"py-4 {TEXT}",
            ),
        ),
        title=document.name,
        description="As its contacts will see it",
        open=ProposalState.previewing,
        on_open_change=ProposalState.close_preview,
        width="sm:max-w-2xl",
        closes_when_left=True,
    )
