"""The sides of a comparison: growler and its peers, each in a process of its own over the same files."""

import json
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
# A folder of another name is known by what it holds.
ROLES = {"spark_shredded": "shredded", "spark_unshredded": "unshredded", "duckdb_shredded": "automatic"}


def layouts(folder):
    """Folders of Parquet files below one, by what they hold."""
    found = {}
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and any(entry.glob("*.parquet")):
            found[ROLES.get(entry.name, entry.name)] = entry
    return found


class Process:
    """A worker that answers one question a line."""

    def __init__(self, command):
        self.command = [str(part) for part in command]
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self, seconds=None):
        """Reads a line; a worker that takes longer than that is killed."""
        timer = threading.Timer(seconds, self.process.kill) if seconds else None
        if timer:
            timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            if timer:
                timer.cancel()
        if not line:
            raise EOFError(f"no answer: status={self.process.wait()}")
        return json.loads(line)

    def ask(self, sql, seconds=None):
        self.process.stdin.write(json.dumps({"sql": sql}) + "\n")
        self.process.stdin.flush()
        return self.read(seconds)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Growler:
    name = "growler"

    def __init__(self, worker, tables, threads, index_dir=None):
        command = [worker, "--threads", threads]
        for name, folder in tables.items():
            command += ["--table", f"{name}={folder}"]
        if index_dir:
            command += ["--index-dir", index_dir]
        self.process = Process(command)
        self.peak_rss_mib = 0

    def table(self, name):
        return name

    def ask(self, sql, seconds=None):
        answer = self.process.ask(sql)
        self.peak_rss_mib = answer["peakRssKib"] / 1024
        return answer

    def close(self):
        self.process.close()


class Peer:
    """An engine from PyPI; started anew when it died or did not answer in time."""

    def __init__(self, name, tables, threads):
        self.name = name
        self.command = [sys.executable, "-B", HERE / "worker.py", name, "--threads", threads]
        for table, folder in tables.items():
            self.command += ["--table", f"{table}={folder}"]
        self.start()

    def start(self):
        self.process = Process(self.command)
        self.ready = self.process.read()

    def table(self, name):
        return self.ready["tables"][name]

    def ask(self, sql, seconds=None):
        try:
            return self.process.ask(sql, seconds)
        except (EOFError, BrokenPipeError):
            self.start()
            return {"error": "no answer in time" if seconds else "died", "rows": []}

    def close(self):
        self.process.close()


def same(a, b):
    """Whether two answers agree: numbers by value, no text the same as an empty one."""
    if len(a) != len(b):
        return False
    return all(len(x) == len(y) and all(map(same_cell, x, y)) for x, y in zip(a, b))


def same_cell(a, b):
    a, b = (None if cell == "" else cell for cell in (a, b))
    numbers = [number(cell) for cell in (a, b)]
    if None not in numbers:
        return abs(numbers[0] - numbers[1]) <= 1e-9 * max(1, abs(numbers[0]))
    return a == b


def number(cell):
    """Some engines put 64-bit numbers into JSON as text."""
    if isinstance(cell, bool) or cell is None:
        return None
    try:
        return float(cell)
    except ValueError:
        return None
