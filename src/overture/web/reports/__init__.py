"""What is answered of the files behind the prompt: which were looked at, their texts, findings, what agents read."""
