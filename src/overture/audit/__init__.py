"""Product: what is every agent told in each of many repositories, and what changed since the last time?"""
