"""The staff's list of companies, and one company: its head and its tabs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.companies.rules.companies import (
    ACTIVE,
    AUDIT,
    BOOKS,
    CLOSED,
    CYCLE_NAMES,
    KIND_NAMES,
    ON_HOLD,
    OVERVIEW,
    PEOPLE,
    SITES,
    STATE_NAMES,
    TAX,
    TERM_NAMES,
    CompanyRow,
    CostCenterLine,
    PurchaseOrderLine,
)
from fuel_app.companies.rules.documents import APPROVED, ASKED, Exemption
from fuel_app.companies.rules.people import Action, Member
from fuel_app.companies.rules.sites import ENDS_SOON, EXPIRED, NO_PERMIT, Site
from fuel_app.companies.state.company import CompaniesState, CompanyState
from fuel_app.companies.state.dialogs import (
    BillingEmailsState,
    CompanyDetailsState,
    CompanyPressState,
    CompanyStepState,
    CompanyTermsState,
    CostCenterState,
    ExemptionClaimState,
    ExemptionDeclineState,
    MemberDialogState,
    PurchaseOrderState,
    SiteDialogState,
    SiteFilesState,
    SitePinState,
)
from fuel_app.kit.ui.button import button, line_button
from fuel_app.kit.ui.cards import TEXT, badge, card, email_link, panel, phone_link
from fuel_app.kit.ui.fields import CONTROL
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.list import (
    ROW,
    alphabetic,
    cell,
    filter_select,
    list_summary,
    list_table,
    nothing_here,
    pager,
    search_box,
)
from fuel_app.kit.ui.script import TITLE
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.kit.ui.tabs import tabs

_FORM = "companies"
_COLUMNS = {
    "Company": "name",
    "State": "state",
    "Sites": "",
    "People": "",
    "Terms": "",
    "Account owner": "",
    "Since": "created_at",
}
_ORDERS = {
    **alphabetic(name="Name"),
    "state": "State",
    "-created_at": "Newest",
    "created_at": "Oldest",
}


def companies_list() -> rx.Component:
    """Return the list with its search and filters, and the pages."""
    tied = partial(filter_select, CompaniesState, form=_FORM)
    return rx.fragment(
        live_form(
            search_box(
                CompaniesState,
                "Search companies",
                box_id="company-search",
                name="q",
                placeholder="Name or legal name",
            ),
            rx.el.div(
                tied("State", "state", STATE_NAMES.items(), everything="Any state"),
                tied("Kind", "kind", KIND_NAMES.items(), everything="Any kind"),
                class_name="mt-3 grid grid-cols-2 gap-3 sm:max-w-md",
            ),
            on_edit=CompaniesState.narrow,
            on_submit=CompaniesState.narrow,
        ),
        rx.el.div(list_summary(CompaniesState), class_name="my-3"),
        list_table(
            CompaniesState,
            _row,
            _COLUMNS,
            caption="Companies",
            orders=_ORDERS,
            loading="Loading companies...",
            failed="Companies cannot be read just now.",
            nothing_found="No companies found",
            nothing="No companies yet: a proposal that is accepted makes one.",
            within=True,
        ),
        pager(CompaniesState),
    )


def _row(row: rx.Var[CompanyRow]) -> rx.Component:
    address = routes.company(row.id)
    name = rx.el.div(
        rx.el.a(
            row.name,
            href=address,
            on_click=rx.stop_propagation,
            class_name="font-semibold text-ink wrap-anywhere hover:text-gulf-deep hover:underline "
            "max-lg:text-base",
        ),
        rx.el.span(row.kinds, class_name="block text-sm text-muted"),
        class_name="min-w-0 lg:min-w-40",
    )
    return rx.el.tr(
        cell("", name, "max-lg:order-first max-lg:justify-start"),
        cell("State", state_badge(row.state)),
        cell("Sites", rx.el.span(row.sites)),
        cell("People", rx.el.span(row.people)),
        cell("Terms", rx.el.span(row.terms)),
        cell("Account owner", _or_none(row.owner)),
        cell("Since", rx.el.span(row.since, class_name="whitespace-nowrap")),
        key=row.id,
        role="row",
        on_click=rx.redirect(address),
        class_name=f"{ROW} cursor-pointer",
    )


def state_badge(state: Any) -> rx.Component:
    return rx.match(
        state,
        (ACTIVE, badge(STATE_NAMES[ACTIVE], "green")),
        (ON_HOLD, badge(STATE_NAMES[ON_HOLD], "yellow")),
        badge(STATE_NAMES[CLOSED]),
    )


def _or_none(text: Any, none: str = "None") -> rx.Component:
    return rx.cond(text != "", rx.el.span(text), rx.el.span(none, class_name="text-muted"))


_profile = CompanyState.profile
_IS_ADMIN = SessionState.is_admin & ~CompanyState.is_own


def can(action: Action) -> rx.Var[bool]:
    """Return whether the person at this tab may do something in the company, which is open."""
    return CompanyState.may.contains(action.value) & (_profile.state != CLOSED)


def company_shown() -> rx.Component:
    """Return the company, or that there is none such."""
    return rx.cond(
        CompanyState.failed & (_profile.id == ""),
        nothing_here("This company cannot be read just now.", "Try again", CompanyState.load),
        rx.cond(CompanyState.missing, _missing(), _known()),
    )


def _missing() -> rx.Component:
    return rx.el.div(
        rx.icon("building-2", size=32, aria_hidden=True, class_name="text-[#8FA3AB]"),
        rx.el.h1("Company not found", class_name=TITLE),
        rx.el.p("There is no such company.", class_name=TEXT),
        class_name="flex flex-col items-center gap-2 py-20 text-center",
        role="status",
    )


def _known() -> rx.Component:
    return rx.fragment(
        _head(),
        tabs(
            [*shared_tabs(), (AUDIT, "Audit", _audit())],
            value=CompanyState.question.tab,
            on_change=CompanyState.open_tab,
            label="Company",
        ),
    )


def shared_tabs() -> list[tuple[str, str, rx.Component]]:
    """Return the tabs of a company that staff and its own people see."""
    return [
        (OVERVIEW, "Overview", _overview()),
        (SITES, "Sites", _sites()),
        (PEOPLE, "People", _people()),
        (BOOKS, "Books", _books()),
        (TAX, "Tax", _tax()),
    ]


def _head() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.el.div(
                rx.el.h1(_profile.name, class_name=f"wrap-anywhere {TITLE}"),
                state_badge(_profile.state),
                class_name="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1",
            ),
            rx.el.div(
                _step("Hold", ON_HOLD, _profile.state == ACTIVE),
                _step("Resume", ACTIVE, _profile.state == ON_HOLD),
                _step("Close", CLOSED, (_profile.state != CLOSED) & _IS_ADMIN),
                _step("Open again", ACTIVE, (_profile.state == CLOSED) & _IS_ADMIN),
                class_name="flex flex-wrap gap-2",
            ),
            class_name="flex flex-wrap items-start justify-between gap-3",
        ),
        rx.el.div(
            rx.el.p(
                rx.cond(
                    (_profile.state != ACTIVE) & (_profile.state_reason != ""),
                    rx.fragment(_profile.state_reason, " · "),
                ),
                "Customer since ",
                _profile.since,
                class_name=f"wrap-anywhere {TEXT}",
            ),
            rx.el.label(
                rx.el.span("Account owner", class_name="shrink-0 text-sm font-semibold text-ink"),
                rx.el.select(
                    rx.el.option("Nobody", value=""),
                    rx.foreach(
                        CompanyState.owners,
                        lambda each: rx.el.option(each[1], value=each[0]),
                    ),
                    value=_profile.account_owner_id,
                    on_change=CompanyState.set_owner,
                    class_name=f"{CONTROL} cursor-pointer pl-2 sm:w-56",
                ),
                class_name="flex items-center gap-2 max-sm:w-full",
            ),
            class_name="mb-4 mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3",
        ),
    )


def _step(text: str, to: str, can: Any) -> rx.Component:
    return rx.cond(can, button(text, kind="secondary", on_click=CompanyStepState.begin(to)))


def _facts(*facts: rx.Component) -> rx.Component:
    return rx.el.dl(*facts, class_name="mt-3 grid gap-x-6 gap-y-3 sm:grid-cols-2")


def _fact(label: str, shows: Any) -> rx.Component:
    return rx.el.div(
        rx.el.dt(label, class_name="text-sm font-semibold text-muted"),
        rx.el.dd(shows, class_name="whitespace-pre-line text-base text-ink wrap-anywhere"),
    )


def _words(value: Any, names: Mapping[str, str]) -> rx.Component:
    return rx.match(value, *names.items(), "")


def _edit(of: str, event: Any) -> rx.Component:
    return button("Edit", rx.el.span(of, class_name="sr-only"), kind="secondary", on_click=event)


def _overview() -> rx.Component:
    kinds = [
        rx.cond(_profile.kinds.contains(kind), badge(name)) for kind, name in KIND_NAMES.items()
    ]
    place = rx.cond(
        _profile.street != "",
        f"{_profile.street}\n{_profile.city}, {_profile.state_code} {_profile.zip_code}",
        "None",
    )
    emails = rx.foreach(_profile.billing_emails, lambda each: rx.el.div(email_link(each)))
    return rx.el.div(
        panel(
            "Details",
            _facts(
                _fact("Legal name", _or_none(_profile.legal_name, "Not said")),
                _fact("Kind", rx.el.span(*kinds, class_name="flex flex-wrap gap-1")),
                _fact("E-mail for invoices", emails),
                _fact("Billing address", place),
            ),
            action=rx.cond(
                can(Action.CHANGE_COMPANY),
                _edit("details", CompanyDetailsState.begin),
                rx.cond(
                    can(Action.CHANGE_BILLING),
                    _edit("e-mail for invoices", BillingEmailsState.begin),
                ),
            ),
        ),
        panel(
            "Terms",
            _facts(
                _fact("Pays", _words(_profile.terms, TERM_NAMES)),
                _fact("Invoices", _words(_profile.invoice_cycle, CYCLE_NAMES)),
                _fact("Purchase order", rx.cond(_profile.po_required, "Required", "Not needed")),
                _fact("Credit limit", _or_none(_profile.credit_limit_text)),
                _fact("Price of a gallon", _or_none(_profile.price_rule, "No price rule yet")),
            ),
            action=rx.cond(
                _IS_ADMIN,
                rx.cond(can(Action.CHANGE_COMPANY), _edit("terms", CompanyTermsState.begin)),
                rx.cond(
                    CompanyState.is_own,
                    rx.fragment(),
                    rx.el.p("Only an admin changes these.", class_name=f"py-2 {TEXT}"),
                ),
            ),
        ),
        class_name="grid items-start gap-4 xl:grid-cols-2",
    )


def _add(text: str, event: Any, action: Action) -> rx.Component:
    return rx.cond(
        can(action),
        button(rx.icon("plus", size=20, aria_hidden=True), text, kind="secondary", on_click=event),
    )


def _press(text: str, kind: str, name: Any, line_id: Any) -> rx.Component:
    return line_button(text, name, on_click=CompanyPressState.press(kind, line_id))


def _closed_badge(is_closed: Any) -> rx.Component:
    return rx.cond(is_closed, badge("Closed"))


def _sites() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            _add("Add site", SiteDialogState.begin(""), Action.CHANGE_SITES),
            class_name="mb-3 flex justify-end",
        ),
        rx.cond(
            CompanyState.sites.length() > 0,
            rx.el.ul(
                rx.foreach(CompanyState.sites, _site),
                aria_label="Sites",
                class_name="grid items-start gap-4 xl:grid-cols-2",
            ),
            card(nothing_here("No sites yet")),
        ),
    )


def _site(site: rx.Var[Site]) -> rx.Component:
    contact = rx.cond(
        site.contact_phone != "",
        rx.fragment(rx.el.div(site.contact_name), phone_link(site.phone_text, site.contact_phone)),
        _or_none(site.contact_name, "Nobody"),
    )
    files = rx.fragment(
        _file("Permit", site.permit_document_id, site.name),
        _file("Picture of the lot", site.picture_id, site.name),
        rx.cond((site.permit_document_id == "") & (site.picture_id == ""), "None", ""),
    )
    return rx.el.li(
        card(
            rx.el.div(
                rx.el.h2(site.name, class_name="min-w-0 text-lg font-bold text-ink wrap-anywhere"),
                rx.el.div(
                    _closed_badge(site.is_closed),
                    rx.match(
                        site.permit,
                        (ENDS_SOON, badge("Permit ends soon", "yellow")),
                        (EXPIRED, badge("Permit ended", "red")),
                        (NO_PERMIT, badge("No permit")),
                        badge("Permit valid", "green"),
                    ),
                    rx.cond(site.is_approximate, badge("Pin not set", "yellow")),
                    class_name="flex flex-wrap gap-1",
                ),
                class_name="flex flex-wrap items-start justify-between gap-x-3 gap-y-1",
            ),
            rx.el.p(site.address, class_name=f"mt-1 wrap-anywhere {TEXT}"),
            _facts(
                _fact("Contact", contact),
                _fact("Gate code", _or_none(site.gate_code)),
                _fact("Hours", _or_none(site.hours, "Not said")),
                _fact("Vehicles stand", _or_none(site.parking, "Not said")),
                _fact(
                    "Permit",
                    rx.fragment(
                        site.permit_text,
                        rx.cond(site.permit_authority != "", f", {site.permit_authority}", ""),
                    ),
                ),
                _fact("Files", files),
            ),
            rx.cond(
                can(Action.CHANGE_SITES),
                rx.el.div(
                    line_button("Edit", site.name, on_click=SiteDialogState.begin(site.id)),
                    line_button(
                        rx.cond(site.is_approximate, "Set pin", "Move pin"),
                        site.name,
                        on_click=SitePinState.begin(site.id),
                    ),
                    line_button("Files", site.name, on_click=SiteFilesState.begin(site.id)),
                    rx.cond(
                        site.is_closed,
                        _press("Open again", "open_site", site.name, site.id),
                        _press("Close", "close_site", site.name, site.id),
                    ),
                    class_name="-mx-3 mt-3 flex flex-wrap border-t border-line pt-2",
                ),
            ),
        ),
        key=site.id,
    )


def _file(text: str, document_id: Any, of: Any) -> rx.Component:
    link = rx.el.A.create(
        text,
        rx.el.span(" of ", of, class_name="sr-only"),
        href=routes.company_document(document_id),
        target="_blank",
        class_name="link inline-flex min-h-11 items-center lg:min-h-9",
    )
    return rx.cond(document_id != "", rx.el.div(link))


def _people() -> rx.Component:
    return panel(
        "People and invitations",
        stacked_table(
            CompanyState.people,
            [
                Column("Person", _person),
                Column("Role", lambda member: member.role_name),
                Column("Sees", lambda member: member.sites),
                Column("Change", _member_actions),
            ],
            caption="People",
            loading=CompanyState.loading,
            empty_text="Nobody yet",
        ),
        action=_add("Invite", MemberDialogState.begin(""), Action.CHANGE_COMPANY),
    )


def _person(member: rx.Var[Member]) -> rx.Component:
    return rx.fragment(
        rx.cond(member.name != "", rx.el.span(member.name, class_name="block font-semibold")),
        email_link(member.email),
        rx.cond(
            member.is_invitation,
            rx.el.span("Invited, until ", member.until, class_name="block text-sm text-muted"),
        ),
    )


def _member_actions(member: rx.Var[Member]) -> rx.Component:
    called = rx.cond(member.name != "", member.name, member.email)
    changed = rx.cond(
        can(Action.CHANGE_COMPANY),
        rx.cond(
            member.is_invitation,
            rx.fragment(
                _press("Send again", "send_again", called, member.id),
                _press("Withdraw", "withdraw", called, member.id),
            ),
            rx.fragment(
                line_button("Change", called, on_click=MemberDialogState.begin(member.id)),
                rx.cond(
                    CompanyState.is_own & member.is_you,
                    rx.fragment(),
                    _press("Remove", "remove", called, member.id),
                ),
            ),
        ),
    )
    leave = _press("Leave", "leave", "the company", member.id)
    return rx.fragment(changed, rx.cond(CompanyState.is_own & member.is_you, leave))


def _books() -> rx.Component:
    return rx.el.div(
        panel(
            "Cost centers",
            stacked_table(
                CompanyState.centers,
                [
                    Column("Name", lambda line: _line_name(line.name, line.is_closed)),
                    Column("Budget a month", lambda line: line.budget, number=True),
                    Column("Change", _center_actions),
                ],
                caption="Cost centers",
                loading=CompanyState.loading,
                empty_text="No cost centers yet",
            ),
            action=_add("Add cost center", CostCenterState.begin(""), Action.CHANGE_BILLING),
        ),
        panel(
            "Purchase orders",
            stacked_table(
                CompanyState.orders,
                [
                    Column("Number", lambda line: _line_name(line.number, line.is_closed)),
                    Column("Amount", lambda line: line.amount, number=True),
                    Column("Valid to", lambda line: line.valid_to),
                    Column("Change", _order_actions),
                ],
                caption="Purchase orders",
                loading=CompanyState.loading,
                empty_text="No purchase orders yet",
            ),
            action=_add("Add purchase order", PurchaseOrderState.begin(""), Action.CHANGE_BILLING),
        ),
        class_name="grid gap-4",
    )


def _line_name(name: Any, is_closed: Any) -> rx.Component:
    return rx.fragment(rx.el.span(name, class_name="mr-2 font-semibold"), _closed_badge(is_closed))


def _center_actions(line: rx.Var[CostCenterLine]) -> rx.Component:
    edit = line_button("Edit", line.name, on_click=CostCenterState.begin(line.id))
    return _line_actions(edit, "center", line.name, line)


def _order_actions(line: rx.Var[PurchaseOrderLine]) -> rx.Component:
    edit = line_button("Edit", line.number, on_click=PurchaseOrderState.begin(line.id))
    return _line_actions(edit, "order", line.number, line)


def _line_actions(edit: rx.Component, noun: str, name: Any, line: Any) -> rx.Component:
    return rx.cond(
        can(Action.CHANGE_BILLING),
        rx.cond(
            line.is_closed,
            _press("Open again", f"open_{noun}", name, line.id),
            rx.fragment(edit, _press("Close", f"close_{noun}", name, line.id)),
        ),
    )


def _tax() -> rx.Component:
    return panel(
        "Tax exemption",
        stacked_table(
            CompanyState.exemptions,
            [
                Column("Kind", lambda line: line.kind),
                Column("Certificate", _certificate),
                Column("Valid to", lambda line: line.valid_to),
                Column("State", lambda line: line.state_text),
                Column("Decide", _exemption_actions),
            ],
            caption="Tax exemptions",
            loading=CompanyState.loading,
            empty_text="None: tax is charged as to everybody",
        ),
        lead=rx.cond(
            CompanyState.is_own,
            "With your certificate, which we look at.",
            "The company asks for it with its certificate; an admin decides.",
        ),
        action=rx.cond(
            CompanyState.is_own,
            _add("Claim exemption", ExemptionClaimState.begin, Action.CHANGE_COMPANY),
        ),
    )


def _certificate(line: rx.Var[Exemption]) -> rx.Component:
    return rx.fragment(line.certificate, _file("Certificate", line.document_id, line.certificate))


def _exemption_actions(line: rx.Var[Exemption]) -> rx.Component:
    decline = ExemptionDeclineState.begin(line.id)
    return rx.cond(
        _IS_ADMIN,
        rx.match(
            line.state,
            (
                ASKED,
                rx.fragment(
                    _press("Approve", "approve", line.certificate, line.id),
                    line_button("Decline", line.certificate, on_click=decline),
                ),
            ),
            (APPROVED, line_button("End", line.certificate, on_click=decline)),
            rx.fragment(),
        ),
        rx.cond(
            (line.state == ASKED) & ~CompanyState.is_own,
            rx.el.span("Waits for an admin", class_name="text-muted"),
        ),
    )


def _audit() -> rx.Component:
    return card(
        stacked_table(
            CompanyState.changes,
            [
                Column(
                    "When", lambda change: rx.el.span(change.when, class_name="whitespace-nowrap")
                ),
                Column("What", lambda change: change.what),
                Column("Who", lambda change: change.who),
            ],
            caption="Audit",
            loading=CompanyState.loading,
            empty_text="Nothing has been changed yet",
        )
    )
