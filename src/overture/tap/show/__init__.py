"""What `overture tap` runs, and what it shows of what was sent."""
