"""What was measured, as Markdown tables."""

import math

from measure import NO_TIME


class Report:
    """`results`: one dictionary a query, with its `sides` by "engine layout", each a summary."""

    def __init__(self, results, layouts, targets, sum_targets):
        self.results, self.layouts, self.targets, self.sum_targets = results, layouts, targets, sum_targets

    def markdown(self):
        parts = [self.flat(), self.in_place(), self.by_layout(), self.target_table(), self.complaints()]
        return "\n\n".join(part for part in parts if part)

    def value(self, result, side, what="cpuMin"):
        return result["sides"].get(side, {}).get(what)

    def names(self, test):
        """Names of sides, in the order in which they were asked."""
        seen = {}
        for result in self.results:
            for name in result["sides"]:
                if test(name):
                    seen[name] = None
        return list(seen)

    def main_layout(self):
        return "shredded" if "shredded" in self.layouts else next(iter(self.layouts), None)

    def flat(self):
        """Ours on the main layout beside every peer over plain columns, or as it ingested them."""
        peers = self.names(lambda name: name.endswith((" flat", " native")))
        ours = f"growler {self.main_layout()}"
        return self.table(f"Over plain columns; growler over {self.main_layout()} documents", ours, peers)

    def in_place(self):
        parts = []
        for layout in self.layouts:
            peers = self.names(lambda name: name.endswith(f" {layout}") and not name.startswith("growler"))
            if peers:
                parts.append(self.table(f"All over the same files: {layout}", f"growler {layout}", peers))
        return "\n\n".join(parts)

    def table(self, title, ours, peers):
        peers = [peer for peer in peers if peer != ours]
        if not peers:
            return ""
        lines = [f"### {title}", "", "| query | growler ms | " + " | ".join(f"{peer} ms | ratio" for peer in peers) + " |",
                 "| - | -: | " + " | ".join("-: | -" for _ in peers) + " |"]
        for result in self.results:
            cells = [result["name"], times(result["sides"].get(ours))]
            for peer in peers:
                cells += [times(result["sides"].get(peer)), ratios(result["sides"].get(ours), result["sides"].get(peer))]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines)

    def by_layout(self):
        sides = self.names(lambda name: name.startswith("growler "))
        if len(sides) < 2:
            return ""
        lines = ["### growler, layout beside layout (CPU ms, least)", "",
                 "| query | " + " | ".join(name.removeprefix("growler ") for name in sides) + " | worst / best |",
                 "| - |" + " -: |" * (len(sides) + 1)]
        for result in self.results:
            values = [self.value(result, name) for name in sides]
            known = [value for value, name in zip(values, sides) if value and not name.endswith(" flat")]
            spread = f"{max(known) / min(known):.1f}x" if known else ""
            lines.append(f"| {result['name']} | " + " | ".join(map(ms, values)) + f" | {spread} |")
        return "\n".join(lines)

    def judged(self):
        """Every target with what was measured: (query, text, CPU ratio, wall ratio, met)."""
        for result in self.results:
            for target in self.targets.get(result["id"], []):
                yield self.judge(result["name"], target, lambda side, what: self.value(result, side, what))
        for target in self.sum_targets:
            def total(side, what):
                values = [self.value(result, side, what) for result in self.results]
                return sum(values) if None not in values else None
            yield self.judge("sum of all", target, total)

    def judge(self, name, target, value):
        if "over" in target:
            pair = [self.pick_layout(target[key], value) for key in ("layout", "over")]
            measured = [self.ratio(value(pair[0], what), value(pair[1], what)) for what in ("cpuMin", "wallMin")]
            met = measured[0] is not None and measured[0] <= target["at_most"]
            return name, f"{target['layout']} at most {target['at_most']}x {target['over']}", *measured, met
        layout = target.get("layout", self.main_layout())
        ours = f"growler {layout}"
        against = target["against"]
        peers = [f"{against} {layout}" if "layout" in target else against]
        if against == "best flat":
            peers = [name for name in self.names(lambda name: name.endswith(" flat")) if not name.startswith("growler")]
        measured = []
        for what in ("cpuMin", "wallMin"):
            values = [value(peer, what) for peer in peers]
            values = [value for value in values if value is not None]
            measured.append(self.ratio(min(values, default=None), value(ours, what)))
        met = None not in measured and measured[0] >= target["times"]
        where = f" over {layout}" if "layout" in target else ""
        return name, f"{against}{where}: at least {target['times']}x", *measured, met

    def pick_layout(self, layout, value):
        if layout not in ("worst", "best"):
            return f"growler {layout}"
        sides = [f"growler {layout}" for layout in self.layouts if value(f"growler {layout}", "cpuMin")]
        choose = max if layout == "worst" else min
        return choose(sides, key=lambda side: value(side, "cpuMin"), default="")

    @staticmethod
    def ratio(a, b):
        return a / b if a is not None and b else None

    def target_table(self):
        lines = []
        for name, text, cpu, wall, met in self.judged():
            if cpu is not None:
                lines.append(f"| {name} | {text} | {times_of(cpu)} | {times_of(wall)} | {'yes' if met else 'NO'} |")
        head = ["### Targets (least times of this run)", "", "| query | target | CPU | wall | met |", "| - | - | -: | -: | - |"]
        return "\n".join(head + lines) if lines else ""

    def complaints(self):
        lines, skipped = [], 0
        for result in self.results:
            for name, side in result["sides"].items():
                if side.get("error") == NO_TIME:
                    skipped += 1
                elif side.get("error"):
                    lines.append(f"- {result['name']}: {name}: {side['error']}")
                elif side.get("agrees") is False:
                    lines.append(f"- {result['name']}: {name}: ANOTHER ANSWER")
        if skipped:
            lines.append(f"- {skipped} sides of queries were not asked: {NO_TIME}")
        return "### To look at\n\n" + "\n".join(lines) if lines else "All answers agree."


def ms(seconds):
    return "" if seconds is None else f"{1000 * seconds:.3g}"


def times(side):
    """Least and median CPU time."""
    return f"{ms(side['cpuMin'])} / {ms(side['cpuMedian'])}" if side and "cpuMin" in side else ""


def times_of(ratio):
    if ratio is None:
        return ""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def ratios(ours, theirs):
    """Of least CPU, median CPU and least wall time."""
    if not ours or not theirs or "cpuMin" not in ours or "cpuMin" not in theirs:
        return ""
    whats = ("cpuMin", "cpuMedian", "wallMin")
    text = " / ".join(times_of(theirs[what] / ours[what]) if ours[what] else "" for what in whats)
    return text + ("" if theirs["agrees"] in (True, None) else " NOT THE SAME")


def log_scale(value, low, high):
    """Where a value lies between two, of 0 to 1, by its logarithm."""
    value = min(max(value, low), high)
    return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
