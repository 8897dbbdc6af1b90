"""Product: a prompt for each of many rows. `map` does it in the frames of other libraries."""

from .dataframes import map as map
