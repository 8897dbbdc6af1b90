"""Overture in the agent frameworks that people use: one module each, loaded only when it is imported."""
