"""Which variables and settings each program obeys, and how it is started with them."""
