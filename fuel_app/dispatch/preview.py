"""The preview's sample stops."""

from datetime import datetime, time

from fuel_app.dispatch.rules.drives import Stop, TimeWindow
from fuel_app.kit.clock import NEW_YORK, day_of

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
