#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests scripts/gpu-kit/first-hour.sh.

Without a device, each step is reported as skipped. With a device (a fake nvidia-smi), a step that fails or takes too long
does not stop the following steps. The table grows with each call."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

script = pathlib.Path(sys.argv[1]) / "scripts/gpu-kit/first-hour.sh"
failures = 0


def check(what, holds, seen):
    global failures
    if not holds:
        failures += 1
        print(f"FAILED: {what}\n  found {seen}")


def tool(folder, name, text):
    path = folder / name
    path.write_text("#!/usr/bin/env bash\n" + text + "\n")
    path.chmod(0o755)


def run(folder, *steps, text=None):
    """Returns the finished process and the table that it wrote."""
    kit, out = folder / "kit", folder / "out"
    for each in (kit, out):
        each.mkdir(exist_ok=True)
    (kit / "first-hour.sh").write_text(text or script.read_text())
    environment = dict(os.environ, OUT=str(out), FIRST_HOUR_WORK=str(folder / "work"), CUDA_HOME=str(folder / "none"),
                       PATH=f"{folder}:{os.environ['PATH']}")
    done = subprocess.run(["bash", str(kit / "first-hour.sh"), *steps], env=environment, capture_output=True, text=True)
    table = out / "table.tsv"
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]] if table.exists() else []
    return done, rows


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    tool(folder, "nvidia-smi", "exit 9")
    done, rows = run(folder)
    listed = subprocess.run(["bash", str(script), "list"], capture_output=True, text=True, env=dict(os.environ, FIRST_HOUR_WORK=name, OUT=name)).stdout.splitlines()
    check("a line for each step", [row[0] for row in rows] == [" ".join(line.split()[:2]) for line in listed] and len(rows) > 15, rows)
    check("all are skipped without a device", all(row[1] == "skipped" and row[3] == "no device" for row in rows), rows)
    check("a skipped step is not a failure", done.returncode == 0, done)
    check("no call may take more than ten minutes for one step", all(int(line.split()[2]) <= 570 for line in listed), listed)
    check("few files are left", sorted(p.name for p in (folder / "out").iterdir()) == ["log.txt.gz", "results.tar.gz", "table.tsv"], "others")

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    tool(folder, "nvidia-smi", "echo a device, 1 MiB")
    (folder / "kit").mkdir()
    tool(folder / "kit", "run.sh", '[[ $1 = tests ]] && echo "All tests passed (3 assertions)" >$OUT/tests.txt\n'
                                   "[[ $1 = tests ]] && exit 3\nsleep 2")
    text = re.sub(r"^3 mlp100 150$", "3 mlp100 1", script.read_text(), flags=re.M)
    done, rows = run(folder, "live", "3", text=text)
    told = {row[0]: row[1] for row in rows}
    check("a failing step is reported", told.get("1 live") == "FAILED (3)", rows)
    check("a long one is stopped", told.get("3 mlp100") == "stopped at 1 s", rows)
    check("others follow", "3 wide" in told, rows)
    check("figures are found", "All tests passed (3 assertions)" in [row for row in rows if row[0] == "1 live"][0][3], rows)
    check("the exit status is that of a failure", done.returncode == 1, done)
    done, more = run(folder, "device")
    check("the table grows", more[:-1] == rows and more[-1][0] == "1 device", more)
    done, same = run(folder, "nosuch")
    check("an unknown step is an error", done.returncode == 2 and "nosuch" in done.stderr and same == more, done)

print("first-hour.sh: " + (f"{failures} failures" if failures else "no failures"))
sys.exit(1 if failures else 0)
