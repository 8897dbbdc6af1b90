"""The command line: composes the products' commands, and holds those of no product."""
