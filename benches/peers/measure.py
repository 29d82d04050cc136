"""Runs of every side of a query, taking turns."""

import statistics
import time
from dataclasses import dataclass, field

NO_TIME = "no time left"


@dataclass
class Side:
    engine: str
    layout: str
    sql: str
    cpu: list = field(default_factory=list)
    wall: list = field(default_factory=list)
    rows: list = None
    error: str = ""
    agrees: bool = None

    @property
    def name(self):
        return f"{self.engine} {self.layout}"

    def done(self, runs, cap_seconds):
        """A slow side is not asked again once it had its share of the time, a first answer provided."""
        return bool(self.error) or len(self.cpu) >= runs or sum(self.wall) > cap_seconds

    def summary(self):
        if not self.cpu:
            return {"error": self.error or NO_TIME}
        return {"cpuMin": min(self.cpu), "cpuMedian": statistics.median(self.cpu), "wallMin": min(self.wall),
                "wallMedian": statistics.median(self.wall), "runs": len(self.cpu), "error": self.error,
                "agrees": self.agrees, "cpu": self.cpu, "wall": self.wall}


def measure(sides, engines, runs, cap_seconds, timeout_seconds, deadline=None):
    """Asks every side once a round, each round in the other direction; the first round warms up and
    counts only for sides that get no second one. After the deadline only growler gets a first answer."""
    for turn in range(runs + 1):
        order = sides if turn % 2 == 0 else sides[::-1]
        for side in order:
            if side.done(runs + 1, cap_seconds) or late(side, deadline):
                continue
            answer = engines[side.engine].ask(side.sql, timeout_seconds)
            if answer["error"]:
                side.error = answer["error"]
                continue
            side.rows = answer["rows"]
            side.cpu.append(answer["cpuSeconds"])
            side.wall.append(answer["wallSeconds"])
    for side in sides:
        if len(side.cpu) > 1:
            del side.cpu[0], side.wall[0]


def late(side, deadline):
    if deadline is None or time.monotonic() < deadline:
        return False
    return bool(side.cpu) or side.engine != "growler"


def judge(sides, same):
    """Compares all answers with the first one."""
    answers = [side for side in sides if side.rows is not None]
    for side in answers:
        side.agrees = same(answers[0].rows, side.rows)
    return all(side.agrees for side in answers)
