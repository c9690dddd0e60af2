#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Plots values of a run in progress, by the protocol of docs/design/monitor-protocol.md.

    plot_run.py                                    the run at http://127.0.0.1:8080/: its loss
    plot_run.py http://127.0.0.1:8080/ loss accuracy
    plot_run.py http://127.0.0.1:8081/ --run 20261120-101500-digits     a run of a folder that sigma-runs serves

Draws with matplotlib. Without matplotlib, or with --text, prints a table. If the server requires a token, set the
environment variable SIGMA_TOKEN to it."""
import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """The error message of the server."""


class Server:
    def __init__(self, address):
        self.address = address.rstrip("/")
        self.headers = {"Authorization": "Bearer " + os.environ["SIGMA_TOKEN"]} if "SIGMA_TOKEN" in os.environ else {}

    # [ask]
    def ask(self, path, **values):
        values = {name: value for name, value in values.items() if value is not None}
        address = self.address + path + ("?" + urllib.parse.urlencode(values) if values else "")
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=self.headers), timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(json.load(error)["error"]) from None
    # [ask]


class Watched:
    """The values of a run in progress, or of a named run in a folder."""

    def __init__(self, server, run, trainer):
        self.server, self.run, self.trainer = server, run, trainer

    def names(self):
        if self.run is None:
            return [series["name"] for series in self.server.ask("/api/series", trainer=self.trainer)]
        for run in self.server.ask("/api/runs")["runs"]:
            if run["id"] == self.run:
                return [series["name"] for trainer in run["trainers"] for series in trainer["series"]]
        raise Refused(f"the folder has no run '{self.run}'")

    def history(self, name, points):
        if self.run is None:
            return self.server.ask("/api/history", trainer=self.trainer, name=name, points=points)
        while True:  # a long run is read in parts
            found = self.server.ask("/api/runs/history", run=self.run, trainer=self.trainer, name=name, points=points)
            if found["read"] >= 1:
                return found
            time.sleep(0.1)


def spark(values):
    """Returns numbers as a line of blocks, with a gap for None."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    blocks = "▁▂▃▄▅▆▇█"
    place = lambda value: round((value - low) / (high - low) * (len(blocks) - 1)) if high > low else 0
    return "".join(" " if value is None else blocks[place(value)] for value in values)


def table(histories):
    rows = [("series", "iteration", "time", "last", "least", "greatest", "")]
    for name, found in histories.items():
        if not found["x"]:
            rows.append((name, "-", "-", "-", "-", "-", "no points yet"))
            continue
        number = lambda x: "-" if x is None else x if isinstance(x, str) else f"{x:.5g}"  # "nan", "inf", "-inf"
        seconds = found["seconds"][-1]
        last = found["last"]  # the last y may be the mean of many values
        lows = [y for y in found.get("low", found["y"]) if y is not None]
        highs = [y for y in found.get("high", found["y"]) if y is not None]
        rows.append((name, f"{found['x'][-1]:.0f}", "-" if seconds is None else f"{seconds:.1f} s", number(last),
                     number(min(lows, default=None)), number(max(highs, default=None)), spark(found["y"])))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    return "\n".join("  ".join([row[0].ljust(widths[0])] + [row[i].rjust(widths[i]) for i in range(1, 6)] + [row[6]]).rstrip()
                     for row in rows)


def print_run(watched, chosen, arguments):
    while True:
        print(table({name: watched.history(name, 40) for name in chosen()}), flush=True)
        if arguments.once:
            return
        time.sleep(arguments.every)
        print()


def draw_run(pyplot, watched, chosen, arguments):
    figure, axes = pyplot.subplots()
    figure.canvas.manager.set_window_title(watched.run or watched.server.address)
    while pyplot.fignum_exists(figure.number):
        axes.clear()
        axes.set_xlabel(arguments.x)
        for name in chosen():
            found = watched.history(name, 1000)
            x = found["seconds"] if arguments.x == "seconds" else found["x"]
            y = [float("nan") if value is None else value for value in found["y"]]
            line, = axes.plot(x, y, label=name)
            if "low" in found:
                bounds = [[float("nan") if value is None else value for value in found[side]] for side in ("low", "high")]
                axes.fill_between(x, *bounds, color=line.get_color(), alpha=0.2, linewidth=0)
        if axes.lines:
            axes.legend()
        if arguments.once:
            pyplot.show()
            return
        pyplot.pause(arguments.every)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", default="http://127.0.0.1:8080/")
    parser.add_argument("series", nargs="*", help="values to plot (default: loss; '*': all)")
    parser.add_argument("--trainer", help="name of the trainer (default: the first)")
    parser.add_argument("--run", help="name of a run in a folder of runs")
    parser.add_argument("--x", choices=["iteration", "seconds"], default="iteration")
    parser.add_argument("--every", type=float, default=2, help="seconds between two requests (default: 2)")
    parser.add_argument("--once", action="store_true", help="request the values once, then exit")
    parser.add_argument("--text", action="store_true", help="print a table even if matplotlib is installed")
    arguments = parser.parse_args()
    watched = Watched(Server(arguments.address), arguments.run, arguments.trainer)
    chosen = lambda: watched.names() if "*" in arguments.series else arguments.series or ["loss"]
    pyplot = None
    if not arguments.text:
        try:
            from matplotlib import pyplot
        except ImportError:
            print("matplotlib is not installed: printing a table", file=sys.stderr)
    try:
        if pyplot:
            draw_run(pyplot, watched, chosen, arguments)
        else:
            print_run(watched, chosen, arguments)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        print(f"{watched.server.address}: cannot read from the monitor: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
