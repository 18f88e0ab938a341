"""Forms: one class holds a form's fields and their rules, and is the parsed value."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationError

from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm

TYPED_MAX = 1000  # characters kept of a field; far above any rule

Email = Annotated[str, PlainValidator(contact.email)]
Phone = Annotated[str, PlainValidator(contact.phone)]  # ten digits
ZipCode = Annotated[str, PlainValidator(contact.zip_code)]


def line(label: str, longest: int = contact.NAME_MAX) -> PlainValidator:
    """Return the rule of a required line of text that its messages call `label`."""
    return PlainValidator(contact.name(label, longest))


class Form(BaseModel):
    """Base of every form. A value that exists is valid.

    A browser sends the required fields. A field with a default is the server's own: `parse`
    takes it from `known` alone.
    """

    model_config = ConfigDict(frozen=True)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the fields that a browser sends."""
        return tuple(name for name, field in cls.model_fields.items() if field.is_required())

    @classmethod
    def blank(cls) -> dict[str, str]:
        """Return every field's name with an empty text: nothing typed, nothing wrong."""
        return dict.fromkeys(cls.names(), "")

    @classmethod
    def parse(cls, sent: object, **known: Any) -> Self:
        """Clean and check what was sent.

        Raises:
            InvalidForm: With the message of each field that is not right.
        """
        fields = sent if isinstance(sent, Mapping) else {}
        try:
            return cls(**{name: fields.get(name) for name in cls.names()}, **known)
        except ValidationError as error:
            wrong = error.errors(include_url=False, include_input=False)
            messages = {str(each["loc"][0]): str(each.get("ctx", {})["error"]) for each in wrong}
        raise InvalidForm(messages)

    @classmethod
    def problems(cls, sent: object) -> dict[str, str]:
        """Return the message of each field; an empty text where nothing is wrong."""
        try:
            cls.parse(sent)
        except InvalidForm as error:
            return cls.blank() | error.messages
        return cls.blank()

    @classmethod
    def recheck(cls, errors: Mapping[str, str], sent: object) -> dict[str, str]:
        """Return the messages while the form is edited: none before it was sent and refused."""
        return cls.problems(sent) if any(errors.values()) else dict(errors)

    @classmethod
    def fingerprint(cls, sent: object) -> int:
        """Return a hash of the fields, for this process. It keeps no password."""
        fields = sent if isinstance(sent, Mapping) else {}
        return hash(repr([fields.get(name) for name in cls.names()]))

    @classmethod
    def typed(cls, sent: object) -> dict[str, str]:
        """Return the text to keep of each field."""
        return typed(sent, cls.names())


def typed(sent: object, fields: Iterable[str]) -> dict[str, str]:
    """Return these fields as text, whatever was sent."""
    values = {field: sent.get(field) if isinstance(sent, Mapping) else None for field in fields}
    return {
        field: value[:TYPED_MAX] if isinstance(value, str) else ""
        for field, value in values.items()
    }
