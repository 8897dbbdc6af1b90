"""Functions that see one turn, and may change that one."""
