"""Says how far a run of the laboratory is, a line for each world, and at its end how much it was."""

import sys
import time


class Progress:
    """Agent i of n, world j of m."""

    def __init__(self, agents: int) -> None:
        self.agents, self.agent, self.title = agents, 0, ""
        self.worlds, self.world, self.runs = 0, 0, 0
        self.began = self.last = time.monotonic()

    def start_agent(self, title: str) -> None:
        """The next agent; it has no worlds yet."""
        self.agent, self.title, self.worlds, self.world = self.agent + 1, title, 0, 0

    def start_worlds(self, worlds: int) -> None:
        """In how many worlds this agent is run."""
        self.worlds, self.last = worlds, time.monotonic()

    def end_world(self, name: str, told: str) -> None:
        """A run is over."""
        now = time.monotonic()
        self.world, self.runs = self.world + 1, self.runs + 1
        self.say(f"world {self.world} of {self.worlds}, {name}: {told} ({now - self.last:.1f} s)")
        self.last = now

    def say(self, text: str) -> None:
        """A line beside the result, at once."""
        sys.stderr.write(f"agent {self.agent} of {self.agents}, {self.title}: {text}\n")
        sys.stderr.flush()

    def sum_up(self, moved: int) -> str:
        """The line at the end."""
        seconds = time.monotonic() - self.began
        each = f" of {seconds / self.runs:.1f} s" if self.runs else ""
        ran = f"agents: {self.agents}; runs: {self.runs}{each}; minutes: {seconds / 60:.0f}"
        return f"{ran}; facts that have moved: {moved}"
