"""The question that a list answers, as its address holds it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Generic, Self, TypeVar

from fuel_app.kit import contact

Row = TypeVar("Row")

TYPED_MAX = 100  # characters of one field


@dataclass(frozen=True)
class Question:
    """Search, filters, order and page of a list.

    A list's own question adds its fields, each a text, and gives `sort` its default. In a state it
    is behind the framework's proxy, whose `__class__` alone is the class.
    """

    sort: str = ""  # a column, with a minus in front for descending
    page: int = 1

    COLUMNS = ()  # that it can be sorted by
    TYPED = ()  # fields that the browser holds itself while they are typed in

    @classmethod
    def parse(cls, asked: Mapping[str, Any]) -> Self:
        """Read an address or a form; what makes no sense there is the default."""
        values = {each.name: contact.text(asked.get(each.name))[:TYPED_MAX] for each in fields(cls)}
        if values["sort"].removeprefix("-") not in cls.COLUMNS:
            values["sort"] = cls.sort
        return cls(**values | {"page": page_number(asked.get("page"))})  # type: ignore[arg-type]

    def asking(self, **differs: Any) -> Self:
        """Return the same question with what differs, checked as an address is."""
        return self.__class__.parse(asdict(self) | differs)

    def sort_after(self, column: object) -> object:
        """Return the sort after a click on a header: the default direction, then the other."""
        if column == self.sort:
            return f"-{column}"
        default = self.__class__.sort
        return default if default == f"-{column}" and self.sort != default else column

    @property
    def column(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def typed(self) -> tuple[str, ...]:
        return tuple(getattr(self, name) for name in self.TYPED)

    @property
    def filters(self) -> int:
        """Return how many fields narrow the list, the search aside."""
        return sum(bool(getattr(self, name)) for name in self.TYPED if name != "q")

    def parameters(self) -> dict[str, str]:
        """Return what an address says of it; defaults are left out."""
        values = asdict(self)
        own = [name for name in values if name not in {"sort", "page"}]
        return {
            name: str(values[name])
            for name in [*own, "sort", "page"]
            if values[name] != getattr(self.__class__, name)
        }


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """One page of a list."""

    rows: tuple[Row, ...]
    page: int  # from 1
    pages: int
    total: int  # rows on all pages
    counted: bool = True  # False: there are more than `total`


def page_number(value: object) -> int:
    """Return a page from 1 on; anything that is none is the first."""
    typed = str(value) if isinstance(value, str | int) else ""
    return max(int(typed), 1) if re.fullmatch("[0-9]{1,8}", typed) else 1


def pages_of(total: int, size: int) -> int:
    return max(1, -(-total // size))
