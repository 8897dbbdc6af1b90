"""The version of this package, in the one place that the build reads it from."""

__version__ = "0.1.0"
