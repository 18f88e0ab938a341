"""A company's audit log in words."""

from collections.abc import Mapping
from typing import Any

from fuel_app.companies.rules.companies import CYCLE_NAMES, STATE_NAMES, TERM_NAMES
from fuel_app.companies.rules.documents import EXEMPTION_NAMES
from fuel_app.companies.rules.people import ROLE_NAMES
from fuel_app.kit.money import Money

Values = Mapping[str, Any]
# Fields that name a person.
_PEOPLE = ("person", "account_owner_id")
_KINDS: Mapping[str, str] = {
    "founded": "Company made from a proposal",
    "details_changed": "Details changed",
    "invited": "Invited as {role}",
    "invitation_withdrawn": "Invitation as {role} withdrawn",
    "role_changed": "{person}: {role}, before {was}",
    "removed": "{person} removed",
    "left": "Left the company",
    "joined": "{person} joined as {role}",
    "site_saved": "Site {site} saved",
    "site_pin": "Pin of {site} set",
    "site_closed": "Site {site} closed",
    "site_opened": "Site {site} opened again",
    "center_saved": "Cost center {name} saved",
    "center_closed": "Cost center {name} closed",
    "center_opened": "Cost center {name} opened again",
    "order_saved": "Purchase order {name} saved",
    "order_closed": "Purchase order {name} closed",
    "order_opened": "Purchase order {name} opened again",
    "file_added": "File {what} uploaded",
    "exemption_asked": "Tax exemption asked for: {kind}",
    "exemption_approved": "Tax exemption approved: {kind}",
    "exemption_declined": "Tax exemption declined: {reason}",
    "exemption_ended": "Tax exemption ended: {reason}",
}
_FIELDS: Mapping[str, str] = {
    "is_fleet": "fleet",
    "is_employer": "employer",
    "terms": "terms",
    "invoice_cycle": "invoices",
    "po_required": "PO required",
    "credit_limit_cents": "credit limit",
}


def people_in(*stored: Values | None) -> set[str]:
    """Return the ids of the people that an entry names."""
    return {values[name] for values in stored if values for name in _PEOPLE if values.get(name)}


def describe(kind: str, before: Values, after: Values, names: Mapping[str, str]) -> str:
    """Return an entry in words; `names` are those of its people by their ids."""
    if kind == "state_changed":
        said = f"{STATE_NAMES[after['state']]}, before {STATE_NAMES[before['state']].lower()}"
        return f"{said}: {after['state_reason']}"
    if kind == "owner_set":
        owner = names.get(after["account_owner_id"] or "", "nobody")
        return f"Account owner: {owner}"
    if kind == "terms_changed":
        changed = [
            f"{label} {_term(name, before[name])} → {_term(name, after[name])}"
            for name, label in _FIELDS.items()
            if before[name] != after[name]
        ]
        return f"Terms changed: {', '.join(changed)}" if changed else "Terms saved as they were"
    words = {name: str(value) for name, value in after.items()} | {
        "person": names.get(after.get("person", ""), "Somebody"),
        "role": ROLE_NAMES.get(after.get("role", ""), "").lower(),
        "was": ROLE_NAMES.get(after.get("was", ""), "").lower(),
        "kind": EXEMPTION_NAMES.get(after.get("kind", ""), ""),
    }
    said = _KINDS.get(kind, kind.replace("_", " ").capitalize()).format_map(words)
    fields = ", ".join(name.replace("_", " ") for name in after.get("fields", ()))
    return f"{said}: {fields}" if fields else said


def _term(name: str, value: Any) -> str:
    if name == "credit_limit_cents":
        return "none" if value is None else Money(value).short
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (TERM_NAMES if name == "terms" else CYCLE_NAMES)[value]
