"""pi: a base that SYSTEM.md may replace, what is appended to it, project context, skills, clock and directory."""
