"""Saves and resumes sessions."""
