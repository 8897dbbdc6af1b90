"""Product: what every agent loads in each of many repositories, and what changed since the last audit."""
