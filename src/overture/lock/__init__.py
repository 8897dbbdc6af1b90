"""`overture.lock`: prompts as everybody gets them, and what changed since."""
