"""What is known about text alone: no noun of ours."""
