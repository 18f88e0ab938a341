"""The frame of the settings, one screen for each entry, for admins; and those of no package below.

These are the policies with their last changes, the money with what came in per day and what
needs a look, and what the people's screen says of the work of a technician.
"""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, for_admins, undo_bar
from fuel_app.kit.policies import POLICIES, Policy
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.button import button, download_link, line_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, panel
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.frame import page_link
from fuel_app.kit.ui.list import pager
from fuel_app.kit.ui.script import TITLE, alert_in_view, revealed
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.invoices import InvoicesTab
from fuel_app.office.state.settings import (
    BusinessState,
    MoneyState,
    TechnicianRoutesState,
)

ENTRIES = (
    ("map", "Areas", routes.SETTINGS_AREAS),
    ("fuel", "Prices", routes.SETTINGS_PRICES),
    ("truck", "Trucks", routes.SETTINGS_TRUCKS),
    ("users", "People", routes.SETTINGS_PEOPLE),
    ("mail", "Messages", routes.SETTINGS_MESSAGES),
    ("megaphone", "Announcements", routes.SETTINGS_ANNOUNCEMENTS),
    ("wallet", "Money", routes.SETTINGS_MONEY),
    ("sliders-horizontal", "Business", routes.SETTINGS_BUSINESS),
)
_ENTRY = (
    "inline-flex min-h-11 shrink-0 items-center gap-2 whitespace-nowrap border-b-2 "
    "border-transparent px-3 text-base font-semibold text-muted hover:text-gulf-deep "
    "focus-visible:-outline-offset-2 aria-[current=page]:border-gulf "
    "aria-[current=page]:text-gulf-deep"
)


def _tabs(current: str) -> rx.Component:
    return rx.el.nav(
        *[
            page_link(
                rx.fragment(text, revealed()) if address == current else text,
                address,
                current,
                _ENTRY,
                icon,
            )
            for icon, text, address in ENTRIES
        ],
        aria_label="Settings",
        class_name="mb-6 mt-3 flex border-b border-line max-lg:overflow-x-auto lg:flex-wrap",
    )


def _only_admins() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            "Areas, prices, trucks, people, messages, announcements, money and business figures "
            "are for admins. Ask one of them for a change.",
            class_name="mt-3 max-w-[60ch] text-base text-ink",
        ),
        rx.el.p("You may go on with:", class_name="mt-3 text-base text-muted"),
        rx.el.ul(
            *[
                rx.el.li(rx.el.a(text, href=address, class_name=_LINK))
                for text, address in (
                    ("Customers", routes.CUSTOMER_DASHBOARD),
                    ("Dispatch", routes.DISPATCH),
                    ("The admin dashboard", routes.DASHBOARD),
                )
            ]
        ),
    )


_LINK = "link inline-flex min-h-11 items-center text-base"


def settings_screen(*children: Any, title: str, current: str, undo: bool = False) -> rx.Component:
    """Return the settings screen at the address `current`, with the bar of Undo if it has one."""
    screen = admin_layout(
        rx.el.h1("Settings", class_name=TITLE),
        for_admins(_tabs(current), rx.fragment()),
        rx.el.section(
            rx.el.h2(title, class_name="sr-only"),
            for_admins(rx.fragment(*children), _only_admins()),
            aria_label=title,
            class_name="flex max-w-5xl flex-col gap-6 [&>[role=alert]:empty]:-mb-6",
        ),
        current=routes.SETTINGS_AREAS,
    )
    return rx.fragment(screen, undo_bar()) if undo else screen


def business_policies() -> rx.Component:
    return rx.fragment(
        panel(
            "Business figures",
            alert(rx.cond(BusinessState.failed, "The figures cannot be read just now.", "")),
            rx.cond(
                BusinessState.loading,
                rx.el.div(class_name="skeleton mt-4 h-40 rounded", aria_hidden=True),
                _policies_form(),
            ),
            lead="A change takes effect for what is made after it.",
        ),
        panel(
            "Last changes",
            stacked_table(
                BusinessState.changes,
                (
                    Column("When", lambda line: line.when),
                    Column("Figure", lambda line: line.label),
                    Column("Change", lambda line: line.what),
                    Column("By", lambda line: line.who),
                ),
                caption="Last changes",
                loading=BusinessState.loading,
                empty_text="No figure has been changed yet.",
            ),
        ),
    )


def _policies_form() -> rx.Component:
    return live_form(
        rx.el.div(
            *[_policy_field(policy) for policy in POLICIES.values()],
            class_name="mt-4 grid gap-4 sm:grid-cols-2",
        ),
        alert_in_view(BusinessState.error, class_name="mt-4"),
        rx.el.div(
            submit_button("Save figures", busy=BusinessState.busy, busy_text="Saving..."),
            class_name="mt-6",
        ),
        on_edit=BusinessState.edit,
        on_submit=BusinessState.submit,
    )


def _policy_field(policy: Policy) -> rx.Component:
    unit = "in dollars" if policy.is_money else f"in {policy.unit}"
    shown = BusinessState.shown[policy.name]
    return rx.el.div(
        field(
            f"{policy.label} ({unit})",
            policy.name,
            form=BusinessState.FORM,
            error=BusinessState.errors.get(policy.name, ""),
            default_value=shown,
            hint=policy.hint,
            input_mode="decimal" if policy.is_money else "numeric",
            auto_complete="off",
        ),
        key=shown,  # the field appears anew when its stored value changes
    )


_MONEY_FORM = "money"


def money() -> rx.Component:
    return rx.fragment(
        once_arrived(
            MoneyState,
            _report(),
            until=rx.el.div(class_name="skeleton h-80 rounded-card", aria_hidden=True),
        ),
        address_mirror(MoneyState),
    )


def _report() -> rx.Component:
    report = MoneyState.report
    return rx.fragment(
        panel(
            "Debts",
            alert(rx.cond(MoneyState.failed, "The money cannot be read just now.", "")),
            rx.cond(
                report.owed != "",
                rx.el.p(
                    rx.el.strong(report.owed, class_name="text-2xl text-ink"),
                    f" owed by {report.debtors}",
                    class_name=f"mt-2 tabular-nums {TEXT}",
                ),
            ),
            _money_table(
                report.debts,
                Column("Customer", _customer),
                Column("Owes", lambda line: line.amount, number=True),
                Column("Since", lambda line: line.since),
                Column("Oldest invoice", _oldest),
                Column("Last try", lambda line: line.what),
                caption="Debts",
                empty_text="Nobody owes anything.",
            ),
            pager(MoneyState),
        ),
        panel(
            "Disputes",
            _money_table(
                report.disputes,
                Column("Customer", _customer),
                Column("Amount", lambda line: line.amount, number=True),
                Column("State", lambda line: line.what),
                Column("Answer by", _deadline),
                Column("Began", lambda line: line.when),
                Column("Invoice", _invoice),
                Column("Evidence", _evidence),
                caption="Disputes",
                empty_text="No payment is disputed.",
            ),
            lead="A customer's bank takes a payment back. Send Stripe the evidence in time.",
        ),
        panel(
            "Refunds that failed",
            _money_table(
                report.refunds,
                Column("Customer", _customer),
                Column("When", lambda line: line.when),
                Column("Amount", lambda line: line.amount, number=True),
                Column("Change", _try_again),
                caption="Refunds that failed",
                empty_text="No refund has failed.",
            ),
        ),
        panel(
            "Months",
            _moved_table(report.months, "Month", _month, "Nothing moved in these months."),
            lead="Captured and refunded are on cards, before Stripe's fees. Income is what was "
            "invoiced, less discounts.",
        ),
        panel(
            "Days",
            _range(),
            _moved_table(report.days, "Day", lambda line: line.day, "Nothing moved on these days."),
            action=download_link("Download CSV", MoneyState.export, class_name="shrink-0"),
        ),
        panel(
            "Unmatched webhooks",
            _money_table(
                report.webhooks,
                Column("Event", lambda line: line.what),
                Column("Object", lambda line: line.object_id),
                Column("Received", lambda line: line.when),
                Column("Change", _look_again),
                caption="Unmatched webhooks",
                empty_text="All webhooks have found their payment.",
            ),
            lead="Stripe has sent events about objects that are none of ours.",
        ),
    )


def _range() -> rx.Component:
    shown = MoneyState.shown
    fields = [
        field(
            label,
            name,
            form=_MONEY_FORM,
            error=MoneyState.errors[name],
            type="date",
            default_value=shown[name],
            key=f"{name} {shown[name]}",  # it appears anew with another day
        )
        for label, name in (("First day", "first"), ("Last day", "last"))
    ]
    return rx.el.form(
        *fields,
        button("Show", kind="secondary", type="submit", class_name="sm:mt-6"),
        on_submit=MoneyState.narrow,
        no_validate=True,
        class_name="mt-4 grid gap-4 sm:grid-cols-[12rem_12rem_auto] sm:justify-start",
    )


def _moved_table(rows: Any, title: str, name: Any, empty_text: str) -> rx.Component:
    return _money_table(
        rows,
        Column(title, name),
        Column("Captured", lambda line: line.captured, number=True),
        Column("Refunded", lambda line: line.refunded, number=True),
        Column("Tax", lambda line: line.tax, number=True),
        Column("Captured to income", lambda line: _parts(line.between), number=True),
        Column("Income", _income, number=True),
        caption=f"{title}s",
        empty_text=empty_text,
    )


def _month(line: Any) -> rx.Component:
    return rx.el.a(line.day, href=line.href, class_name="link")


def _income(line: Any) -> rx.Component:
    return rx.fragment(rx.el.strong(line.earned), _parts(line.income))


def _parts(parts: Any) -> rx.Component:
    return rx.foreach(parts, lambda part: rx.el.span(part, class_name="block text-sm"))


def _invoice(line: Any) -> rx.Component:
    """Return a link to the invoice's PDF, which staff may open of anybody; empty without one."""
    href = routes.receipt_file(line.invoice_id)
    link = rx.el.a(line.name, href=href, class_name="link whitespace-nowrap")
    return rx.cond(line.invoice_id != "", link)


def _oldest(line: Any) -> rx.Component:
    return rx.fragment(_invoice(line), rx.el.span(line.more, class_name="block text-sm"))


def _deadline(line: Any) -> rx.Component:
    return rx.cond(line.deadline != "", rx.el.strong(line.deadline))


def _evidence(line: Any) -> rx.Component:
    """Return the link to the file of receipt and photos; empty without an invoice."""
    return rx.cond(
        line.invoice_id != "",
        rx.el.a(
            "Download",
            rx.el.span(f" the evidence of {line.name}", class_name="sr-only"),
            href=routes.evidence(line.payment_id),
            class_name="link",
        ),
    )


def _customer(line: Any) -> rx.Component:
    href = routes.customer_tab(line.person_id, InvoicesTab.KEY)
    return rx.cond(line.person_id != "", rx.el.a(line.who, href=href, class_name="link"), line.who)


def _try_again(line: Any) -> rx.Component:
    press = MoneyState.retry_refund(line.refund_id)
    return line_button("Try again", f"{line.who}, {line.amount}", on_click=press)


def _look_again(line: Any) -> rx.Component:
    return line_button("Look again", line.object_id, on_click=MoneyState.look_again(line.id))


def _money_table(rows: Any, *columns: Column, caption: str, empty_text: str) -> rx.Component:
    return stacked_table(
        rows,
        columns,
        caption=caption,
        loading=MoneyState.loading,
        empty_text=rx.cond(MoneyState.failed, "", empty_text),
    )


def shifts_ahead() -> rx.Component:
    """Name the shifts of the person whom a dialog is about; nothing without any."""
    shifts = TechnicianRoutesState.shifts_ahead
    return rx.cond(
        shifts.length() > 0,
        rx.el.div(
            rx.el.p("Shifts of theirs that are not over:", class_name="font-semibold text-ink"),
            rx.el.ul(
                rx.foreach(shifts, lambda line: rx.el.li(line, key=line)),
                class_name="mt-1 list-disc space-y-1 pl-5",
            ),
            rx.el.p(
                "These routes stay, and nobody drives them. Choose another technician under "
                "Shifts on the dispatch board, or move their stops.",
                class_name="mt-2",
            ),
            class_name="rounded-control bg-[#FFF0CC] px-3 py-2 text-base text-ink",
        ),
    )
