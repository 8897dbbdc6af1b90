"""The lock of a project: where it lies, how it is read and written, and the project as everybody has it."""
