#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the program for GradBench with plain formulas and their difference quotients, over the protocol.

    gradbench_test.py PROGRAM
"""
import json
import math
import random
import subprocess
import sys


def difference(found, wanted):
    """Returns the greatest difference of two nested results, relative to numbers greater than 1."""
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), (set(found), set(wanted))
        return max(difference(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        assert len(found) == len(wanted), (len(found), len(wanted))
        return max((difference(f, w) for f, w in zip(found, wanted)), default=0)
    return abs(found - wanted) / max(1, abs(wanted))


def slopes(function, x, step=1e-4):
    """Returns difference quotients of four points of a function of a list. Its result is a number or a list."""
    columns = []
    for i in range(len(x)):
        def at(steps):
            found = function(x[:i] + [x[i] + steps * step] + x[i + 1:])
            return found if isinstance(found, list) else [found]

        quotients = [(8 * (b - c) - (a - d)) / (12 * step) for a, b, c, d in zip(at(2), at(1), at(-1), at(-2))]
        columns.append(quotients if isinstance(function(x), list) else quotients[0])
    return columns


def rows(flat, width):
    return [flat[i:i + width] for i in range(0, len(flat), width)]


def log_sum_exp(x):
    most = max(x)
    return most + math.log(sum(math.exp(v - most) for v in x))


def polynomial_error(x, n):
    total = 0
    for i in range(n):
        t = -1 + 2 * i / (n - 1)
        total += ((t > 0) - (t < 0) - sum(c * t**j for j, c in enumerate(x)))**2
    return total / 2


def mixture(v):
    d, k, n, m, gamma = v["d"], v["k"], v["n"], v["m"], v["gamma"]
    total = -n * d / 2 * math.log(2 * math.pi) - n * log_sum_exp(v["alpha"])
    matrices = []
    for c in range(k):
        lower = [[0.0] * d for _ in range(d)]
        numbers = iter(v["l"][c])
        for column in range(d):
            lower[column][column] = math.exp(v["q"][c][column])
            for row in range(column + 1, d):
                lower[row][column] = next(numbers)
        matrices.append(lower)
    for x in v["x"]:
        terms = []
        for c in range(k):
            centred = [a - b for a, b in zip(x, v["mu"][c])]
            moved = [sum(p * q for p, q in zip(row, centred)) for row in matrices[c]]
            terms.append(v["alpha"][c] + sum(v["q"][c]) - sum(p * p for p in moved) / 2)
        total += log_sum_exp(terms)
    halves = (d + m + 1) / 2
    log_gamma = d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma(halves + (1 - j) / 2) for j in range(1, d + 1))
    constant = 2 * halves * d * (math.log(gamma) - math.log(2) / 2) - log_gamma
    for c in range(k):
        squares = sum(math.exp(2 * q) for q in v["q"][c]) + sum(e * e for e in v["l"][c])
        total += constant - gamma**2 / 2 * squares + m * sum(v["q"][c])
    return total


def determinant(a):
    if len(a) == 1:
        return a[0][0]
    return sum((-1)**j * a[0][j] * determinant([row[:j] + row[j + 1:] for row in a[1:]]) for j in range(len(a)))


def nearest(points, centres):
    return sum(min(sum((p - c)**2 for p, c in zip(point, centre)) for centre in centres) for point in points)


def newton_step(points, centres):
    size, total = [0] * len(centres), [[0.0] * len(centres[0]) for _ in centres]
    for point in points:
        j = min(range(len(centres)), key=lambda c: sum((p - q)**2 for p, q in zip(point, centres[c])))
        size[j] += 1
        total[j] = [a + b for a, b in zip(total[j], point)]
    return [[c - t / n for c, t in zip(centre, sums)] for centre, sums, n in zip(centres, total, size)]


def solution(x, steps):
    h, y = 2 / steps, [0.0] * len(x)

    def slope(y):
        return [x[0]] + [x[i] * y[i - 1] for i in range(1, len(x))]

    def moved(k, share):
        return [a + share * h * b for a, b in zip(y, k)]

    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(moved(k1, 0.5))
        k3 = slope(moved(k2, 0.5))
        k4 = slope(moved(k3, 1))
        y = [v + h * (a + 2 * b + 2 * c + d) / 6 for v, a, b, c, d in zip(y, k1, k2, k3, k4)]
    return y


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def projection_error(values, feature):
    """The error for a camera, a point and a weight in one list."""
    camera, x, weight = values[:11], values[11:14], values[14]
    moved = [a - b for a, b in zip(x, camera[3:6])]
    angle = math.sqrt(sum(r * r for r in camera[:3]))
    if angle > 0:
        w = [r / angle for r in camera[:3]]
        rest = sum(a * b for a, b in zip(w, moved)) * (1 - math.cos(angle))
        turned = [math.cos(angle) * m + math.sin(angle) * c + a * rest for m, c, a in zip(moved, cross(w, moved), w)]
    else:
        turned = [m + c for m, c in zip(moved, cross(camera[:3], moved))]
    flat = [turned[0] / turned[2], turned[1] / turned[2]]
    squares = flat[0]**2 + flat[1]**2
    scale = 1 + camera[9] * squares + camera[10] * squares**2
    return [weight * (flat[i] * scale * camera[6] + camera[7 + i] - feature[i]) for i in range(2)]


def matrix_product(a, b):
    return [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]


def about(axis, angle):
    """The rotation (4, 4) by an angle around an axis."""
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    turned = [[float(r == c) for c in range(4)] for r in range(4)]
    turned[i][i] = turned[j][j] = math.cos(angle)
    turned[j][i] = math.sin(angle)
    turned[i][j] = -turned[j][i]
    return turned


def hand_error(theta, us, data):
    model, angles = data["model"], iter(theta[6:])
    turns = [[0.0, 0.0, 0.0] for _ in model["parents"]]
    for finger in range(5):
        for joint in range(3):
            turns[2 + 4 * finger + joint][0] = next(angles)
            if joint == 0:
                turns[2 + 4 * finger][1] = next(angles)
    absolute = []
    for (x, z, y), parent, base in zip(turns, model["parents"], model["base_relatives"]):
        own = matrix_product(base, matrix_product(matrix_product(about(2, z), about(1, y)), about(0, x)))
        absolute.append(own if parent < 0 else matrix_product(absolute[parent], own))
    transforms = [matrix_product(a, b) for a, b in zip(absolute, model["inverse_base_absolutes"])]
    angle = math.sqrt(sum(t * t for t in theta[:3]))
    rotation = [[float(r == c) for c in range(3)] for r in range(3)]
    if angle >= 1e-4:
        w = [t / angle for t in theta[:3]]
        crossed = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
        rotation = [[w[r] * w[c] + ((r == c) - w[r] * w[c]) * math.cos(angle) + crossed[r][c] * math.sin(angle)
                     for c in range(3)] for r in range(3)]
    vertices = []
    for position, weights in zip(model["base_positions"], model["weights"]):
        found = [sum(w * sum(a * p for a, p in zip(t[r], position)) for w, t in zip(weights, transforms))
                 for r in range(3)]
        if model["is_mirrored"]:
            found[0] = -found[0]
        vertices.append([sum(a * b for a, b in zip(row, found)) + t for row, t in zip(rotation, theta[3:6])])
    errors = []
    for i, (point, number) in enumerate(zip(data["points"], data["correspondences"])):
        if us:
            a, b, c = (vertices[v] for v in model["triangles"][number])
            u, v = us[i]
            seen = [u * p + v * q + (1 - u - v) * r for p, q, r in zip(a, b, c)]
        else:
            seen = vertices[number]
        errors += [p - q for p, q in zip(point, seen)]
    return errors


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def sequence_error(main, extra, state, sequence):
    b, state, total = len(extra[0]), [list(s) for s in state], 0
    for now, following in zip(sequence, sequence[1:]):
        values = [x * w for x, w in zip(now, extra[0])]
        for layer in range(len(main) // 2):
            weights, biases = (rows(main[2 * layer + i], b) for i in range(2))
            hidden, cell = state[2 * layer], state[2 * layer + 1]
            for i in range(b):
                forget = sigmoid(values[i] * weights[0][i] + biases[0][i])
                take = sigmoid(hidden[i] * weights[1][i] + biases[1][i])
                give = sigmoid(values[i] * weights[2][i] + biases[2][i])
                change = math.tanh(hidden[i] * weights[3][i] + biases[3][i])
                cell[i] = cell[i] * forget + take * change
                hidden[i] = give * math.tanh(cell[i])
            values = hidden
        scores = [h * w + c for h, w, c in zip(values, extra[1], extra[2])]
        whole = math.log(sum(math.exp(s) for s in scores) + 2)
        total += sum(f * (s - whole) for f, s in zip(following, scores))
    return -total / (b * (len(sequence) - 1))


class Tool:
    """The program, to which it writes messages."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.sent = self.compared = 0
        self.failed = []

    def send(self, **message):
        self.process.stdin.write(json.dumps({"id": self.sent} | message) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.sent, answer
        self.sent += 1
        return answer

    def compare(self, module, function, given, wanted, tolerance=1e-12):
        answer = self.send(kind="evaluate", module=module, function=function, input=given)
        self.compared += 1
        if not answer["success"]:
            self.failed.append(f"{module} {function}: {answer['error']}")
            return
        assert [t["name"] for t in answer["timings"]][:2] == ["prepare", "evaluate"]
        apart = difference(answer["output"], wanted)
        if not apart <= tolerance:
            self.failed.append(f"{module} {function}: {apart} from the formula, expected at most {tolerance}")


def compare_arrays(tool, drawn):
    near = 1e-9  # of difference quotients
    tool.compare("hello", "square", 3.0, 9.0)
    tool.compare("hello", "double", 3.0, 6.0)
    x = drawn(37)
    tool.compare("lse", "primal", {"x": x}, log_sum_exp(x))
    tool.compare("lse", "gradient", {"x": x}, slopes(log_sum_exp, x), near)
    for n, m in [(16, 7), (50, 8), (20, 1)]:
        x = drawn(m)
        tool.compare("llsq", "primal", {"x": x, "n": n}, polynomial_error(x, n))
        tool.compare("llsq", "gradient", {"x": x, "n": n}, slopes(lambda v: polynomial_error(v, n), x), near)
    for d, k, n, m in [(2, 3, 10, 0), (4, 2, 7, 1)]:
        given = {"d": d, "k": k, "n": n, "m": m, "gamma": 1.3, "alpha": drawn(k), "x": rows(drawn(n * d), d)}
        given |= {"mu": rows(drawn(k * d), d), "q": rows(drawn(k * d), d)}
        given["l"] = rows(drawn(k * d * (d - 1) // 2), d * (d - 1) // 2)
        tool.compare("gmm", "objective", given, mixture(given))
        wanted = {"alpha": slopes(lambda v: mixture(given | {"alpha": v}), given["alpha"])}
        for name in ["mu", "q", "l"]:
            width = len(given[name][0])
            wanted[name] = rows(slopes(lambda v: mixture(given | {name: rows(v, width)}), sum(given[name], [])), width)
        tool.compare("gmm", "jacobian", given, wanted, near)
    points = rows(drawn(60), 3)
    given = {"points": points, "centroids": points[-4:]}
    tool.compare("kmeans", "cost", given, nearest(points, points[-4:]))
    tool.compare("kmeans", "dir", given, newton_step(points, points[-4:]))
    for n in [1, 3, 5]:
        a = drawn(n * n)
        tool.compare("det", "primal", {"A": a, "ell": n}, determinant(rows(a, n)))
        tool.compare("det", "gradient", {"A": a, "ell": n}, slopes(lambda v: determinant(rows(v, n)), a), near)
    for n, s in [(5, 1), (9, 7)]:
        x = drawn(n)
        tool.compare("ode", "primal", {"x": x, "s": s}, solution(x, s))
        tool.compare("ode", "gradient", {"x": x, "s": s}, slopes(lambda v: solution(v, s)[-1], x), near)


def compare_models(tool, drawn):
    # The results that GradBench expects.
    for modes in ["ff", "fr", "rf", "rr"]:
        tool.compare("saddle", modes, {"start": [1.0, 1.0]}, [8.246324826140356e-06] * 4)
        tool.compare("particle", modes, {"w": 0.0}, 0.2071918746486116)

    for rotation in [[v / 3 for v in drawn(3)], [0.0, 0.0, 0.0]]:
        n, m, p, w = 3, 5, 8, 0.7
        camera, x, feature = rotation + drawn(8), drawn(2) + [4.0], drawn(2)  # in front of the camera
        given = {"n": n, "m": m, "p": p, "cam": camera, "x": x, "w": w, "feat": feature}
        error = projection_error(camera + x + [w], feature)
        wanted = {"reproj_error": {"elements": error, "repeated": p}, "w_err": {"element": 1 - w * w, "repeated": p}}
        tool.compare("ba", "objective", given, wanted)
        if rotation == [0.0, 0.0, 0.0]:
            continue  # the formula has another branch beside this point
        columns = slopes(lambda v: projection_error(v, feature), camera + x + [w])
        values = [column[i] for i in range(2) for column in columns] + [-2 * w]
        one = list(range(11)) + [11 * n, 11 * n + 1, 11 * n + 2, 11 * n + 3 * m]
        wanted = {"rows": [15 * i for i in range(2 * p + 1)] + [30 * p + i for i in range(1, p + 1)],
                  "cols": one + one + [11 * n + 3 * m + p - 1], "vals": values}
        wanted["rows"] = wanted["rows"][:30] + [wanted["rows"][-1]]
        tool.compare("ba", "jacobian", given | {"p": 16}, wanted | {
            "rows": [15 * i for i in range(30)] + [30 * 16 + 16], "cols": one + one + [11 * n + 3 * m + 15]}, 1e-8)

    bones, count, n = 22, 12, 4
    for mirrored in [False, True]:
        def matrices():
            return [rows(drawn(12), 4) + [[0.0, 0.0, 0.0, 1.0]] for _ in range(bones)]

        model = {"parents": [-1] + [random.randrange(i) for i in range(1, bones)], "base_relatives": matrices(),
                 "inverse_base_absolutes": matrices(), "weights": rows(drawn(count * bones), bones),
                 "base_positions": [drawn(3) + [1.0] for _ in range(count)], "is_mirrored": mirrored,
                 "triangles": [random.sample(range(count), 3) for _ in range(6)]}
        for us in [[], rows(drawn(2 * n), 2)]:
            data = {"model": model, "points": rows(drawn(3 * n), 3),
                    "correspondences": [random.randrange(6) for _ in range(n)]}
            theta = [v / 4 for v in drawn(26)]
            given = {"theta": theta, "us": us, "data": data}
            tool.compare("ht", "objective", given, hand_error(theta, us, data), 1e-11)
            columns = slopes(lambda v: hand_error(v, us, data), theta)
            if us:
                def along(place):
                    def error(step):
                        moved = [[u + step * (place == 0), v + step * (place == 1)] for u, v in us]
                        return hand_error(theta, moved, data)

                    return [a - b for a, b in zip(error(0.5), error(-0.5))]  # linear in these numbers

                columns = [along(0), along(1)] + columns
            tool.compare("ht", "jacobian", given, [list(row) for row in zip(*columns)], 1e-9)

    for layers, steps, b in [(1, 4, 3), (3, 9, 2)]:
        given = {"main_params": rows(drawn(8 * layers * b), 4 * b), "extra_params": rows(drawn(3 * b), b),
                 "state": rows(drawn(2 * layers * b), b), "sequence": rows(drawn(steps * b), b)}

        def error(flat):
            main = rows(flat[:8 * layers * b], 4 * b)
            return sequence_error(main, rows(flat[8 * layers * b:], b), given["state"], given["sequence"])

        flat = sum(given["main_params"], []) + sum(given["extra_params"], [])
        tool.compare("lstm", "objective", given, error(flat))
        tool.compare("lstm", "jacobian", given, slopes(error, flat), 1e-9)


def main():
    random.seed(7)
    tool = Tool(sys.argv[1])
    assert tool.send(kind="start", eval="lse")["tool"] == "sigma"
    assert tool.send(kind="define", module="lse")["success"]
    assert not tool.send(kind="define", module="unknown")["success"]
    assert not tool.send(kind="evaluate", module="lse", function="unknown", input={})["success"]
    assert not tool.send(kind="evaluate", module="lse", function="primal", input={})["success"]

    def drawn(count):
        return [random.uniform(-1, 1) for _ in range(count)]

    compare_arrays(tool, drawn)
    compare_models(tool, drawn)
    tool.process.stdin.close()
    assert tool.process.wait(60) == 0
    print("\n".join(tool.failed))
    print(f"{tool.compared} functions compared, {len(tool.failed)} failed")
    return 1 if tool.failed or tool.compared < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
