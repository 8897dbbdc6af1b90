"""Rules about the prompt: what the gate found, and what the prompt says."""
