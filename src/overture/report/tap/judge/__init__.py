"""What a cache looks at in calls, what it was seen to ignore, and why it missed."""
