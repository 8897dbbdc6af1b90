"""How `overture agents` looks: the table, one agent, the grid of files, and the same as Markdown and JSON."""
