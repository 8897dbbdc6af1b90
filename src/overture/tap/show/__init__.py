"""What `overture tap` prints of calls."""
