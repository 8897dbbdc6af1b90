"""Product: what every agent is told in each of many repositories, and what changed since the last audit."""
