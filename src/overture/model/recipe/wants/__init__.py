"""What a recipe wants read: files, rules, imports, sub-agents, skills."""
