"""Desktop apps: where they lie, the words by which Chromium finds the tap, and whether one runs already."""
