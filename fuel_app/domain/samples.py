"""All sample data of the preview. Nobody here is real.

Days are counted back from the visitor's own, so that the sample does not grow old; only the time
slots are the specified ones.
"""

from datetime import date, datetime, time, timedelta

from fuel_app.domain.billing import Invoice, PaymentMethod, months_later
from fuel_app.domain.clock import NEW_YORK, day_of
from fuel_app.domain.customers import Customer, PastService, Personal, SignIn
from fuel_app.domain.overview import AdminStats
from fuel_app.domain.plans import PLANS, Plan
from fuel_app.domain.routing import Stop, TimeWindow
from fuel_app.domain.scheduling import slots_on
from fuel_app.domain.signup import Contact
from fuel_app.domain.vehicles import Vehicle

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
PASSWORD = "sample-password"  # noqa: S105 (nobody's: it opens nothing)

SLOTS = slots_on([date(2024, 3, 15), date(2024, 3, 16)])

ADMIN_STATS = AdminStats(
    total_customers=156,
    active_subscriptions=142,
    today_fillups=12,  # the stops below are what is left of them
    completed_fillups=3,
    average_gallons=13.8,
    total_revenue_cents=147_60,
)

_CAMRY, _CR_V = (f"{car.year} {car.make} {car.model}" for car in VEHICLES)
_FILLS = (  # days ago, vehicle, gallons, cents
    (6, _CAMRY, 14.2, 4899),
    (20, _CR_V, 12.6, 4397),
    (33, _CAMRY, 13.1, 4480),
    (47, _CR_V, 11.8, 4000),
)
_STOPS = (  # customer, vehicle, color, address, latitude, longitude, time, notes, gallons
    ("Maria Alvarez", "2021 Honda Odyssey", "White", "1565 1st St, Sarasota, FL 34236",
     27.3373, -82.5404, time(8), "Level 2 of the garage, space 41.", 14.5),
    ("Tom Becker", "2019 Ford F-150", "Black", "1850 S Osprey Ave, Sarasota, FL 34239",
     27.3190, -82.5305, time(8, 30), "", 21.0),
    ("Priya Nair", "2022 Toyota Camry", "Silver", "2142 Gulf Gate Dr, Sarasota, FL 34231",
     27.2558, -82.5178, time(9), "Gate code on the app. Dog is friendly.", 11.2),
    ("Evelyn Brooks", "2020 Honda CR-V", "Blue", "5540 Fruitville Rd, Sarasota, FL 34232",
     27.3387, -82.4632, time(9, 30), "", 10.4),
    ("Marcus Reed", "2023 Toyota Highlander", "Gray", "140 University Town Center Dr, "
     "Sarasota, FL 34243", 27.3862, -82.4545, time(10), "Employee lot behind the mall.", 15.3),
    ("Hannah Cole", "2018 Ford Escape", "Red", "8130 Lakewood Main St, Bradenton, FL 34202",
     27.3968, -82.4368, time(10, 45), "", 12.0),
    ("James Whitfield", "2021 Toyota Tacoma", "Green", "5840 26th St W, Bradenton, FL 34207",
     27.4360, -82.5870, time(11, 30), "Lot 7, next to the library.", 17.6),
    ("Sofia Marin", "2022 Honda Accord", "White", "4225 Cortez Rd W, Bradenton, FL 34210",
     27.4622, -82.6010, time(14), "", 11.9),
    ("David Okafor", "2020 Ford Explorer", "Blue", "1112 Manatee Ave W, Bradenton, FL 34205",
     27.4956, -82.5733, time(15, 15), "Please call on arrival.", 16.8),
)  # fmt: skip
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
    """The one customer of the preview: a month under way, one of four fills used."""
    today = day_of(now)
    fills = tuple(
        PastService(today - timedelta(days=ago), vehicle, gallons, cents)
        for ago, vehicle, gallons, cents in _FILLS
    )
    billed = today - timedelta(days=_BILLED_DAYS_AGO)
    return Customer(
        personal=PERSONAL,
        plan=plan(),
        fills_remaining=3,
        gallons_used=fills[0].gallons,
        cents_per_gallon=345,
        last_fill=fills[0].day,
        next_service=None,
        past_services=fills,
        next_billing=months_later(billed, 1),
        payment=PaymentMethod("Visa", "4242", expires=date(today.year + 2, 8, 1)),
        invoices=tuple(
            Invoice(months_later(billed, -back), plan().name, 100 * plan().price)
            for back in range(2)
        ),
        password_changed=today - timedelta(days=_PASSWORD_DAYS_AGO),
        sign_ins=tuple(
            SignIn(now - timedelta(hours=ago), device, "Sarasota, FL", current)
            for ago, device, current in _SIGN_INS
        ),
        vehicles=VEHICLES,
    )


def stops(now: datetime) -> tuple[Stop, ...]:
    """Today's fill-ups, each in one of the two-hour windows that can be booked."""
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
            gallons=gallons,
        )
        for number, (customer, vehicle, color, address, lat, lng, when, notes, gallons) in (
            enumerate(_STOPS, 1)
        )
    )


def _window(at: datetime) -> TimeWindow:
    opens = at.replace(hour=at.hour - at.hour % 2, minute=0)
    return TimeWindow(opens, opens.replace(hour=opens.hour + 2))
