"""The dialogs in which staff, and its own people, change a company."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from fuel_app.companies.rules.companies import (
    ACTIVE,
    CENTER_MAX,
    CLOSED,
    COMPANY_MAX,
    CYCLE_NAMES,
    KIND_NAMES,
    ON_HOLD,
    PO_MAX,
    REASON_MAX,
    STREET_MAX,
    TERM_NAMES,
)
from fuel_app.companies.rules.documents import (
    CERTIFICATE_MAX,
    EXEMPTION_NAMES,
    FILE_MAX_BYTES,
    PERMIT,
    PICTURE,
    DocumentTooLarge,
)
from fuel_app.companies.rules.people import COMPANY_ROLES, ROLE_NAMES, ROLE_NOTES, CompanyRole
from fuel_app.companies.rules.sites import (
    GATE_MAX,
    HOURS_MAX,
    PERMIT_MAX,
    SITE_MAX,
    TEXT_MAX,
    Site,
)
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
from fuel_app.kit.contact import EMAIL_MAX, NAME_MAX, ZIP_DIGITS
from fuel_app.kit.ui.button import busy_button, button
from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import (
    checkbox,
    checkbox_group,
    error_text,
    field_id,
    select_field,
    textarea_field,
)
from fuel_app.kit.ui.forms import field_of, form_dialog
from fuel_app.kit.ui.map import pin_map
from fuel_app.kit.ui.upload import upload

_COLUMN, _PAIR = "flex flex-col gap-4", "grid gap-4 sm:grid-cols-2"
_DAY_HINT = "The last day"


def company_dialogs() -> rx.Component:
    """Return every dialog of staff; at most one is open."""
    return rx.fragment(_shared(), _terms(), _step(), _decline())


def own_dialogs() -> rx.Component:
    """Return every dialog of a company's own people."""
    return rx.fragment(_shared(), _emails(), _claim())


def _shared() -> rx.Component:
    return rx.fragment(
        _details(), _site(), _pin(), _files(), _member(), _center(), _order(), _press()
    )


def _tied(state: Any) -> Any:
    """Return a maker of the fields of a dialog, which begin with its values."""

    def make(label: str, name: str, **props: Any) -> rx.Component:
        return field_of(
            state,
            label,
            name,
            default_value=state.values[name],
            key=f"{name} {state.edition}",
            **{"auto_complete": "off"} | props,
        )

    return make


def _options(names: Mapping[str, str]) -> rx.Component:
    return rx.fragment(*[rx.el.option(text, value=value) for value, text in names.items()])


def _optional(tied: Any, label: str, name: str, longest: int, **props: Any) -> rx.Component:
    return tied(label, name, optional=True, max_length=longest + 1, **props)


def _details() -> rx.Component:
    state, tied = CompanyDetailsState, _tied(CompanyDetailsState)
    return form_dialog(
        state,
        rx.el.div(
            tied("Name", "name", max_length=COMPANY_MAX + 1),
            _optional(tied, "Legal name", "legal_name", COMPANY_MAX),
            _email_field(tied),
            _optional(tied, "Billing street", "street", STREET_MAX),
            rx.el.div(
                _optional(tied, "City", "city", NAME_MAX),
                _optional(tied, "State", "state", 2),
                _optional(tied, "ZIP", "zip_code", ZIP_DIGITS, input_mode="numeric"),
                class_name="grid gap-4 sm:grid-cols-[2fr_1fr_1fr]",
            ),
            class_name=_COLUMN,
        ),
        leave="Cancel",
        send="Save details",
        title="Details of the company",
    )


def _email_field(tied: Any) -> rx.Component:
    return tied(
        "E-mail for invoices",
        "billing_emails",
        make=textarea_field,
        rows=2,
        hint="One address a line, up to five",
    )


def _emails() -> rx.Component:
    return form_dialog(
        BillingEmailsState,
        _email_field(_tied(BillingEmailsState)),
        leave="Cancel",
        send="Save",
        title="Where invoices go",
    )


def _claim() -> rx.Component:
    state, tied = ExemptionClaimState, _tied(ExemptionClaimState)
    return form_dialog(
        state,
        rx.el.div(
            rx.cond(
                state.has_file,
                rx.el.p("The certificate has arrived.", class_name="text-base text-ink"),
                _file_button("Certificate", "certificate", state.address, state.sent),
            ),
            tied(
                "Kind",
                "kind",
                make=select_field,
                options=_options(EXEMPTION_NAMES),
                placeholder="Choose a kind",
            ),
            rx.el.div(
                tied("Certificate number", "certificate", max_length=CERTIFICATE_MAX + 1),
                tied("Valid to", "valid_to", type="date", hint=_DAY_HINT),
                class_name=_PAIR,
            ),
            class_name=_COLUMN,
        ),
        leave="Cancel",
        send="Claim exemption",
        title="Claim a tax exemption",
        description="We look at the certificate; until it is approved, tax is charged.",
    )


def _file_button(title: str, kind: str, address: Any, on_done: Any) -> rx.Component:
    return rx.el.section(
        rx.el.h3(title, class_name="mb-2 text-base font-bold text-ink"),
        upload(
            f"Choose a {title.lower()}",
            id=f"company-{kind}",
            kind="secondary",
            address=address,
            accept=".pdf,.jpg,.jpeg,.png",
            most=FILE_MAX_BYTES,
            too_large=str(DocumentTooLarge()),
            failed="The file was not saved. Please try again.",
            expired="Please sign in again.",
            hint="or drop it here. PDF, JPEG or PNG, up to 5 MB.",
            on_done=on_done,
        ),
    )


def _terms() -> rx.Component:
    state, tied = CompanyTermsState, _tied(CompanyTermsState)
    return form_dialog(
        state,
        rx.el.div(
            field_of(
                state,
                "Kinds",
                "kinds",
                make=checkbox_group,
                options=tuple(KIND_NAMES.items()),
                ticked=state.kinds,
            ),
            rx.el.div(
                tied("Pays", "terms", make=select_field, options=_options(TERM_NAMES)),
                tied("Invoices", "invoice_cycle", make=select_field, options=_options(CYCLE_NAMES)),
                class_name=_PAIR,
            ),
            checkbox(
                "Invoices need a purchase order",
                "po_required",
                form=state.FORM,
                default_checked=state.po_required,
                key=f"po {state.edition}",
            ),
            _optional(
                tied,
                "Credit limit in dollars",
                "credit_limit",
                20,
                hint="Empty for none",
                input_mode="decimal",
            ),
            class_name=_COLUMN,
            key=state.edition.to_string(),
        ),
        leave="Cancel",
        send="Save terms",
        title="Terms of the company",
    )


def _step() -> rx.Component:
    state, tied = CompanyStepState, _tied(CompanyStepState)
    return form_dialog(
        state,
        tied("Reason", "reason", max_length=REASON_MAX + 1),
        leave="Cancel",
        send=rx.match(state.to, (ON_HOLD, "Hold"), (CLOSED, "Close company"), "Resume"),
        title=rx.match(
            state.to,
            (ON_HOLD, "Hold this company?"),
            (CLOSED, "Close this company?"),
            "Resume this company?",
        ),
        description=rx.match(
            state.to,
            (ON_HOLD, "Its next visits are not published until you resume it."),
            (CLOSED, "Nothing of it changes any more, and its people see invoices alone."),
            (ACTIVE, "It is served as before."),
            "",
        ),
    )


def _site() -> rx.Component:
    state, tied = SiteDialogState, _tied(SiteDialogState)
    return form_dialog(
        state,
        rx.el.div(
            tied("Name", "name", max_length=SITE_MAX + 1, hint="Such as 'Main yard'"),
            tied("Street", "street", max_length=STREET_MAX + 1),
            rx.el.div(
                tied("City", "city", max_length=NAME_MAX + 1),
                tied("ZIP", "zip_code", max_length=ZIP_DIGITS, input_mode="numeric"),
                class_name=_PAIR,
            ),
            rx.el.div(
                _optional(tied, "Contact on site", "contact_name", NAME_MAX),
                _optional(tied, "Contact's phone", "contact_phone", 20, type="tel"),
                _optional(tied, "Gate code", "gate_code", GATE_MAX),
                _optional(tied, "Hours", "hours", HOURS_MAX, hint="Such as 'Mon-Fri after 6 PM'"),
                class_name=_PAIR,
            ),
            _optional(
                tied, "Where vehicles stand", "parking", TEXT_MAX, make=textarea_field, rows=2
            ),
            rx.el.div(
                _optional(tied, "Permit number", "permit_number", PERMIT_MAX),
                _optional(
                    tied, "Permit valid to", "permit_valid_to", 10, type="date", hint=_DAY_HINT
                ),
                class_name=_PAIR,
            ),
            _optional(
                tied,
                "Permit's authority",
                "permit_authority",
                PERMIT_MAX,
                hint="Such as 'Sarasota County Fire'",
            ),
            class_name=_COLUMN,
        ),
        leave="Cancel",
        send="Save site",
        title=rx.cond(state.editing != "", "Edit site", "Add site"),
        width="sm:max-w-xl",
    )


def _pin() -> rx.Component:
    state = SitePinState
    return dialog(
        alert(state.refusal),
        pin_map(state, pin=state.pin, on_move=state.move),
        footer=rx.el.div(
            button("Cancel", kind="secondary", on_click=state.close(False)),
            busy_button("Save pin", busy=state.busy, busy_text="Saving...", on_click=state.save),
            class_name="flex flex-wrap justify-end gap-3",
        ),
        open=state.opened,
        on_open_change=state.close,
        closes_when_left=True,
        title="Put the pin where the vehicles stand",
        description=state.pin_of,
        width="sm:max-w-xl",
    )


def _files() -> rx.Component:
    state = SiteFilesState
    kinds = {PERMIT: "Permit", PICTURE: "Picture of the lot"}
    return dialog(
        rx.el.div(
            *[
                _file_button(title, kind, state.addresses[kind], state.sent)
                for kind, title in kinds.items()
            ],
            class_name="grid gap-5",
        ),
        open=state.opened,
        on_open_change=state.close,
        closes_when_left=True,
        title=rx.el.span("Files of ", state.name),
        description="A new file takes the place of the former one.",
    )


def _member() -> rx.Component:
    state, tied = MemberDialogState, _tied(MemberDialogState)
    roles = {role: f"{ROLE_NAMES[role]}: {ROLE_NOTES[role].lower()}" for role in COMPANY_ROLES}
    return form_dialog(
        state,
        rx.el.div(
            rx.cond(
                state.editing == "",
                tied(
                    "E-mail",
                    "email",
                    type="email",
                    max_length=EMAIL_MAX + 1,
                    hint="A link is mailed there. It works for 14 days, once.",
                ),
            ),
            tied(
                "Role",
                "role",
                make=select_field,
                options=_options(roles),
                placeholder="Choose a role",
            ),
            rx.cond(state.choices.length() > 0, _site_choices()),
            class_name=_COLUMN,
        ),
        leave="Cancel",
        send=rx.cond(state.editing != "", "Save", "Invite"),
        title=rx.cond(state.editing != "", rx.el.span("Change ", state.name), "Invite a person"),
    )


def _site_choices() -> rx.Component:
    state = MemberDialogState
    group = field_id(state.FORM, "sites")
    return rx.el.fieldset(
        rx.el.legend("Limited to sites", class_name="text-sm font-semibold text-ink"),
        rx.el.p(
            f"With none ticked, or as {ROLE_NAMES[CompanyRole.OWNER].lower()}, all sites are seen.",
            class_name="text-sm text-muted",
        ),
        rx.foreach(state.choices, _site_choice),
        error_text(f"{group}-error", state.errors["sites"]),
    )


def _site_choice(site: rx.Var[Site]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            name="sites",
            type="checkbox",
            value=site.id,
            default_checked=MemberDialogState.ticked.contains(site.id),
            class_name="h-5 w-5 shrink-0 accent-gulf",
        ),
        rx.el.span(site.name, class_name="min-w-0 wrap-anywhere"),
        key=site.id,
        class_name="flex min-h-11 cursor-pointer items-center gap-3 text-base text-ink",
    )


def _center() -> rx.Component:
    state, tied = CostCenterState, _tied(CostCenterState)
    return form_dialog(
        state,
        rx.el.div(
            tied("Name", "name", max_length=CENTER_MAX + 1),
            _optional(
                tied, "Budget a month in dollars", "monthly_budget", 20, input_mode="decimal"
            ),
            class_name=_COLUMN,
        ),
        leave="Cancel",
        send="Save cost center",
        title=rx.cond(state.editing != "", "Edit cost center", "Add cost center"),
    )


def _order() -> rx.Component:
    state, tied = PurchaseOrderState, _tied(PurchaseOrderState)
    return form_dialog(
        state,
        rx.el.div(
            tied("Number", "number", max_length=PO_MAX + 1),
            rx.el.div(
                _optional(tied, "Amount in dollars", "amount", 20, input_mode="decimal"),
                _optional(tied, "Valid to", "valid_to", 10, type="date", hint=_DAY_HINT),
                class_name=_PAIR,
            ),
            class_name=_COLUMN,
        ),
        leave="Cancel",
        send="Save purchase order",
        title=rx.cond(state.editing != "", "Edit purchase order", "Add purchase order"),
    )


def _decline() -> rx.Component:
    state = ExemptionDeclineState
    return form_dialog(
        state,
        _tied(state)("Reason", "reason", max_length=REASON_MAX + 1, hint="The company reads it"),
        leave="Cancel",
        send=rx.cond(state.ends, "End exemption", "Decline"),
        title=rx.cond(state.ends, "End this exemption?", "Decline this exemption?"),
        description="The company pays tax as everybody does.",
    )


def _press() -> rx.Component:
    state = CompanyPressState
    return form_dialog(
        state,
        leave="Cancel",
        send=state.button,
        busy_text="Working...",
        title=state.title,
        description=state.text,
    )
