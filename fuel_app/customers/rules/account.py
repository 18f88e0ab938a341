"""The account that a customer's screens read and change."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.customers.rules.profile import Customer, Personal
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.kit.errors import Refusal


class NotVerified(Refusal):
    """A sign-up, or an account whose e-mail is not verified."""

    message = "Please verify your email first."


class Account(ABC):
    """The preview's sample in one tab, or a signed-in person's own account.

    Each change returns the changed customer. A sign-up refuses all of them.
    """

    is_sample = False
    is_verified = True  # False for a sign-up, which reaches the dashboard alone
    saved = "Saved"  # confirms a change

    @abstractmethod
    async def read(self) -> Customer: ...

    async def closing(self) -> str:
        """Return what closing the account does, and when; empty in a preview."""
        return ""

    def rules(self, form: Mapping[str, str]) -> type[Personal]:
        """Return the rules of the personal information, as it was typed."""
        return Personal

    async def save_personal(self, personal: Personal) -> Customer:
        """Save the personal information; a changed e-mail has a way of its own.

        Raises:
            InvalidForm: If a field cannot be changed just now.
        """
        raise NotVerified

    async def toggle_notification(self, name: object) -> Customer:
        """Turn one message or channel on or off; an unknown name changes nothing.

        Raises:
            Refusal: If it needs another step before.
        """
        raise NotVerified

    async def agree_to_texts(self) -> Customer:
        """Store the consent to text messages to the verified phone, and turn them on.

        Raises:
            Refusal: If it has sent STOP.
        """
        raise NotVerified

    async def close(self, visitor: Visitor) -> str:
        """Delete the account. Return what its owner is told, empty in a preview.

        Raises:
            NotProved: If neither a password nor a factor was given within 10 minutes.
            LastAdmin: If no admin would be left.
        """
        raise NotVerified

    async def save_vehicle(self, vehicle: Vehicle) -> Customer:
        """Register a vehicle, or replace the registered one that has its id.

        Raises:
            GarageFull, PlanIsFull: If the customer has as many as one can register.
            VehicleGone: If none with its id is registered (any more).
        """
        raise NotVerified

    async def use_vehicle(self, vehicle_id: object) -> Customer:
        """Take a vehicle into the plan, in place of another one if need be.

        Raises:
            VehicleGone: If none with its id is registered (any more).
        """
        raise NotVerified

    async def remove_vehicle(self, vehicle_id: object) -> Customer:
        """Remove a vehicle; ignore an unknown id."""
        raise NotVerified

    async def restore_vehicle(self, vehicle: Vehicle, place: int) -> Customer:
        """Undo a removal.

        Raises:
            GarageFull, PlanIsFull: If its room has been taken meanwhile.
        """
        raise NotVerified
