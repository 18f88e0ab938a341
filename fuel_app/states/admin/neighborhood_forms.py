"""What staff can do to a group by a form of one field."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from fuel_app.domain.neighborhood_changes import GroupChange
from fuel_app.domain.neighborhoods import clean_name
from fuel_app.kit import contact
from fuel_app.services import neighborhood_tools


class MergeForm(TypedDict):
    """What the browser sends to merge another group into this one."""

    gone: str


class PioneerForm(TypedDict):
    """What the browser sends to hand the pioneer's role over."""

    email: str


def _chosen(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("Choose a neighborhood")
    return value


@dataclass(frozen=True)
class Tool:
    """A form of one field, and what is done with it: takes the group's id, the value and `by`."""

    field: str
    clean: contact.Cleaner
    act: Callable[..., Awaitable[GroupChange | None]]

    def typed(self, form: object) -> str:
        """What the field holds."""
        value = form.get(self.field) if isinstance(form, Mapping) else ""
        return value[: contact.TYPED_MAX] if isinstance(value, str) else ""


TOOLS = {
    "rename": Tool("name", clean_name, neighborhood_tools.rename),
    "merge": Tool("gone", _chosen, neighborhood_tools.merge),
    "pioneer": Tool("email", contact.email, neighborhood_tools.hand_over),
}
