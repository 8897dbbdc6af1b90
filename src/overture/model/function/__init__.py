"""A Python function as a tool: what its docstring says, and what its annotations allow."""
