"""What a page says, taken apart: instructions, paths, links, imports, commands."""
