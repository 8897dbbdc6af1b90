"""Logs of traffic: whole requests and answers, as they were on their way."""
