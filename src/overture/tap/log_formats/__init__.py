"""Logs of calls as libraries and services tell them: messages, answers, counts."""
