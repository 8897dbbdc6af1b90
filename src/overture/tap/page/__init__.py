"""The view of recorded calls on the page."""
