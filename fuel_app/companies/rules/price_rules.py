"""Price rules of a company: where a gallon's price comes from, and what is added to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from fuel_app.kit.money import FuelPrice

AREA, EIA, RACK, FIXED = BASES = ("area", "eia", "rack", "fixed")
BASIS_NAMES: Mapping[str, str] = {
    AREA: "Our price of the area",
    EIA: "EIA weekly price, Florida",
    RACK: "Rack price, typed by us",
    FIXED: "Fixed price",
}
SOURCE_MAX = 100


@dataclass(frozen=True, slots=True)
class PriceRule:
    """A basis and an offset per gallon, between a floor and a cap. Prices are in mills.

    Args:
        offset_mills: Added to the basis; below zero for a discount. Zero for a fixed price.
        fixed_mills: The price of a `fixed` rule, else None.
        source: Where a rack price is read, such as 'OPIS Tampa, regular unleaded'.
    """

    basis: str
    offset_mills: int = 0
    floor_mills: int | None = None
    cap_mills: int | None = None
    fixed_mills: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if self.basis not in BASES:
            raise ValueError(f"unknown basis {self.basis!r}")
        if (self.basis == FIXED) != (self.fixed_mills is not None):
            raise ValueError("a fixed rule, and no other, has a fixed price")
        floor, cap = self.floor_mills, self.cap_mills
        if floor is not None and cap is not None and floor > cap:
            raise ValueError("the floor is above the cap")

    def price(self, basis_mills: int) -> FuelPrice:
        """Return what a gallon costs at a value of the basis, which a fixed rule ignores."""
        mills = basis_mills + self.offset_mills if self.fixed_mills is None else self.fixed_mills
        if self.cap_mills is not None:
            mills = min(mills, self.cap_mills)
        if self.floor_mills is not None:
            mills = max(mills, self.floor_mills)
        return FuelPrice(max(mills, 0))

    @property
    def label(self) -> str:
        """Return the rule in words, such as 'EIA weekly price, Florida + $0.24'."""
        if self.fixed_mills is not None:
            return f"{BASIS_NAMES[FIXED]} {FuelPrice(self.fixed_mills).exact}"
        sign = "-" if self.offset_mills < 0 else "+"
        offset = f" {sign} {FuelPrice(abs(self.offset_mills)).exact}" if self.offset_mills else ""
        bounds = [
            f"at {side} {FuelPrice(mills).exact}"
            for side, mills in (("least", self.floor_mills), ("most", self.cap_mills))
            if mills is not None
        ]
        return ", ".join((f"{BASIS_NAMES[self.basis]}{offset}", *bounds))
