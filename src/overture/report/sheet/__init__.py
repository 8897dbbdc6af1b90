"""A prompt as the page shows it: sheets, what was changed in them, and how two of them differ."""
