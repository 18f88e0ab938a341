"""The plans and the fee of a one-time fill; the market price of fuel is added to each."""

from dataclasses import dataclass

from fuel_app.kit.money import Money, dollars

ONE_TIME_FEE = dollars(15)  # added to the market price of fuel


@dataclass(frozen=True, slots=True)
class Plan:
    """A monthly plan: its price and its fills are a month's."""

    id: str
    name: str
    price: Money
    fills: int
    description: str
    features: tuple[str, ...]
    popular: bool = False
    guest_fills: int = 0  # each calendar quarter, for a car that is not registered
    rolls_over: int = 0  # unused fills that the next period gets, at most

    @property
    def price_per_fill(self) -> Money:
        """Return the plan's price over its fills, without the fuel."""
        return self.price.per(self.fills)


PLANS = (
    Plan(
        id="solo",
        name="Solo Plan",
        price=dollars(25),
        fills=2,
        description="For one driver who is tired of gas stations.",
        features=(
            "Mobile fill-ups at home or work",
            "Online scheduling access",
            "Monthly fuel tracking dashboard",
        ),
    ),
    Plan(
        id="family",
        name="Family Plan",
        price=dollars(44),
        fills=4,
        description="For a household with two cars in the driveway.",
        features=("Priority scheduling access", "2 registered vehicles", "Roll over 1 unused fill"),
        popular=True,
        rolls_over=1,
    ),
    Plan(
        id="big-family",
        name="Big Family Plan",
        price=dollars(79),
        fills=10,
        description="For the driveway that is always full.",
        features=(
            "Same-day service before noon",
            "Unlimited registered vehicles",
            "Priority text and phone support",
            "Free quarterly guest fill",
        ),
        guest_fills=1,
    ),
)
BY_ID = {plan.id: plan for plan in PLANS}
