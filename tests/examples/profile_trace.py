# SPDX-License-Identifier: BSL-1.0
"""Tests traces in the Trace Event Format, and SIGMA_PROFILE: its table on standard error, and its errors.

    profile_trace.py PROFILE PROGRAM     PROFILE is examples/47-profile, PROGRAM any program that trains"""
import json
import os
import subprocess
import sys
import tempfile

example, other = map(os.path.abspath, sys.argv[1:])


def run(program, folder, file):
    environment = {**os.environ, "SIGMA_PROFILE": file, "SIGMA_OFFLINE": "1"}
    return subprocess.run([program], cwd=folder, env=environment, capture_output=True, text=True, timeout=200)


def check(condition, what):
    if not condition:
        raise SystemExit(f"profile_trace.py: {what}")


def events_of(path):
    """Returns the complete events of a trace, each with all fields that Perfetto reads."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    check(trace["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit")
    threads = {e["tid"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    complete = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    for e in complete:
        for field in ("name", "cat", "ts", "dur", "pid", "tid", "args"):
            check(field in e, f"no field {field} in {e}")
        check(e["ts"] >= 0 and e["dur"] >= 0 and e["tid"] in threads, f"times and thread of {e}")
    check(all(e["ph"] in "XM" for e in trace["traceEvents"]), "kinds of events")
    return complete


with tempfile.TemporaryDirectory() as folder:
    done = run(example, folder, "")
    check(done.returncode == 0 and done.stderr == "", f"exit status {done.returncode}: {done.stderr}")
    check("slowest kernel:" in done.stdout and "training step on cpu" in done.stdout, "the tables")
    events = events_of(os.path.join(folder, "profile_trace.json"))
    check({"forward", "backward", "update", "loop"} <= {e["cat"] for e in events}, "parts of the step in the trace")
    layers = {e["args"]["layer"] for e in events if "layer" in e["args"]}
    check({"1-conv2d", "2-max_pool", "3-dense", "5-dense", "6-softmax_ce"} <= layers, f"layers {layers}")
    # Kernels lie within the steps of the loop.
    steps = [(e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] == "step"]
    kernels = [e for e in events if e["cat"] in ("forward", "backward", "update")]
    within = sum(any(a - 1 <= k["ts"] and k["ts"] + k["dur"] <= b + 1 for a, b in steps) for k in kernels)
    check(within >= 0.9 * len(kernels), f"{within} of {len(kernels)} kernels lie within a step")

    done = run(other, folder, "whole.json")
    check(done.returncode == 0, f"exit status {done.returncode}: {done.stderr}")
    check("training step on cpu" in done.stderr and "peak of one core" in done.stderr, f"the table: {done.stderr}")
    events = events_of(os.path.join(folder, "whole.json"))
    check({"forward", "backward", "update", "loop"} <= {e["cat"] for e in events}, "parts of any program in its trace")

    failed = run(other, folder, os.path.join(folder, "missing", "trace.json"))
    check(failed.returncode != 0 and "SIGMA_PROFILE" in failed.stderr, f"a wrong path: {failed.stderr}")
