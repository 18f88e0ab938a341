"""No float on the way of money: integer cents, mills and thousandths of a gallon alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Float, Numeric
from sqlmodel import SQLModel

import fuel_app.tables  # noqa: F401 (every table)
from tests.test_architecture import modules, relative

MONEY = (
    *("fuel_app/kit/money.py", "fuel_app/billing/", "fuel_app/plans/"),
    *("fuel_app/areas/rules/prices.py", "fuel_app/areas/queries.py"),
    *("fuel_app/bookings/rules/", "fuel_app/bookings/service/", "fuel_app/bookings/queries.py"),
)
DRAWN = ("/ui/", "/ui.py", "/pages/", "/pages.py", "providers/pdf.py", "kit/pdf.py")
WAITS = ("stand_in/transport.py",)  # a number of seconds
BUILTINS = {"float", "round", "complex", "Decimal", "Fraction", "fsum", "fmean", "mean"}
METHODS = {"total_seconds", "timestamp", "avg", "as_tuple"}  # they return floats or decimals
MODULES = {"math", "decimal", "fractions", "statistics", "numpy"}
PLACES = {"lat", "lng", "home_lat", "home_lng"}
# A week's price is a text of the EIA's, which Decimal reads exactly and rounds to whole mills.
EXACT = {"fuel_app/areas/rules/prices.py": {"a part of decimal", "Decimal"}}
NO_MONEY = {"waitlist_submissions", "fleet_quotes"}


def floats(source: str) -> Iterator[str]:
    """Name what makes a float in a source, with its line."""
    tree = ast.parse(source)
    places = {
        id(node.annotation)
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id in PLACES
    }
    for node in ast.walk(tree):
        if id(node) not in places and (what := _float(node)):
            yield f"{getattr(node, 'lineno', 0)}: {what}"


def _float(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=float() | complex()):
            return f"the literal {node.value}"
        case ast.BinOp(op=ast.Div(), right=right) if not _is_text(right):  # a path's part
            return "a division by /"
        case ast.AugAssign(op=ast.Div()):
            return "a division by /="
        case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp(op=ast.USub())):
            return "a negative power"
        case ast.Name(id=name) if name in BUILTINS:
            return name
        case ast.Attribute(attr=name) if name in METHODS | BUILTINS:
            return f".{name}"
        case ast.Import(names=names) if MODULES & {each.name for each in names}:
            return "a module of floats"
        case ast.ImportFrom(module=module) if module in MODULES:
            return f"a part of {module}"
    return ""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def money_code() -> list[Path]:
    return [
        file
        for file in modules("fuel_app")
        if relative(file).startswith(MONEY)
        and not any(part in relative(file) for part in DRAWN + WAITS)
    ]


def test_money_code_has_no_float():
    found = [
        f"{relative(file)}:{each}"
        for file in money_code()
        for each in floats(file.read_text())
        if each.partition(": ")[2] not in EXACT.get(relative(file), ())
    ]
    assert found == []


def test_every_name_of_money_code_exists():
    names = [relative(file) for file in money_code()]
    assert all(any(name.startswith(each) for name in names) for each in MONEY)


def test_no_column_but_a_place_is_a_float():
    found = {
        f"{table.name}.{column.name}"
        for table in SQLModel.metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, Float | Numeric)
        and column.name not in PLACES
        and table.name not in NO_MONEY
    }
    assert found == set()
