"""The preview's sample data: a fictional customer, the staff's figures, a day of stops, windows.

Dates are relative to today, so that the sample stays current, but for the windows, as specified.
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from fuel_app.bookings.rules.slots import WINDOW_HOURS, SlotOffer, by_day, slot_offer
from fuel_app.customers.rules.customers import (
    BillingCard,
    Customer,
    InvoiceRow,
    Personal,
    SignIn,
)
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.dashboard.rules import Overview, PastService
from fuel_app.kit.clock import NEW_YORK, date_and_time, day_of, long_date, months_later, short_date
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.plans.rules.plans import PLANS, Plan
from fuel_app.preview.rules import Stop, TimeWindow

CUSTOMER_ID = "sample"
PERSONAL = Personal(
    first_name="Sarah",
    last_name="Johnson",
    email="sarah.johnson@example.com",
    phone="9415550142",
    address="1234 Palm Avenue",
    city="Sarasota",
    state="FL",
    zip_code="34236",
)

VEHICLES = (
    Vehicle(
        id="sample-camry",
        make="Toyota",
        model="Camry",
        year="2022",
        color="Silver",
        license_plate="ABC 123",
    ),
    Vehicle(
        id="sample-cr-v",
        make="Honda",
        model="CR-V",
        year="2021",
        color="Blue",
        license_plate="XYZ 789",
    ),
)

# What the wizards' forms are filled in with.
CONTACT = Contact(
    first_name=PERSONAL.first_name,
    last_name=PERSONAL.last_name,
    email=PERSONAL.email,
    phone="(941) 555-0142",
)
PASSWORD = "sample-password"  # noqa: S105 (of no account)

_CAMRY, _CR_V = (car.title for car in VEHICLES)
_FILLS = (  # days ago, vehicle, milligallons, cents
    (6, _CAMRY, 14_200, 4899),
    (20, _CR_V, 12_600, 4397),
    (33, _CAMRY, 13_100, 4480),
    (47, _CR_V, 11_800, 4000),
)
_PRICE = FuelPrice(3450)
_BILLED_DAYS_AGO = 12
_PASSWORD_DAYS_AGO = 30
_SIGN_INS = (  # hours ago, device, current
    (0, "Chrome on Windows", True),
    (26, "Safari on iPhone", False),
    (99, "Chrome on Windows", False),
)


def plan() -> Plan:
    return next(plan for plan in PLANS if plan.popular)


def customer(now: datetime) -> Customer:
    """Return the sample customer: mid-month, one of four fills used."""
    today = day_of(now)
    billed, chosen = today - timedelta(days=_BILLED_DAYS_AGO), plan()
    invoices = tuple(
        InvoiceRow(short_date(months_later(billed, -back)), chosen.name, str(chosen.price))
        for back in range(2)
    )
    return Customer(
        personal=PERSONAL,
        plan=chosen,
        notifications=NotificationSettings(sms=True),
        fills_remaining=3,
        billing=BillingCard(
            plan_id=chosen.id,
            plan=chosen.name,
            price=f"{chosen.price.short}/mo",
            fills=f"{chosen.fills} fills",
            next_billing=long_date(months_later(billed, 1)),
            card="Visa ending in 4242",
            expiry=f"{date(today.year + 2, 8, 1):%m/%y}",
            invoices=invoices,
        ),
        password_changed=today - timedelta(days=_PASSWORD_DAYS_AGO),
        sign_ins=tuple(
            SignIn(device, "Sarasota, FL", date_and_time(now - timedelta(hours=ago)), current)
            for ago, device, current in _SIGN_INS
        ),
        vehicles=VEHICLES,
    )


def overview(now: datetime) -> Overview:
    """Return the sample's fills."""
    today = day_of(now)
    fills = tuple(
        PastService(today - timedelta(days=ago), vehicle, taken, Money(cents))
        for ago, vehicle, taken, cents in _FILLS
    )
    return Overview(
        milligallons_used=fills[0].milligallons,
        cost_per_gallon=_PRICE,
        average_cost=_PRICE,
        past_services=fills,
    )


_REVENUE, _COMPLETED = Money(147_60), 3


ADMIN_FIGURES = {
    "Scheduled fill-ups": "12",  # the day's stops are what is left of them
    "Completed": str(_COMPLETED),
    "Average gallons": "13.8",
    "Total customers": "156",
    "Active subscriptions": "142",
    "Service area": "Sarasota and Bradenton",
    "Today's revenue": str(_REVENUE),
    "Average per fill-up": str(_REVENUE.per(_COMPLETED)),
    "Subscription revenue": "$6,240",
}


_STOPS = (  # customer, vehicle, color, address, latitude, longitude, time, notes
    ("Maria Alvarez", "2021 Honda Odyssey", "White", "1565 1st St, Sarasota, FL 34236",
     27.3373, -82.5404, time(8), "Level 2 of the garage, space 41."),
    ("Tom Becker", "2019 Ford F-150", "Black", "1850 S Osprey Ave, Sarasota, FL 34239",
     27.3190, -82.5305, time(8, 30), ""),
    ("Priya Nair", "2022 Toyota Camry", "Silver", "2142 Gulf Gate Dr, Sarasota, FL 34231",
     27.2558, -82.5178, time(9), "Gate code on the app. Dog is friendly."),
    ("Evelyn Brooks", "2020 Honda CR-V", "Blue", "5540 Fruitville Rd, Sarasota, FL 34232",
     27.3387, -82.4632, time(9, 30), ""),
    ("Marcus Reed", "2023 Toyota Highlander", "Gray", "140 University Town Center Dr, "
     "Sarasota, FL 34243", 27.3862, -82.4545, time(10), "Employee lot behind the mall."),
    ("Hannah Cole", "2018 Ford Escape", "Red", "8130 Lakewood Main St, Bradenton, FL 34202",
     27.3968, -82.4368, time(10, 45), ""),
    ("James Whitfield", "2021 Toyota Tacoma", "Green", "5840 26th St W, Bradenton, FL 34207",
     27.4360, -82.5870, time(11, 30), "Lot 7, next to the library."),
    ("Sofia Marin", "2022 Honda Accord", "White", "4225 Cortez Rd W, Bradenton, FL 34210",
     27.4622, -82.6010, time(14), ""),
    ("David Okafor", "2020 Ford Explorer", "Blue", "1112 Manatee Ave W, Bradenton, FL 34205",
     27.4956, -82.5733, time(15, 15), "Please call on arrival."),
)  # fmt: skip


def stops(now: datetime) -> tuple[Stop, ...]:
    """Return today's fill-ups, each in one of the bookable two-hour windows."""
    today = day_of(now)
    return tuple(
        Stop(
            id=f"stop-{number}",
            customer=customer,
            vehicle=vehicle,
            address=address,
            time=(at := datetime.combine(today, when, NEW_YORK)),
            lat=lat,
            lng=lng,
            color=color,
            notes=notes,
            window=_window(at),
        )
        for number, (customer, vehicle, color, address, lat, lng, when, notes) in (
            enumerate(_STOPS, 1)
        )
    )


def _window(at: datetime) -> TimeWindow:
    opens = at.replace(hour=at.hour - at.hour % 2, minute=0)
    return TimeWindow(opens, opens.replace(hour=opens.hour + 2))


_OPENINGS = (8, 10, 14)  # on the clocks of New York


def slots_on(days: Iterable[date]) -> tuple[SlotOffer, ...]:
    """Return the slots of these days, in order."""
    return tuple(
        slot_offer(f"{day.isoformat()}-{opens:02}", day, opens, opens + WINDOW_HOURS)
        for day in days
        for opens in _OPENINGS
    )


DAYS = by_day(slots_on([date(2024, 3, 15), date(2024, 3, 16)]))
