"""What tabs can be told about as it changes."""

STAFF = "staff"  # somebody signed out, or every session has ended
LEADS = "leads"
MEMBERS = "members"  # who is in which neighborhood
IMPORTS = "imports"  # how far an import of leads is
