"""The classes and the questions of the study of classes: nested, unions, and lists of classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

__all__ = ["KINDS", "Question", "questions"]

KINDS = ("nested", "union", "list")


class Address(BaseModel):
    """A postal address."""

    street: str
    city: str


class Customer(BaseModel):
    """Register a customer."""

    name: str
    address: Address


class Period(BaseModel):
    """A number of nights in a month."""

    month: str
    nights: int


class Booking(BaseModel):
    """Book a room."""

    guest: str
    room: Literal["single", "double", "suite"]
    stay: Period


class Person(BaseModel):
    """A person with an e-mail address."""

    name: str
    email: str


class Ticket(BaseModel):
    """Open a ticket."""

    title: str
    urgent: bool
    reporter: Person


class Engine(BaseModel):
    """The engine of a car."""

    fuel: Literal["petrol", "diesel", "electric"]
    horsepower: int


class Car(BaseModel):
    """Add a car to the stock."""

    brand: str
    engine: Engine


class Cat(BaseModel):
    """A cat."""

    kind: Literal["cat"]
    name: str
    meows_per_day: int


class Dog(BaseModel):
    """A dog."""

    kind: Literal["dog"]
    name: str
    breed: str
    vaccinated: bool


class AddPet(BaseModel):
    """Register a pet."""

    owner: str
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Card(BaseModel):
    """A credit card."""

    method: Literal["card"]
    number: str


class Transfer(BaseModel):
    """A bank transfer."""

    method: Literal["transfer"]
    bank: str
    account: str


class Pay(BaseModel):
    """Pay an invoice."""

    invoice: int
    by: Annotated[Card | Transfer, Field(discriminator="method")]


class Circle(BaseModel):
    """A circle."""

    shape: Literal["circle"]
    radius: int


class Rectangle(BaseModel):
    """A rectangle."""

    shape: Literal["rectangle"]
    width: int
    height: int


class Draw(BaseModel):
    """Draw a shape."""

    color: str
    what: Annotated[Circle | Rectangle, Field(discriminator="shape")]


class Mail(BaseModel):
    """An e-mail."""

    channel: Literal["mail"]
    address: str
    subject: str


class Sms(BaseModel):
    """A text message to a telephone."""

    channel: Literal["sms"]
    phone: str


class Notify(BaseModel):
    """Send a notice."""

    text: str
    to: Annotated[Mail | Sms, Field(discriminator="channel")]


class Line(BaseModel):
    """A number of equal items."""

    item: str
    count: int


class Order(BaseModel):
    """Place an order."""

    customer: str
    lines: list[Line]


class Guest(BaseModel):
    """A guest."""

    name: str
    vegetarian: bool


class Party(BaseModel):
    """Plan a party."""

    place: str
    guests: list[Guest]


class Score(BaseModel):
    """The score of a player."""

    player: str
    points: int


class Game(BaseModel):
    """Store the result of a game."""

    game: str
    scores: list[Score]


class Stop(BaseModel):
    """A stop of a trip."""

    city: str
    days: int


class Trip(BaseModel):
    """Plan a trip."""

    traveller: str
    stops: list[Stop]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its class, and the arguments of the right answer."""

    kind: str
    tool: type[BaseModel]
    text: str
    right: dict[str, Any]


def _nested_cases() -> Iterator[tuple[type[BaseModel], str, dict[str, Any]]]:
    for name, street, city in (
        ("Ann Lee", "Hill Road 4", "Leeds"), ("Tom Berg", "Rue Pasteur 12", "Lyon"),
        ("Mia Sato", "King Street 7", "Perth"), ("Ole Dahl", "Torggata 3", "Oslo"),
        ("Eva Roth", "Am Markt 1", "Bonn"),
    ):  # fmt: skip
        text = f"Register the customer {name}, who lives in {street} in {city}."
        yield Customer, text, {"name": name, "address": {"street": street, "city": city}}
    for guest, room, month, nights in (
        ("Kim", "double", "May", 3), ("Lena", "suite", "June", 2), ("Omar", "single", "March", 5),
        ("Rosa", "double", "August", 7), ("Ivan", "single", "October", 1),
    ):  # fmt: skip
        text = f"Book a {room} room for {guest} in {month}, for {nights} nights."
        right = {"guest": guest, "room": room, "stay": {"month": month, "nights": nights}}
        yield Booking, text, right
    for title, urgent, name, email in (
        ("Printer is broken", True, "Ann", "ann@mill.org"),
        ("New keyboard", False, "Bob", "bob@acme.com"),
        ("Server is down", True, "Carla", "carla@north.net"),
        ("Slow laptop", False, "Dan", "dan@lab.edu"),
        ('Error "disk full"', True, "Elin", "elin@fjord.no"),
    ):
        how = "an urgent" if urgent else "a ticket, not urgent,"
        what = f"{how} ticket" if urgent else how
        text = f"Open {what} with the title '{title}' for {name} ({email})."
        opened: dict[str, Any] = {"title": title, "urgent": urgent, "reporter": {}}
        opened["reporter"] = {"name": name, "email": email}
        yield Ticket, text, opened
    for brand, fuel, power in (
        ("Volvo", "diesel", 190), ("Kia", "electric", 204), ("Fiat", "petrol", 69),
        ("Skoda", "diesel", 150), ("Tesla", "electric", 283),
    ):  # fmt: skip
        text = f"Add a {brand} with a {fuel} engine of {power} horsepower."
        yield Car, text, {"brand": brand, "engine": {"fuel": fuel, "horsepower": power}}


def _unions() -> Iterator[tuple[type[BaseModel], str, dict[str, Any]]]:
    for owner, name, breed, vaccinated in (
        ("Ann", "Rex", "beagle", True), ("Piet", "Bello", "poodle", False),
        ("Mary", "Luna", "collie", True),
    ):  # fmt: skip
        state = "a vaccinated" if vaccinated else "a not vaccinated"
        pet: dict[str, Any] = {
            "kind": "dog",
            "name": name,
            "breed": breed,
            "vaccinated": vaccinated,
        }
        text = f"Register {owner}'s dog {name}, {state} {breed}."
        yield AddPet, text, {"owner": owner, "pet": pet}
    for owner, name, meows in (("Tom", "Minka", 9), ("Sara", "Felix", 4)):
        text = f"Register {owner}'s cat {name}, which meows {meows} times a day."
        pet = {"kind": "cat", "name": name, "meows_per_day": meows}
        yield AddPet, text, {"owner": owner, "pet": pet}
    for invoice, number in ((17, "4111-2222"), (305, "5500-0004"), (8, "3400-9911")):
        text = f"Pay invoice {invoice} with the card {number}."
        yield Pay, text, {"invoice": invoice, "by": {"method": "card", "number": number}}
    for invoice, bank, account in ((42, "Nordea", "DK-77"), (99, "Barclays", "GB-1203")):
        text = f"Pay invoice {invoice} by a transfer to {bank}, account {account}."
        by = {"method": "transfer", "bank": bank, "account": account}
        yield Pay, text, {"invoice": invoice, "by": by}
    for color, radius in (("red", 5), ("blue", 12), ("green", 30)):
        text = f"Draw a {color} circle with a radius of {radius}."
        yield Draw, text, {"color": color, "what": {"shape": "circle", "radius": radius}}
    for color, width, height in (("black", 20, 10), ("yellow", 7, 3)):
        text = f"Draw a {color} rectangle, {width} wide and {height} high."
        what = {"shape": "rectangle", "width": width, "height": height}
        yield Draw, text, {"color": color, "what": what}
    for words, address, subject in (
        ("The shop is closed.", "kim@mill.org", "Closed"),
        ("Lunch is ready.", "all@acme.com", "Lunch"),
    ):
        text = f"Send '{words}' by mail to {address} with the subject '{subject}'."
        to = {"channel": "mail", "address": address, "subject": subject}
        yield Notify, text, {"text": words, "to": to}
    for words, phone in (
        ("I am late.", "555-0199"), ("Call me back.", "555-0142"), ("It's done.", "555-0107"),
    ):  # fmt: skip
        text = f'Send "{words}" by SMS to the phone {phone}.'
        yield Notify, text, {"text": words, "to": {"channel": "sms", "phone": phone}}


def _lists() -> Iterator[tuple[type[BaseModel], str, dict[str, Any]]]:
    for customer, *lines in (
        ("Kim", (2, "apples"), (5, "pears")), ("Ann", (1, "lamp"), (4, "chairs")),
        ("Omar", (3, "pens"), (2, "books"), (1, "bag")), ("Rosa", (12, "eggs")),
        ("Ivan", (6, "plates"), (6, "cups")),
    ):  # fmt: skip
        order_words = " and ".join(f"{count} {item}" for count, item in lines)
        ordered = [{"item": item, "count": count} for count, item in lines]
        yield Order, f"{customer} wants {order_words}.", {"customer": customer, "lines": ordered}
    for venue, *guests in (
        ("garden", ("Mia", True), ("Leo", False)), ("harbour", ("Sven", False), ("Ida", True)),
        ("club", ("Paul", False)), ("beach", ("Zoe", True), ("Max", True)),
        ("park", ("Nina", False), ("Emil", False)),
    ):  # fmt: skip
        named = " and ".join(
            f"{name}, who {'is' if vegetarian else 'is not'} vegetarian"
            for name, vegetarian in guests
        )
        listed = [{"name": name, "vegetarian": vegetarian} for name, vegetarian in guests]
        yield (
            Party,
            f"Plan a party at the {venue} with {named}.",
            {"place": venue, "guests": listed},
        )
    for game, *scores in (
        ("chess", ("Ann", 3), ("Bob", 1)), ("darts", ("Kim", 180), ("Lee", 140)),
        ("golf", ("Tor", 72), ("Una", 75)), ("poker", ("Max", 500)),
        ("bowling", ("Eva", 210), ("Jan", 190), ("Pia", 175)),
    ):  # fmt: skip
        story = " and ".join(f"{player} has {points} points" for player, points in scores)
        listed = [{"player": player, "points": points} for player, points in scores]
        yield Game, f"Result of the game of {game}: {story}.", {"game": game, "scores": listed}
    for traveller, *stops in (
        ("Ann", ("Rome", 3), ("Paris", 2)), ("Bo", ("Lima", 5)), ("Cem", ("Oslo", 1), ("Nice", 4)),
        ("Dana", ("Tokyo", 6), ("Kyoto", 2)), ("Eli", ("Madrid", 2), ("Porto", 2)),
    ):  # fmt: skip
        story = " and then ".join(f"{days} days in {city}" for city, days in stops)
        listed = [{"city": city, "days": days} for city, days in stops]
        text = f"Plan a trip for {traveller}: {story}."
        yield Trip, text, {"traveller": traveller, "stops": listed}


def questions() -> list[Question]:
    """Return the questions, so that each part from the start has all kinds and classes.

    >>> [question.kind for question in questions()[:4]], len(questions())
    (['nested', 'union', 'list', 'nested'], 60)
    """
    kinds = {"nested": _nested_cases(), "union": _unions(), "list": _lists()}
    by_kind = {
        kind: _turn_about([Question(kind, *case) for case in cases])
        for kind, cases in kinds.items()
    }
    return [question for row in zip(*by_kind.values(), strict=True) for question in row]


def _turn_about(cases: list[Question]) -> list[Question]:
    """Return the questions in turns of one question for each class."""
    by_class: dict[str, list[Question]] = {}
    for case in cases:
        by_class.setdefault(case.tool.__name__, []).append(case)
    return [case for turn in zip(*by_class.values(), strict=True) for case in turn]
