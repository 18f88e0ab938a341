"""What a form's state keeps of what a browser sends."""

from collections.abc import Iterable, Mapping

from fuel_app.kit import contact
from fuel_app.kit.contact import Cleaner
from fuel_app.kit.errors import InvalidForm

TYPED_MAX = 1000  # characters kept of a field; far above any rule


def typed(form: object, fields: Iterable[str]) -> dict[str, str]:
    """These fields as text, whatever was sent."""
    sent = form if isinstance(form, Mapping) else {}
    values = {field: sent.get(field) for field in fields}
    return {
        field: value[:TYPED_MAX] if isinstance(value, str) else ""
        for field, value in values.items()
    }


def problems(form: object, cleaners: Mapping[str, Cleaner]) -> dict[str, str]:
    """What is wrong with each field; an empty text where nothing is."""
    try:
        contact.clean_form(form, cleaners)
    except InvalidForm as error:
        return dict.fromkeys(cleaners, "") | error.messages
    return dict.fromkeys(cleaners, "")


def is_right(form: object, cleaners: Mapping[str, Cleaner]) -> bool:
    return not any(problems(form, cleaners).values())


def looked_at_again(
    errors: Mapping[str, str], form: object, cleaners: Mapping[str, Cleaner]
) -> dict[str, str]:
    """The messages while somebody types: silent until a form was sent that was not right."""
    return problems(form, cleaners) if any(errors.values()) else dict(errors)
