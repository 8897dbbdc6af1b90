"""What is found in calls, said in words: what a call is for, what changed, and the report as text and Markdown."""
