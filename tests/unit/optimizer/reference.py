#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints the table of optimizer_test.cpp: ten steps of each optimizer on one linear layer, by textbook formulas.

    /usr/bin/python3 tests/unit/optimizer/reference.py > tests/unit/optimizer/reference.inc
"""
import numpy as np

STEPS = 10
x = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [-0.5, 1.0, 1.25], [2.0, -0.125, 0.375]])
y = np.array([[1.0, -2.0], [0.5, 0.25], [-1.5, 1.0], [0.75, -0.5]])
weights = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]])
biases = np.array([0.05, -0.15])


def gradient_descent(rate, s, g, t):
    return -rate * g


def momentum(rate, s, g, t):
    s["v"] = 0.9 * s["v"] - rate * g
    return s["v"]


def nesterov(rate, s, g, t):
    s["v"] = 0.9 * s["v"] - rate * g
    return 0.9 * s["v"] - rate * g


def adagrad(rate, s, g, t):
    s["v"] = s["v"] + g**2
    return -rate * g / (np.sqrt(s["v"]) + 1e-10)


def adadelta(rate, s, g, t):
    s["v"] = 0.9 * s["v"] + 0.1 * g**2
    delta = np.sqrt(s["m"] + 1e-6) / np.sqrt(s["v"] + 1e-6) * g
    s["m"] = 0.9 * s["m"] + 0.1 * delta**2
    return -rate * delta


def rmsprop(rate, s, g, t):
    s["v"] = 0.9 * s["v"] + 0.1 * g**2
    return -rate * g / (np.sqrt(s["v"]) + 1e-8)


def adam(rate, s, g, t):
    s["m"] = 0.9 * s["m"] + 0.1 * g
    s["v"] = 0.999 * s["v"] + 0.001 * g**2
    return -rate * (s["m"] / (1 - 0.9**t)) / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)


def adamw(rate, s, g, t):
    return adam(rate, s, g, t) - rate * 0.05 * s["w"]


def nadam(rate, s, g, t):
    mu = [0.9 * (1 - 0.5 * 0.96 ** (0.004 * i)) for i in range(1, t + 2)]
    s["m"] = 0.9 * s["m"] + 0.1 * g
    s["v"] = 0.999 * s["v"] + 0.001 * g**2
    m = mu[t] * s["m"] / (1 - np.prod(mu)) + (1 - mu[t - 1]) * g / (1 - np.prod(mu[:t]))
    return -rate * m / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)


def radam(rate, s, g, t):
    s["m"] = 0.9 * s["m"] + 0.1 * g
    s["v"] = 0.999 * s["v"] + 0.001 * g**2
    m = s["m"] / (1 - 0.9**t)
    longest = 2 / (1 - 0.999) - 1
    length = longest - 2 * t * 0.999**t / (1 - 0.999**t)
    if length <= 5:
        return -rate * m
    r = np.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
    return -rate * m * r * np.sqrt(1 - 0.999**t) / (np.sqrt(s["v"]) + 1e-8)


def lion(rate, s, g, t):
    step = -rate * (np.sign(0.9 * s["m"] + 0.1 * g) + 0.05 * s["w"])
    s["m"] = 0.99 * s["m"] + 0.01 * g
    return step


RULES = [(gradient_descent, 0.05), (momentum, 0.02), (nesterov, 0.02), (adagrad, 0.1), (adadelta, 1.0), (adam, 0.1),
         (adamw, 0.1), (rmsprop, 0.02), (nadam, 0.1), (radam, 0.1), (lion, 0.05)]

print("// SPDX-License-Identifier: BSL-1.0")
print("// Printed by reference.py: loss before the step, then weights (3, 2) and biases (2) after it.")
for rule, base in RULES:
    p = [weights.copy(), biases.copy()]
    states = [{"m": np.zeros_like(q), "v": np.zeros_like(q)} for q in p]
    print(f"constexpr double {rule.__name__}[{STEPS}][9] = {{")
    for t in range(1, STEPS + 1):
        rate = base * (1 - 0.05 * (t - 1))  # a different one in each step
        difference = x @ p[0] + p[1] - y
        loss = (difference**2).sum() / len(x)
        dz = 2 * difference / len(x)
        for q, s, g in zip(p, states, [x.T @ dz, dz.sum(axis=0)]):
            s["w"] = q.copy()
            q += rule(rate, s, g, t)
        numbers = [f"{v:.17g}" for v in [loss, *p[0].ravel(), *p[1]]]
        print("    {" + ", ".join(numbers[:4]) + ",\n     " + ", ".join(numbers[4:]) + "},")
    print("};")
