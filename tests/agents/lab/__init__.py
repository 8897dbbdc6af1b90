"""The laboratory: real agents, run once each in marked trees, and what they sent."""
