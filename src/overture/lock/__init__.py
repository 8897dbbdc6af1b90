"""What `lock` does: prompts as everybody gets them, compared with what is locked, and told."""
