"""Making the demo: weeks of the company are lived through, up to now."""

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import partial

import structlog
import uvloop

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from demo import VISITOR, Size, desk, post
from demo import company as staff
from demo import customers as people
from demo.clockwork import Days, fire_schedules
from demo.fleets import make_companies
from demo.leads import WAITING, Leads, a_lead, ask_for_quotes, entry_of
from demo.people import BRADENTON, SARASOTA, Customer, a_customer
from demo.road import Road
from fuel_app.accounts.service.passwords import hash_new
from fuel_app.areas.service import areas
from fuel_app.bookings.service import access, changes
from fuel_app.kit.clock import NEW_YORK, day_of, mornings
from fuel_app.kit.db.session import engine
from fuel_app.kit.errors import Refusal
from fuel_app.kit.words import counted

BEFORE = 30  # days on which people wait before the first area opens
# Days ago: the fourth is in the present month of the visitor's plan, the last is left to be done.
VISITORS_FILLS = (35, 26, 15, 4, 0)
_EVERY = {"solo": 19, "family": 13, "big-family": 9}  # days between two fills
SECOND_CARS = 0.3  # of the visits of those who have two


class Story:
    """The making, from the first one who waits to now."""

    def __init__(self, now: datetime, size: Size) -> None:
        self.size, self.today = size, day_of(now)
        self.opens = self.today - timedelta(days=size.days)
        self.bradenton_opens = self.today - timedelta(days=size.days * 2 // 3)
        starts = mornings(self.opens - timedelta(days=BEFORE), 1)[0] + timedelta(hours=6)
        self.days = Days(starts, now)
        self.chance = self.days.chance
        self.leads = Leads(self.days)
        self.areas: dict[str, str] = {}
        self.everyone = [self._customer(number) for number in range(size.customers)]
        self.by_id: dict[str, Customer] = {}
        self.made: Counter[str] = Counter()

    async def tell(self, said: Callable[[datetime], None]) -> None:
        post.hold_back()
        self.days.at(self.days.detailed_from, post.let_go)
        self.company = await staff.found()
        self.road = Road(self.days, self.company, self._filled)
        self.hash = await hash_new(staff.PASSWORD, "", "", "")
        self._plan_leads()
        self._at(self.opens, 7, partial(self._open, "Sarasota", SARASOTA))
        self._at(self.bradenton_opens, 7, partial(self._open, "Bradenton", BRADENTON))
        for number in range(self.size.days + 1):
            day = self.opens + timedelta(days=number)
            self._at(day, 5.6, fire_schedules)
            self._at(day, 5.7, post.deliver)
            self._at(day - timedelta(days=1), 20.5, partial(self.road.plan, day))
            self._at(day, 15, partial(self._put_on_shift, day + timedelta(days=6)))
            if number % 5 == 4:
                self._at(day, 7.5, self._set_prices)
        for day in range(6):
            self._at(self.opens, 7.2, partial(self._put_on_shift, self.opens + timedelta(days=day)))
        for who in self.everyone:
            self._plan_life(who)
        for back in VISITORS_FILLS:
            ahead = 1 if back else 6  # today's before others fill the window
            if (day := self.today - timedelta(days=back)) > self.opens + timedelta(days=3):
                self._at(day - timedelta(days=ahead), 12, partial(self._book_visitor, day))
        self._plan_office()
        await self.days.live(said)

    def _customer(self, number: int) -> Customer:
        zips = SARASOTA if number % 5 in (0, 2, 4) else BRADENTON
        who = a_customer(self.chance, number, zips)
        if number == 0:
            who.own_email, who.first_name, who.last_name = VISITOR, "Sam", "Rivera"
            who.plan, who.waited, who.story = "family", True, "visitor"
        stories = {5: "past_due", 10: "past_due", 7: "declined", 8: "no_card", 15: "cancels"}
        who.story = who.story or stories.get(number % 60 if number > 20 else number, "")
        return who

    def _plan_leads(self) -> None:
        before = (self.opens - day_of(self.days.now)).days
        for number in range(self.size.leads):
            zip_code = self.chance.choices(list(WAITING), list(WAITING.values()))[0]
            lead = a_lead(self.chance, number, zip_code)
            day = day_of(self.days.now) + timedelta(days=self._early(before + self.size.days))
            self._at(day, self.chance.uniform(8, 21), partial(self.leads.join, lead))
        for number in range(self.size.leads // 8):  # invited, and not signed up yet
            zip_code = self.chance.choice([*SARASOTA, *BRADENTON])
            lead = a_lead(self.chance, self.size.leads + number, zip_code)
            day = day_of(self.days.now) + timedelta(days=self.chance.randrange(before))
            self._at(day, self.chance.uniform(8, 21), partial(self.leads.join, lead))
        for who in self.everyone:
            if who.waited:
                day = day_of(self.days.now) + timedelta(days=self.chance.randrange(before))
                join = partial(self.leads.join, entry_of(who), joins=self.chance.random() < 0.8)
                self._at(day, self.chance.uniform(8, 21), join)
        ask_for_quotes(self.days, self.company, self.size.leads // 8)

    def _early(self, days: int) -> int:
        return round(days * self.chance.betavariate(1.3, 1.6))

    def _plan_life(self, who: Customer) -> None:
        """Let a customer sign up on some day: those who waited soon after the opening."""
        opens = self.bradenton_opens if who.zip_code in BRADENTON else self.opens
        days = (self.today - opens).days
        is_first = who.story in ("past_due", "declined", "visitor")  # whose story takes weeks
        after = (
            self.chance.betavariate(1.2, 2.5)
            if who.waited or is_first
            else self.chance.betavariate(2.2, 1.1)
        )
        after = 0.03 if is_first else after
        self._at(opens + timedelta(days=int(days * after)), self.chance.uniform(8, 20.5),
                 partial(self._sign_up, who))  # fmt: skip

    async def _open(self, name: str, zips: dict[str, tuple[float, float]]) -> None:
        admin = self.company.admin
        self.areas[name] = area_id = await staff.make_area(admin, name, zips)
        await staff.set_prices(admin, area_id, 0)
        await areas.step("open", area_id, actor=admin)
        self.days.later(partial(desk.invite, self.company, area_id), hours=3)

    async def _set_prices(self) -> None:
        weeks = (day_of(self.days.now) - self.opens).days // 5
        for number, area_id in enumerate(self.areas.values()):
            more = (-20, 30, 50, 90, 60, 40, 70, 20)[weeks % 8] + 20 * number
            await staff.set_prices(self.company.admin, area_id, more)

    async def _put_on_shift(self, day: date) -> None:
        await staff.put_on_shift(self.company, day)

    async def _sign_up(self, who: Customer) -> None:
        who.neighborhood = self.leads.neighborhood_in(self.chance, who.zip_code)
        if self.chance.random() < 0.4 and not who.waited:
            who.neighborhood = ""
        if who.story == "past_due":
            who.zip_code = who.place["zip_code"] = (
                "34232" if who.zip_code in BRADENTON else who.zip_code
            )
        await people.sign_up(who, self.hash)
        self.by_id[who.person_id] = who
        self.made["customers"] += 1
        if who.story != "no_card":
            self.days.later(partial(self._add_card, who), minutes=self.chance.uniform(2, 9))

    async def _add_card(self, who: Customer) -> None:
        await people.add_card(who)
        self.days.later(partial(self._start, who), minutes=self.chance.uniform(2, 6))
        if who.story == "past_due":
            self.days.later(partial(people.add_card, who, "insufficient_funds"), days=20)
        if who.story == "declined":
            before = self.days.ends - timedelta(hours=self.chance.uniform(30, 70))
            self.days.at(
                max(before, self.days.now), partial(people.add_card, who, "declined_later")
            )

    async def _start(self, who: Customer) -> None:
        await people.start_plan(who)
        if who.story == "visitor":
            return
        self.days.later(partial(self._book, who), minutes=self.chance.uniform(4, 30))

    async def _book(self, who: Customer) -> None:
        """Book the next fill, for a day soon."""
        today = day_of(self.days.now)
        area = self.areas["Bradenton" if who.zip_code in BRADENTON else "Sarasota"]
        local = self.days.now.astimezone(NEW_YORK)
        ahead = self.chance.choices((1, 2, 3, 5), (62, 24, 10, 4))[0] + (local.hour >= 20)
        first = self.chance.choices(range(6), (26, 18, 8, 16, 18, 14))[0]
        car = self.chance.randrange(len(who.car_ids))
        cars = 2 if self.chance.random() < SECOND_CARS else 1
        day = today + timedelta(days=ahead)
        try:
            made = await people.book(who, area, day, first, car=car, cars=cars)
        except Refusal as refusal:
            self.made[f"not booked: {refusal}"] += 1
            return
        if made is None:
            self.days.later(partial(self._book, who), hours=20)
            return
        self.made["bookings"] += 1
        if self.chance.random() < 0.045:
            spare = max(0.3, (made.starts_at - self.days.now).total_seconds() / 3600 - 1)
            after = self.chance.uniform(0.2, spare)
            self.days.later(partial(self._change, who, made.id), hours=after)

    async def _book_visitor(self, day: date) -> None:
        """Book a fill of the visitor's in the last window; today's is left to be filled."""
        who, area = self.everyone[0], self.areas["Sarasota"]
        if not who.car_ids:  # the company opened some days ago, and they come later
            return
        car = day.toordinal() % len(who.car_ids) if day < self.today else 0
        made = await people.book(who, area, day, len(staff.OPENINGS) - 1, car=car)
        if made and day == self.today:
            self.road.kept = made.id

    def _plan_office(self) -> None:
        """Plan what the office does: companies soon after the opening, then in the last days for
        customers who have been there longest.
        """
        soon = self.opens + timedelta(days=2)
        self._at(soon, 16, partial(make_companies, self.company))
        known = [who for who in self.everyone if (who.waited and not who.story) or who.number == 0]
        for who in known[:6]:
            self._at(
                self.today - timedelta(days=3), 10, partial(desk.write_note, self.company, who)
            )
        for who in known[1:4]:
            self._at(self.today - timedelta(days=2), 11, partial(desk.refund, self.company, who))
        for who in known[4:5]:
            self._at(self.today - timedelta(days=1), 9, partial(desk.dispute, who))

    async def _change(self, who: Customer, booking_id: str) -> None:
        by = people.actor_of(who)
        made = await access.find(by, booking_id)
        if made and changes.allowed_changes(by, made).may_cancel:
            with suppress(Refusal):
                await people.cancel(who, made)
                self.made["cancelled"] += 1
            self.days.later(partial(self._book, who), days=2)

    async def _filled(self, person_id: str) -> None:
        """Let a customer drive for some days before the next fill."""
        self.made["stops"] += 1
        who = self.by_id[person_id]
        who.fills += 1
        if who.story == "visitor":
            return
        days = _EVERY[who.plan] * self.chance.uniform(0.6, 1.4)
        self.days.later(partial(self._book, who), days=max(0.2, days - 2))

    def _at(self, day: date, hour: float, deed: Callable[[], object]) -> None:
        moment = mornings(day, 1)[0] + timedelta(seconds=round(hour * 3600))
        self.days.at(moment, deed)  # type: ignore[arg-type]


async def make(now: datetime, size: Size) -> Story:
    """Make the demo in an empty, migrated database."""
    story, began, last = Story(now, size), time.monotonic(), [date.min]

    def said(moment: datetime) -> None:
        if day_of(moment) not in (last[0], story.opens):
            last[0] = day_of(moment)
            people = counted(story.made["customers"], "customer")
            done = f"{people}, {counted(story.made['stops'], 'fill-up')}"
            done = done if last[0] > story.opens else "neighbors join the waitlist"
            took = f"{time.monotonic() - began:.0f} s"
            print(f"\r  {last[0]:%b %d}: {done}, {took} ".ljust(60), end="", flush=True)

    await story.tell(said)
    print()
    await engine().dispose()
    return story


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    uvloop.run(make(datetime.fromisoformat(sys.argv[1]), Size(*map(int, sys.argv[2:]))))
