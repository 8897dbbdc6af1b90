"""Which recipe counts here, and all that discovery needs to know."""
