"""What customers can buy. Every price adds the market price of fuel."""

from dataclasses import dataclass

ONE_TIME_FEE = 15  # dollars, on top of the market price of fuel


@dataclass(frozen=True, slots=True)
class Plan:
    """A monthly plan; `price` is in dollars a month, `fills` are a month's too."""

    id: str
    name: str
    price: int
    fills: int
    description: str
    features: tuple[str, ...]
    popular: bool = False

    @property
    def price_per_fill(self) -> str:
        """The plan's price over its fills, without the fuel: '$11' or '$12.50'."""
        cents = round(100 * self.price / self.fills)
        return f"${cents // 100}" if cents % 100 == 0 else f"${cents / 100:.2f}"


PLANS = (
    Plan(
        id="solo",
        name="Solo Plan",
        price=25,
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
        price=44,
        fills=4,
        description="For a household with two cars in the driveway.",
        features=(
            "Priority scheduling access",
            "2 registered vehicles",
            "Roll over 1 unused fill",
        ),
        popular=True,
    ),
    Plan(
        id="big-family",
        name="Big Family Plan",
        price=79,
        fills=10,
        description="For the driveway that is always full.",
        features=(
            "Same-day service before noon",
            "Unlimited registered vehicles",
            "Priority text and phone support",
            "Free quarterly guest fill",
        ),
    ),
)
