"""A tool that the model can call: the noun, and what becomes one."""
