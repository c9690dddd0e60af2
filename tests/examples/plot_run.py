# SPDX-License-Identifier: BSL-1.0
"""Tests examples/31-monitor/plot_run.py with a run in progress and with a finished run, without matplotlib.

    plot_run.py SCRIPT PROGRAM RUNS     PROGRAM is tests/browser/served.cpp, RUNS sigma-runs"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

script, program, runs_program = sys.argv[1:]


def start(*words):
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    line = child.stdout.readline()
    found = re.search(r"http://\S+/", line)
    assert found, f"expected an address, found {line!r}"
    return child, found[0]


def end(child, by=signal.SIGTERM):
    child.send_signal(by)
    return child.wait(20)


with tempfile.TemporaryDirectory() as folder:
    # A matplotlib that cannot be imported, before an installed one.
    os.mkdir(f"{folder}/without")
    with open(f"{folder}/without/matplotlib.py", "w") as file:
        file.write("raise ImportError('not here')\n")
    environment = {**os.environ, "PYTHONPATH": f"{folder}/without", "PYTHONIOENCODING": "utf-8"}

    def plot(*words):
        done = subprocess.run([sys.executable, script, *words, "--once"], capture_output=True, text=True, env=environment, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def row(text, name):
        found = re.search(rf"^{re.escape(name)} +(\d+) +([\d.]+) s +(\S+) +(\S+) +(\S+) +([▁▂▃▄▅▆▇█ ]+)$", text, re.M)
        assert found, f"expected a row of {name}, found {text!r}"
        return found

    # A value that is not finite is a text in JSON.
    printed = subprocess.run([sys.executable, "-c", "import runpy, sys; print(runpy.run_path(sys.argv[1])['table'](" +
                              "{'loss': {'x': [1, 2], 'seconds': [None, 2], 'y': [0.5, None], 'last': 'nan'}}))", script],
                             capture_output=True, text=True, env=environment, timeout=60)
    assert printed.returncode == 0 and re.search(r"^loss +2 +2.0 s +nan +0.5 +0.5 ", printed.stdout, re.M), printed

    child, address = start(program, "0", f"{folder}/runs")
    try:
        for attempt in range(100):  # the first points arrive after the run has begun
            code, text, errors = plot(address)
            if code == 0 and re.search(r"^loss +\d", text, re.M):
                break
            time.sleep(0.1)
        assert code == 0, errors
        assert "matplotlib is not installed" in errors, errors
        first = int(row(text, "loss")[1])
        time.sleep(1)
        code, text, errors = plot(address, "loss", "optimizer.learning_rate")
        assert code == 0, errors
        loss = row(text, "loss")
        assert int(loss[1]) > first and float(loss[4]) <= float(loss[3]) <= float(loss[5]), text
        assert row(text, "optimizer.learning_rate")[3] == "0.001", text
        code, text, errors = plot(address, "*")
        assert code == 0 and len(text.splitlines()) > 3, (text, errors)
        code, _, errors = plot(address, "nothing")
        assert code == 1 and "series 'nothing'" in errors and "Traceback" not in errors, errors
    finally:
        end(child, signal.SIGKILL)
    code, _, errors = plot(address)
    assert code == 1 and "cannot read from the monitor" in errors and "Traceback" not in errors, errors

    kept, = os.listdir(f"{folder}/runs")
    child, address = start(runs_program, f"{folder}/runs", "--port", "0")
    try:
        code, text, errors = plot(address, "loss", "--run", kept)
        assert code == 0, errors
        assert int(row(text, "loss")[1]) >= first, text
        code, _, errors = plot(address, "--run", "../" + kept)
        assert code == 1 and "no such run in the folder" in errors, errors
    finally:
        code = end(child)
    assert code == 0, code

# sigma-runs exits with 2 and prints one line if it cannot start.
for words, wanted in ((["/nowhere"], "'/nowhere' is not a folder"), ([], "a folder of runs is required"), (["/", "/"], "one folder"),
                      (["/", "--port", "70000"], "from 0 to 65535"), (["/", "--port"], "requires a value"), (["--what"], "'--what'"),
                      (["/tmp", "--address", "x", "--port", "0"], "an IPv4 or IPv6 address")):
    done = subprocess.run([runs_program, *words], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and wanted in done.stderr and len(done.stderr.splitlines()) == 1 and not done.stdout, (words, done)
done = subprocess.run([runs_program, "--help"], capture_output=True, text=True, timeout=20)
assert done.returncode == 0 and done.stdout.startswith("sigma-runs FOLDER"), done
