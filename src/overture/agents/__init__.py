"""What each coding agent loads here, what it skips and why, and how to let all load the same."""
