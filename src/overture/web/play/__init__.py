"""Wishes over the prompt that is shown: another recipe, budget, model or state, and what makes that very prompt."""
