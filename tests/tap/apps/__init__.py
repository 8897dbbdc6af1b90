"""Desktop apps through the tap."""
