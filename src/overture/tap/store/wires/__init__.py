"""Calls as they were on the wire, kept small: bodies as lists of texts, heads by what differs from an earlier one."""
