#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""machines.py MPIRUN PROGRAM [PART]: starts PROGRAM with mpirun on 1 to 4 ranks.

bits      results are bit-identical for any number of ranks, also after a resume with another number of ranks
workers   four workers on any number of ranks are bit-identical to four on threads
search    a grid on any number of ranks equals that of one process, and can be resumed
failures  a failure on one rank ends all ranks within seconds, and each rank prints where and why
silent    a rank that the others wait for is named"""
import os
import re
import subprocess
import sys
import tempfile
import time

MPIRUN, PROGRAM = sys.argv[1:3]
PART = sys.argv[3] if len(sys.argv) > 3 else "all"
SECONDS = 20  # seconds within which every failure must end
# Options of Open MPI that allow root, and more ranks than cores.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "SIGMA_OFFLINE": "1"}
problems = []


def start(ranks, *words, **more):
    begun = time.monotonic()
    try:
        done = subprocess.run([MPIRUN, "-n", str(ranks), PROGRAM, *map(str, words)], env={**ENVIRONMENT, **more}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180)
    except subprocess.TimeoutExpired as hung:
        problems.append(f"{ranks} ranks, {words}: hang: {(hung.stdout or b'')[-400:]}")
        return 0, "", 1e9
    return done.returncode, done.stdout, time.monotonic() - begun


def lines_of(ranks, *words, **more):
    """Returns the output of each rank."""
    code, text, _ = start(ranks, *words, **more)
    said = {}
    for rank, line in re.findall(r"^rank (\d+): (.*)$", text, re.MULTILINE):
        said.setdefault(int(rank), []).append(line)
    if code != 0 or sorted(said) != list(range(ranks)):
        problems.append(f"{ranks} ranks, {words}: exit {code}: {text[-1500:]}")
    return said, text


def bits():
    wanted = lines_of(1, "bits")[0].get(0)
    for ranks in (2, 3, 4):
        for rank, lines in lines_of(ranks, "bits")[0].items():
            if lines != wanted:
                problems.append(f"rank {rank} of {ranks}: expected {wanted}, found {lines}")
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (1, 4, 2):
            file = os.path.join(folder, f"{ranks}.sigma")
            whole = lines_of(ranks, "save", SIGMA_TEST_FILE=file)[0].get(0)
            for again in (3, 2, 1):
                for lines in lines_of(again, "resume", SIGMA_TEST_FILE=file)[0].values():
                    if lines != whole:
                        problems.append(f"written by {ranks}, resumed by {again}: expected {whole}, found {lines}")
    loaded = {}
    for ranks in (1, 2, 4):
        said, text = lines_of(ranks, "blocks")
        loaded[ranks] = [int(n) for n in re.findall(r"loaded (\d+) blocks", text)]
        if len({tuple(lines) for lines in said.values()}) != 1:
            problems.append(f"blocks by {ranks} ranks: {said}")
    print("blocks loaded by each of 1, 2 and 4 ranks:", loaded)
    if loaded != {1: [60], 2: [30, 30], 4: [15, 15, 15, 15]}:
        problems.append(f"ranks load others' blocks: {loaded}")


def workers():
    wanted, text = lines_of(1, "threads")
    said = re.findall(r"^said .*$", text, re.MULTILINE)
    if len(said) != 18:
        problems.append(f"workers on threads say {said}")
    for ranks in (1, 2, 3, 4):
        found, text = lines_of(ranks, "workers")
        for rank, lines in found.items():
            if lines != wanted[0]:
                problems.append(f"workers, rank {rank} of {ranks}: expected {wanted}, found {lines}")
        if re.findall(r"^said .*$", text, re.MULTILINE) != said:
            problems.append(f"workers on {ranks} ranks: expected {said}, found {text}")
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (1, 3):
            file = os.path.join(folder, f"{ranks}.sigma")
            whole = lines_of(ranks, "workers-save", SIGMA_TEST_FILE=file)[0].get(0)
            for again in (4, 2, 1):
                for lines in lines_of(again, "workers-resume", SIGMA_TEST_FILE=file)[0].values():
                    if lines != whole:
                        problems.append(f"workers, written by {ranks}, resumed by {again}: expected {whole}, found {lines}")


def search():
    wanted = None
    for ranks in (1, 2, 3, 4):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "grid")
            for again in range(2):
                said, text = lines_of(ranks, "grid", SIGMA_TEST_FILE=file)
                wanted = wanted or said.get(0)
                calls = sum(map(int, re.findall(r"^calls (\d+)$", text, re.MULTILINE)))
                if any(lines != wanted for lines in said.values()) or calls != (ranks + 4 if again else 24):  # four fail and are run again
                    problems.append(f"grid by {ranks} ranks, {calls} calls: expected {wanted}, found {said}")
            if not os.path.exists(file + ".best") or os.path.exists(file + ".best.1"):
                problems.append(f"grid by {ranks} ranks: {sorted(os.listdir(folder))}")


def failures():
    for words, everybody in (
            (("throw", 3), "generated.*expected a block"), (("hook", 0), "hook of the test: expected a good number, found 13"),
            (("disk", 0), "file '/dev/full"), (("records", 2), "rank 2 is not like rank 0: expected records '500', found '499'"),
            (("values", 1), "rank 1 is not like rank 0: expected values of records"),
            (("program", 1), r"rank 1 is not like rank 0: expected network and losses '.*64.*', found '.*65.*'"),
            (("seed", 2), r"rank 2 is not like rank 0: expected seed of the trainer '0', found '77'"),
            (("rate", 3), r"rank 3 is not like rank 0: expected learning_rate of the optimizer '0.1', found '0.2'"),
            (("order", 1), r"rank 1 is not like rank 0: expected seed of minibatches '5', found '6'"),
            (("unshuffled", 1), r"rank 1 is not like rank 0: expected shuffled minibatches 'yes', found 'no'"),
            (("epochs", 2), r"rank 2 is not like rank 0: expected number of epochs '3', found '4'"),
            (("later", 2), None),
            (("worker-throws", 2), "iteration 7: hook of the test: expected a good number"), (("nan", 0), "iteration 3, layer '2-dense': the loss became NaN"), (("absent", 3), None), (("kill", 1), None),
            (("kill", 0), None)):
        code, text, seconds = start(4, *words)
        print(f"{' '.join(map(str, words))}: {seconds:.1f} s")
        if code == 0 or seconds > SECONDS:
            problems.append(f"{words}: exit {code} after {seconds:.1f} s: {text[-800:]}")
        if everybody:
            for rank in range(4):
                said = re.search(rf"^rank {rank}: error: (.*)$", text, re.MULTILINE)
                if not said or not re.search(everybody, said[1]):
                    problems.append(f"{words}: rank {rank} says {said and said[1]!r}: {text[-800:]}")
                elif words[0] in ("throw", "hook", "worker-throws") and rank != words[1] and not said[1].startswith(f"rank {words[1]}: "):
                    problems.append(f"{words}: rank {rank} does not name the rank: {said[1]!r}")
        if words[0] == "later" and "machines: no call of machines() by rank 2 of 4 processes within 3 seconds" not in text:
            problems.append(f"{words}: {text[-800:]}")
        if words[0] == "absent" and "no run by rank 3 of 4 processes within 3 seconds" not in text:
            problems.append(f"{words}: {text[-800:]}")


def silent():
    """Tests that rank 0 names once a rank that is late, before and after machines(), or busy while all others wait."""
    for words, who in ((("late", 3), 3), (("slow", 1), 1), (("busy", 2), 2)):
        code, text, _ = start(4, *words)
        if code != 0 or re.findall(r"^machines: .*$", text, re.MULTILINE) != [f"machines: rank {who} has been silent for 10 seconds"]:
            problems.append(f"{words}: exit {code}: {text[-800:]}")


def network():
    """Tests TCP with late and lost messages, in a network namespace, if the system permits one."""
    up = "ip link set lo up"
    late = "tc qdisc add dev lo root netem delay 2ms loss 1%"
    for setup, what in ((f"{up} && {late}", "late and lossy"), (up, "in time")):
        if subprocess.run(["unshare", "-n", "sh", "-c", setup], capture_output=True).returncode == 0:
            break
        print(f"no network namespace with messages {what} (unshare -n: {setup})")
    else:
        return
    wanted = lines_of(1, "bits")[0].get(0)
    command = f"{setup} && exec {MPIRUN} -n 2 --mca btl tcp,self --mca btl_tcp_if_include lo {PROGRAM} bits"
    done = subprocess.run(["unshare", "-n", "sh", "-c", command], env=ENVIRONMENT, text=True, capture_output=True, timeout=180)
    for rank in range(2):
        found = re.findall(rf"^rank {rank}: (.*)$", done.stdout, re.MULTILINE)
        if found != wanted:
            problems.append(f"by TCP, {what}: rank {rank} found {found}, expected {wanted}: {done.stderr[-400:]}")
    print(f"by TCP, messages {what}")


if PART in ("bits", "all"):
    bits()
    network()
if PART in ("workers", "all"):
    workers()
if PART in ("search", "all"):
    search()
if PART in ("silent", "all"):
    silent()
if PART in ("failures", "all"):
    failures()
print("\n".join(problems) or "as expected")
sys.exit(bool(problems))
