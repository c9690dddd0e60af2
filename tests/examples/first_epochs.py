#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""first_epochs.py COMMAND...: runs an example until it has printed the loss twice, for example under a slow emulator.

Fails if the example ends before, if a loss is not a number, or if the loss does not fall."""
import re
import subprocess
import sys

LOSS = re.compile(r"^epoch +\d+ +loss +(\S+)$")


def losses(lines, count=2):
    found = []
    for line in lines:
        if told := LOSS.match(line.strip()):
            found.append(float(told[1]))
            if len(found) == count:
                break
    return found


def problem(found):
    if len(found) < 2:
        return f"expected 2 losses, found {len(found)}"
    if not found[1] < found[0]:  # false for NaN, too
        return f"the loss does not fall: {found[0]}, then {found[1]}"
    return None


def prove():
    told = ["text", "epoch 10  loss 0.5000", "epoch 20  loss 0.2500", "epoch 30  loss 9"]
    assert losses(told) == [0.5, 0.25] and problem(losses(told)) is None
    for wrong in (told[:2], told[2:], ["epoch 1 loss 0.5", "epoch 2 loss nan"], []):
        assert problem(losses(wrong))


if __name__ == "__main__":
    prove()
    program = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
    found = losses(program.stdout)
    program.kill()
    print(problem(found) or f"loss {found[0]}, then {found[1]}")
    sys.exit(problem(found) is not None)
