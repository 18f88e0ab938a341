"""What a lead can be: its status and where it came from."""

STATUSES = ("Not Contacted", "Contacted", "Closed Won", "Closed Lost")
DEFAULT_SOURCE = "Inbound"
