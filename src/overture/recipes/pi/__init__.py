"""pi: a base that SYSTEM.md can replace, appended text, project context, skills, clock and directory."""
