"""Publishes the turns of a session for `overture serve --attach`."""
