#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares random networks and functions, given as lines of text, between text_oracle.cpp and PyTorch.

    text_oracle.py --networks 300 --functions 300 --seed 1 --run avx2=build/oracle/tests/sigma_text_oracle_avx2

No case needs a compiler, so thousands run in a minute. Networks and functions are those of random_networks.py and
random_programs.py with other sizes: extents of 1, primes, widths that do not fill a vector, batches of 1 and odd batches.
For a network, the test compares: predictions, the loss of an evaluation, loss and gradients of an Inspection, loss and
gradients in training, gradients of inputs, gradients for a random gradient of the predictions, and loss, parameters,
statistics and predictions after a step. For a function: results, their weighted sum, and its gradient for each argument.

--run SET=PROGRAM runs each case with PROGRAM and the instruction set SET (sse2, avx2, avx512). Repeat it for more sets. A
case depends on seed and number alone, and a failure prints the options that repeat it. A failing case is reduced to a part
of the network's layers, or of the function's operations, that still fails.

If rounding alone may change a result (two elements are nearly the greatest), PyTorch's result also changes when its inputs
are moved by some units in the last place. Such cases are counted and are not failures.
"""
import argparse
import collections
import math
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy
import torch
import torch.nn.functional as F

import oracle
import random_networks
import random_programs
from random_networks import LAYERS, LOSSES, ACTIVATIONS, Part, options

RATE = 0.125  # of text_oracle.cpp
EXTENTS = [1, 1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 17, 33]
NO_GRADIENT = {"Embedding"}
# Half of the cases mostly use these layers, for which rows, their padding and their order in a plan matter.
LAYERS_THAT_MOVE = ["Permute", "Reshape", "Flatten", "LayerNorm", "RMSNorm", "GroupNorm", "InstanceNorm", "BatchNorm",
                    "InstanceNorm over time", "GlobalMaxPool", "global pool over time", "Concatenate", "Elementwise",
                    "TransformerBlock", "pool over time", "activation"]
# Some cases are small and use only these layers: views of views.
LAYERS_OF_VIEWS = ["Permute", "Reshape", "Elementwise", "LayerNorm", "GroupNorm", "GlobalMaxPool", "global pool over time",
                   "Linear"]
OPERATIONS_OF_VIEWS = ["permute", "reshape", "einsum", "transpose", "slice", "sum", "reduce_max", "*", "mean"]
OPERATIONS_THAT_MOVE = ["reshape", "permute", "transpose", "flatten", "slice", "concatenate", "pad", "broadcast_to", "einsum",
                        "dot", "sum", "mean", "reduce_max", "reduce_min", "norm", "variance", "softmax", "*", "-", "max",
                        "top_k", "cumsum", "gather_along", "where"]


def flat(t):
    return t.detach().double().reshape(-1)


# ---- networks ----

class TextNetwork(random_networks.Network):
    most = 160

    def grow(self, _):
        r = self.random
        self.needed = lambda names: r.choice(sorted(names))
        self.element = r.choice(["float", "double"])
        self.records = r.choice([1, 1, 2, 3, 5, 6, 7, 9, 13])
        self.parameters, self.statistics, self.layers, self.used = [], set(), [], set()
        self.without, self.first, self.more, self.noisy = None, None, [], False
        self.views = r.random() < 0.3
        self.moves = self.views or r.random() < 0.5
        self.bare = self.views or r.random() < 0.4  # no layer before a loss of elements
        preferred = LAYERS_OF_VIEWS if self.views else LAYERS_THAT_MOVE
        wanted = r.choice(preferred if self.moves else sorted(LAYERS))
        if not self.views and r.random() < 0.12:
            several_inputs(self)
        else:
            self.begin(LAYERS[wanted][0])
        for kind in [wanted] + [None] * r.randint(0, 4):
            fitting = sorted(k for k in LAYERS if LAYERS[k][0] in ("any", self.kind_of_record()))
            if self.moves and r.random() < 0.8:
                fitting = [k for k in fitting if k in preferred]
            kind = kind if kind in fitting or kind == "Embedding" and not self.layers and not self.first else r.choice(fitting)
            self.add(kind)
        if not self.views and r.random() < 0.08:
            self.noise()
        # BinaryCE has a layer before it, too, because it rejects a sigmoid.
        self.loss = r.choice(sorted(set(random_networks.ELEMENTS) - {"BinaryCE"} if self.bare else LOSSES))
        LOSSES[self.loss](self)
        if self.loss == "Hinge":  # other targets are rejected
            self.y = torch.where(self.y == 9, self.y, self.y.sign())
        self.upstream = self.draw(self.predicted(self.out).shape)
        if self.element == "float":
            self.y = self.y.float().double()
        kinds = sorted({p.kind for p in self.layers + ([self.first] if self.first else [])} | self.used)
        self.parts = [(k, how) for k in kinds + [self.loss] for how in ("value", "gradient")
                      if how == "value" or k not in NO_GRADIENT]

    def record(self, kind):
        ranks = {"vector": 1, "sequence": 2, "image": 3, "volume": 4}
        rank = self.random.randint(2 if self.views else 1, 4) if kind == "any" else ranks[kind]
        while True:
            shape = [self.random.choice(EXTENTS if rank < 3 else EXTENTS[:8]) for _ in range(rank)]
            if self.moves and rank > 1 and self.random.random() < (0.8 if self.views else 0.5):
                shape[self.random.randrange(rank)] = 1
            if numpy.prod(shape) <= self.most:
                return shape

    def last(self, part):
        if part.kind == "Linear" and self.bare and self.layers:
            del self.parameters[-len(part.places):]
        else:
            super().last(part)

    def width(self, low, high):
        return self.random.choice([1, 2, 3, 5, 6, 7, 9, 11, 17, 33]) if high > 3 else self.random.randint(low, high)

    def noise(self):
        """Adds a layer of noise. Only its prediction can be compared."""
        word = self.random.choice(["Dropout", "SpatialDropout", "GaussianDropout", "AlphaDropout", "GaussianNoise"])
        self.noisy = True
        self.layers.append(Part(word, f"{word}(0.4)", [], lambda x, p, _: x))

    def given_numbers(self):
        return [*self.parameters, self.x, *self.more, self.y, self.upstream]

    def line(self):
        inputs = [f"Input({', '.join(map(str, t.shape[1:]))})" for t in [self.x] + self.more]
        first = ["(" + " & ".join(inputs) + ")", self.first.cpp] if self.first else inputs
        text = " + ".join(first + [p.cpp for p in self.layers] + [self.loss_cpp])
        text = re.sub(r"\[\]\(auto x\) \{ return (\w+)\(x\); \}", r"\1", text)
        return f"network {self.element} {self.records} : {text}"

    def forward(self, parameters, x, training):
        if self.first:
            x = self.through(self.first.kind, self.first.function([x] + self.now, [parameters[i] for i in self.first.places]))
        return super().forward(parameters, x, training)

    def wanted(self, dtype, broken=None, moved=None):
        """Returns all results of PyTorch. `moved` changes the given tensors."""
        self.broken = broken
        move = moved or (lambda t: t)
        parameters = [move(p.to(dtype)).clone().requires_grad_(i not in self.statistics)
                      for i, p in enumerate(self.parameters)]
        trained = [p for p in parameters if p.requires_grad]
        ids = self.layers and self.layers[0].kind == "Embedding" and not self.first
        x = self.x.to(dtype) if ids else move(self.x.to(dtype)).clone().requires_grad_()
        self.now = [t.to(dtype).clone().requires_grad_() for t in self.more]
        inputs = [x] + self.now
        y, upstream = self.y.to(dtype), self.upstream.to(dtype)

        def gradients(total, of, keep=False):
            of = list(of)
            asked = [t for t in of if t.requires_grad]
            found = iter(torch.autograd.grad(total, asked, retain_graph=keep, allow_unused=True)
                         if asked and total.requires_grad else [None] * len(asked))
            every = [next(found) if t.requires_grad else None for t in of]
            return [torch.zeros_like(t) if g is None else g for t, g in zip(of, every)]

        def loss_of(z):
            return self.through(self.loss, self.loss_function(z, y))

        def named(what, tensors):
            return [(f"{what} {i}", t) for i, t in enumerate(tensors)]
        resting = self.forward(parameters, x, False)
        evaluated = loss_of(resting)
        results = [("prediction", self.predicted(resting)), ("loss of an evaluation", evaluated),
                   ("loss of an inspection", evaluated)]
        results += named("inspection's gradient of parameter", gradients(evaluated, trained))
        running = [p.detach().clone() for p in parameters]
        z = self.forward([p if p.requires_grad else q for p, q in zip(parameters, running)], x, True)
        loss = loss_of(z)
        of_all = gradients(loss, trained + inputs, True)
        of_trained, of_inputs = of_all[:len(trained)], of_all[len(trained):]
        training = [("loss in training", loss)] + named("gradient of parameter", of_trained)
        training += named("gradient of input", of_inputs)
        under = gradients((self.predicted(z) * upstream).sum(), trained)
        training += named("gradient under a gradient in predictions of parameter", under)
        each = iter(of_trained)
        after = [p.detach() - RATE * next(each) if p.requires_grad else q for p, q in zip(parameters, running)]
        with torch.no_grad():
            training += [("loss of a step", loss)] + named("parameter after a step", after)
            training.append(("prediction after a step", self.predicted(self.forward(after, x, False))))
        self.broken = None
        self.not_compared = {name for name, _ in training} if self.noisy else set()
        return [(name, t.detach()) for name, t in results + training]

    def smaller(self):
        """Yields networks of some of the layers, beginning with the fewest layers."""
        found = []
        n = len(self.layers)
        for length in range(0, n):
            for begin in range(0, n - length + 1):
                if length == 0 and begin > 0 or self.first and begin == 0 and length == 0 or self.noisy:
                    continue
                found.append(self.window(begin, begin + length))
        return found

    def window(self, begin, end):
        """Returns a network of the layers from one place to another, with their input first and a squared loss last."""
        n = TextNetwork.__new__(TextNetwork)
        n.__dict__.update(self.__dict__)
        parameters = [p.clone() for p in self.parameters]
        self.broken, self.now = None, [t.clone() for t in self.more]
        x = self.x
        if begin > 0 and self.first:
            x = self.first.function([x] + self.now, [parameters[i] for i in self.first.places])
        for part in self.layers[:begin]:
            x = part.function(x, [parameters[i] for i in part.places], True)
        n.x = x.detach().float().double() if self.element == "float" else x.detach()
        if begin > 0:
            n.first, n.more = None, []
        n.layers = self.layers[begin:end]
        places = sorted({i for p in n.layers + ([n.first] if n.first else []) for i in p.places})
        n.parameters = [self.parameters[i] for i in places]
        n.statistics = {places.index(i) for i in self.statistics if i in places}

        def there(p):
            return Part(p.kind, p.cpp, [places.index(i) for i in p.places], p.function)
        n.layers = [there(p) for p in n.layers]
        n.first = there(n.first) if n.first else None
        n.loss, n.loss_cpp, n.predicted = "SquaredDiff", "SquaredDiff()", lambda z: z
        n.loss_function = lambda z, y: (z - y).square().sum() / len(z)
        n.now = [t.clone() for t in n.more]
        out = n.forward([p.clone() for p in n.parameters], n.x, True)
        generator = torch.Generator().manual_seed(1)
        n.y, n.upstream = (torch.rand(out.shape, generator=generator, dtype=torch.float64).float().double() for _ in range(2))
        return n


def several_inputs(n):
    """Begins a network with a mask, with a second sequence, or with both."""
    r = n.random
    times, width = r.choice([1, 2, 3, 5, 7]), r.choice([2, 3, 4, 5, 6, 9])
    other, other_width = r.choice([1, 2, 3, 5, 7]), r.choice([1, 2, 3, 5, 6])
    n.x = n.draw([n.records, times, width])
    n.input = [times, width]
    n.out = n.x
    kind = r.choice(["Attention to a memory", "Attention to a masked memory", "masked recurrence", "two Dense", "Multiply"])
    if kind.startswith("Attention"):
        masked = "masked" in kind
        n.more = [n.draw([n.records, other, other_width])]
        if masked:
            n.more.append(torch.bernoulli(torch.full([n.records, other], 0.7, dtype=torch.float64), generator=n.numbers))
        heads, bias = random_networks.heads_of(n), r.random() < 0.7
        places = []
        for rows in (width, other_width, other_width, width):
            places += [n.parameter([rows, width])] + ([n.parameter([width])] if bias else [])
        step = 2 if bias else 1

        def function(xs, p):
            def project(t, i):
                return F.linear(t, p[i * step].t(), p[i * step + 1] if bias else None)

            def heads_first(t):
                return t.reshape(len(t), t.shape[1], heads, width // heads).transpose(1, 2)
            q, k, v = (heads_first(project(xs[0 if i == 0 else 1], i)) for i in range(3))
            scores = q @ k.transpose(2, 3) / (width // heads)**0.5
            if masked:
                allowed = (xs[2] != 0)[:, None, None, :]
                e = torch.where(allowed, scores, torch.full_like(scores, -1e30)).softmax(-1)
                weights = torch.where(allowed, e, torch.zeros_like(e))
            else:
                weights = scores.softmax(-1)
            return project((weights @ v).transpose(1, 2).reshape(xs[0].shape), 3)
        cpp = f"Attention({heads}{options(bias=None if bias else False)})"
    elif kind == "masked recurrence":
        word, units, last, back = r.choice(["Recurrent", "LSTM", "GRU"]), n.width(2, 6), r.random() < 0.5, r.random() < 0.4
        n.more = [torch.bernoulli(torch.full([n.records, times], 0.7, dtype=torch.float64), generator=n.numbers)]
        places = random_networks.recurrent_parameters(n, word, width, units, True)

        def function(xs, p):
            x, mask = xs[0], xs[1] != 0
            h = torch.zeros(len(x), units, dtype=x.dtype)
            c, all_ = h, [None] * times
            for t in range(times - 1, -1, -1) if back else range(times):
                if word == "GRU":
                    z, a = x[:, t] @ p[0] + p[2], h @ p[1]
                    reset, update = (torch.sigmoid(z[:, i * units:(i + 1) * units] + a[:, i * units:(i + 1) * units])
                                     for i in range(2))
                    new = torch.tanh(z[:, 2 * units:] + reset * (a[:, 2 * units:] + p[3]))
                    following, cell = new + update * (h - new), c
                elif word == "LSTM":
                    i, f, g, o = (x[:, t] @ p[0] + h @ p[1] + p[2]).chunk(4, -1)
                    cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                    following = torch.sigmoid(o) * torch.tanh(cell)
                else:
                    following, cell = torch.tanh(x[:, t] @ p[0] + h @ p[1] + p[2]), c
                h = torch.where(mask[:, t:t + 1], following, h)
                c = torch.where(mask[:, t:t + 1], cell, c)
                all_[t] = h
            return h if last else torch.stack(all_, 1)
        cpp = f"{word}({units}{options(last=last or None, backwards=back or None)})"
    elif kind == "two Dense":
        units = [n.width(2, 6) for _ in range(2)]
        n.more = [n.draw([n.records, other, other_width])]
        places = [n.parameter(s) for rows, u in zip((times * width, other * other_width), units) for s in ([rows, u], [u])]

        def function(xs, p):
            return torch.cat([F.linear(t.flatten(1), p[2 * i].t(), p[2 * i + 1]) for i, t in enumerate(xs)], -1)
        cpp = f"Parallel(Dense({units[0]}), Dense({units[1]})) + Concatenate()"
    else:
        n.more = [n.draw([n.records, r.choice([1, times]), r.choice([1, width])])]
        places = []

        def function(xs, _):
            return xs[0] * xs[1]
        cpp = "Multiply()"
    n.first = Part(kind, cpp, places, function)
    n.now = n.more
    n.out = function([n.x] + n.more, [n.parameters[i].clone() for i in places])


# ---- functions ----

class TextFunction(random_programs.Program):
    word = "function"
    not_compared = ()
    most = 900

    def grow(self, _):
        r = self.random
        self.element = r.choice(["float", "double"])
        self.has_batch = self.batched = r.random() < 0.5
        self.records = r.choice([11, 13, 17]) if self.has_batch else r.choice([1, 2, 3, 5, 7])
        self.arguments, self.values, self.views = [], [], r.random() < 0.3
        for _ in range(r.randint(1, 2)):
            self.argument(self.shape())
        if self.has_batch:
            self.argument([self.records] + self.shape(3)[:3])
        wanted = r.randint(1, 5 if self.views else 10)
        names = sorted(o for o in random_programs.OPERATIONS if self.has_batch or o != "scan")
        preferred = OPERATIONS_OF_VIEWS if self.views else OPERATIONS_THAT_MOVE if r.random() < 0.5 else names
        for _ in range(200):
            random_programs.OPERATIONS[r.choice(preferred if r.random() < 0.8 else names)](self)
            if len(self.values) - len(self.arguments) >= wanted:
                break
        self.finish()

    def finish(self):
        self.results = [v for v in self.values if not v.used and v.operation]
        self.weights = [self.argument(v.value.shape) for v in self.results]
        self.parts = [(o, how) for o in sorted({v.operation for v in self.values if v.operation})
                      for how in ("value", "gradient") if how == "value" or o not in random_programs.WITHOUT_GRADIENT]
        self.ways = [""]

    def shape(self, rank=None):
        rank = self.random.randint(0, 6) if rank is None else rank
        small = [1, 1, 2, 2, 3] if rank > 4 else [n for n in EXTENTS[:10 if rank > 2 else None] if not self.is_batch(n)]
        while True:
            shape = [self.random.choice(small) for _ in range(rank)]
            if self.views and rank > 1:
                shape[self.random.randrange(rank)] = 1
            if numpy.prod(shape) <= self.most / 2:
                return shape

    def given_numbers(self):
        return [a.value for a in self.arguments]

    def line(self):
        arguments = " ".join(f"{a.name}[{','.join(map(str, self.extents(a.value.shape)))}]" for a in self.arguments)
        text = "; ".join(f"{v.name} = {v.cpp}" for v in self.values if v.operation)
        text = re.sub(r"scan\((\w+), (\w+), \[&\]\(auto now, auto before\) \{ return tanh\(now \+ dot\(before, (\w+)\)\); \},",
                      r"scan_tanh(\1, \2, \3,", text)
        text = re.sub(r"gradient\(\[\]\(auto u\) \{ return sum\((.*?)\); \}\)\((\w+)\)", r'gradient_of("\1", \2)', text)
        results = " ".join(f"{v.name}*{w.name}" for v, w in zip(self.results, self.weights))
        return f"function {self.element} {self.records} {arguments} : {text} : {results}"

    def wanted(self, dtype, broken=None, moved=None):
        if moved:
            kept = [a.value for a in self.arguments]
            for a in self.arguments:
                a.value = moved(a.value.detach().to(dtype))
        results = super().wanted(dtype, broken)
        if moved:
            for a, t in zip(self.arguments, kept):
                a.value = t
        return [(name, t.detach()) for name, t in results[-len(self.weights):] + results]

    def smaller(self):
        """Yields, for each value, a function of it alone with given operands, then with computed operands, and so on."""
        found = []
        for depth in range(1, 5):
            for v in self.values:
                if v.operation:
                    of = self.part(v, depth)
                    if of and len(of.values) - len(of.arguments) < len([w for w in self.values if w.operation]):
                        found.append(of)
        return sorted(found, key=lambda f: len(f.values) - len(f.arguments))

    def part(self, v, depth):
        inside, front = {v.name: v}, [v]
        for _ in range(depth - 1):
            front = [o for w in front for o in w.operands if o.operation]
            if not front:
                return None
            inside.update((o.name, o) for o in front)
        f = TextFunction.__new__(TextFunction)
        f.__dict__.update(self.__dict__)
        f.numbers = torch.Generator().manual_seed(1)
        f.arguments, f.values, made = [], [], {}
        for w in self.values:  # in order
            if w.name in inside:
                for o in w.operands:
                    if o.name not in made:
                        t = o.value.detach()
                        a = random_programs.Value(o.name, t.float().double() if f.element == "float" else t)
                        f.arguments.append(a), f.values.append(a)
                        made[o.name] = a
                copy = random_programs.Value(w.name, w.value, w.operation, w.cpp, w.function, [made[o.name] for o in w.operands])
                for o in copy.operands:
                    o.used = True
                f.values.append(copy)
                made[w.name] = copy
        taken = {a.name for a in f.values}
        f.results = [w for w in f.values if not w.used and w.operation]
        f.weights = []
        for w in f.results:
            a = random_programs.Value(f"w{len(f.weights)}", f.numbers_of(w.value.shape))
            assert a.name not in taken
            f.arguments.append(a), f.weights.append(a)
        return f


KINDS = {"networks": TextNetwork, "functions": TextFunction}


# ---- running ----

def run(cases, program, instructions, stem):
    """Returns the result of the program for each case: a tensor, or a message."""
    files = [f"{stem}.{what}" for what in ("cases", "numbers", "found")]
    places = numpy.cumsum([0] + [sum(t.numel() for t in c.given_numbers()) for c in cases])
    with open(files[0], "w") as to:
        for case, place in zip(cases, places):
            to.write(f"{place} {case.line()}\n")
    numpy.concatenate([flat(t).numpy() for c in cases for t in c.given_numbers()]).tofile(files[1])
    found, said = [], {}
    pathlib.Path(files[2]).write_bytes(b"")
    while len(found) < len(cases):
        first = len(found)
        ran = subprocess.run([program, *files, str(first)], capture_output=True, text=True,
                             env={**os.environ, "SIGMA_INSTRUCTIONS": instructions, "SIGMA_OFFLINE": "1"})
        for text in ran.stderr.splitlines():
            number, _, sentence = text.partition(": ")
            if number.isdigit():
                said[int(number)] = sentence
        numbers, at, found = numpy.fromfile(files[2]), 0, []
        while at < len(numbers):
            count = int(numbers[at])
            found.append(torch.from_numpy(numbers[at + 1:at + 1 + count].copy()) if count >= 0 else said.get(len(found), "failed"))
            at += 1 + max(count, 0)
        if ran.returncode and len(found) < len(cases):
            found.append(f"ends with {ran.returncode}: {ran.stderr[-300:]}")
            with open(files[2], "ab") as to:
                numpy.array([-1.0]).tofile(to)
            said[len(found) - 1] = found[-1]
    return found


def compare(case, numbers, exact, noise):
    """Returns the differences (name, size, allowed size), the number of numbers, and the greatest error in units."""
    if isinstance(numbers, str):
        return [(numbers, math.inf, 0)], 0, 0
    if sum(t.numel() for _, t in exact) != len(numbers):
        return [(f"{len(numbers)} numbers for {sum(t.numel() for _, t in exact)}", math.inf, 0)], 0, 0
    # A gradient that is nearly 0 has terms as great as other gradients.
    greatest = collections.defaultdict(lambda: oracle.SMALL)
    for name, t in exact:
        kind = name.rstrip("0123456789")
        greatest[kind] = max(greatest[kind], float(t.abs().max()))
    different, count, units, at = [], 0, 0.0, 0
    for name, t in exact:
        found = numbers[at:at + t.numel()]
        at += t.numel()
        if name in case.not_compared:
            continue
        w = flat(t)
        scale = greatest[name.rstrip("0123456789")] * oracle.EPSILON[case.element]
        worst = float((w - found).abs().max())
        count += t.numel()
        if worst <= scale * (oracle.UNITS + oracle.NOISE * noise):
            units = max(units, worst / scale)
        else:
            different.append((name, worst, scale * (oracle.UNITS + oracle.NOISE * noise)))
    return different, count, units


def rounding_decides(case, exact, different):
    """Returns whether PyTorch's results change as much if the given tensors move by some units in the last place."""
    names = {name: worst for name, worst, _ in different}
    by = 8 * oracle.EPSILON[case.element]
    for attempt in range(6):
        generator = torch.Generator().manual_seed(attempt)

        def moved(t):
            return t * (1 + by * (2 * torch.rand(t.shape, generator=generator, dtype=torch.float64) - 1)).to(t.dtype)
        for (name, a), (_, b) in zip(exact, case.wanted(torch.float64, None, moved)):
            if name in names and float((flat(a) - flat(b)).abs().max()) > 0.1 * names[name]:
                return True
    return False


noticed_here = set()  # of this process


def chunk(job):
    """Runs some cases. Returns a dictionary of texts to print and numbers to add."""
    kind, seed, numbers, runs, scratch, breaks, shrinks = job
    torch.set_num_threads(1)
    cases = [KINDS[kind](number, seed, None) for number in numbers]
    stem = str(pathlib.Path(scratch) / f"{kind}_{numbers[0]}")
    result = {"failures": [], "count": collections.Counter(), "decided": collections.Counter(), "units": {},
              "parts": {p for c in cases for p in c.parts}, "cases": len(cases)}
    fine = set(range(len(cases)))
    for instructions, program in runs:
        found = run(cases, program, instructions, stem)
        for i, case in enumerate(cases):
            different, count, units = compare(case, found[i], case.exact, case.noise)
            result["count"][instructions] += count
            result["units"][instructions, case.element] = max(result["units"].get((instructions, case.element), 0), units)
            if not different:
                continue
            fine.discard(i)
            if not isinstance(found[i], str) and rounding_decides(case, case.exact, different):
                result["decided"][instructions] += 1
                continue
            result["failures"].append((instructions, case.number, case.line(), different,
                                       smallest(case, program, instructions, stem) if shrinks else None))
    if breaks:
        for i in sorted(fine):
            case = cases[i]
            found = torch.cat([flat(t) for _, t in case.exact])
            for part in case.parts:
                if part not in noticed_here and compare(case, found, case.wanted(torch.float64, part), case.noise)[0]:
                    noticed_here.add(part)
        result["noticed"] = set(noticed_here)
    return result


def smallest(case, program, instructions, stem):
    """Returns the line of the smallest failing part of a case and its differences, or None."""
    smaller = []
    for each in case.smaller():
        try:
            each.exact = each.wanted(torch.float64)
            each.noise = oracle.noise_of(each.exact, each.wanted(torch.float32))
            smaller.append(each)
        except (RuntimeError, ValueError):
            pass
    if not smaller:
        return None
    for each, numbers in zip(smaller, run(smaller, program, instructions, stem + "_smaller")):
        different = compare(each, numbers, each.exact, each.noise)[0]
        if different and (isinstance(numbers, str) or not rounding_decides(each, each.exact, different)):
            return each.line(), different
    return None


def has(instructions):
    """Returns whether this processor has the instructions."""
    flag = {"avx2": "avx2", "avx512": "avx512bw"}.get(instructions)
    try:
        return flag is None or f" {flag}" in pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return True


def kind_of(line):
    """Returns the layers or operations of a line."""
    text = line.split(" : ")[1]
    if line.startswith("network"):
        words = re.findall(r"([A-Za-z_]\w*)[({]", text) + re.findall(r" \+ (\w+)(?= \+|$)", text)
        words = [w for w in words if w not in ("Input", "Sizes", "VolumeSizes")]
        return " + ".join(words)
    return ", ".join(re.findall(r"([a-z_]\w*)\(", text)) or text


def described(different):
    name, worst, allowed = max(different, key=lambda d: d[1])
    return name if allowed == 0 else f"{name}: a difference of {worst:.2g}, at most {allowed:.2g} is rounding"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=int, default=0, help=f"number of {kind} (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the cases (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default: %(default)s)")
    parser.add_argument("--run", action="append", required=True, metavar="SET=PROGRAM", help="instruction set and program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes (default: %(default)s)")
    parser.add_argument("--scratch", default="oracle_text", help="folder for cases and numbers")
    parser.add_argument("--shown", type=int, default=20, help="number of failures to print in full (default: %(default)s)")
    parser.add_argument("--no-break", action="store_true", help="do not break parts of PyTorch")
    given = parser.parse_args()
    pathlib.Path(given.scratch).mkdir(parents=True, exist_ok=True)
    runs = [tuple(r.split("=", 1)) for r in given.run]
    for instructions, _ in runs:
        if not has(instructions):
            print(f"skipped: this processor lacks {instructions}")
    runs = [r for r in runs if has(r[0])]
    status = 0
    for kind in KINDS:
        count = getattr(given, kind)
        if not count:
            continue
        begun, size = time.time(), max(1, min(50, count // given.jobs))
        numbers = list(range(given.first, given.first + count))
        jobs = [(kind, given.seed, numbers[i:i + size], runs, given.scratch, not given.no_break, True)
                for i in range(0, count, size)]
        total, decided, units, failed = collections.Counter(), collections.Counter(), {}, collections.defaultdict(list)
        parts, noticed, printed = set(), set(), 0
        with multiprocessing.Pool(given.jobs) as pool:
            for result in pool.imap(chunk, jobs):
                total += result["count"]
                decided += result["decided"]
                parts |= result["parts"]
                noticed |= result.get("noticed", set())
                for key, worst in result["units"].items():
                    units[key] = max(units.get(key, 0), worst)
                for instructions, number, line, different, small in result["failures"]:
                    least, what = small or (line, different)
                    failed[instructions].append((number, least))
                    printed += 1
                    if printed <= given.shown:
                        print(f"{instructions}, --{kind} 1 --first {number} --seed {given.seed}: {line}\n"
                              f"    {described(different)}")
                        if small:
                            print(f"    smaller: {least}\n    {described(what)}")
                        sys.stdout.flush()
        for instructions, _ in runs:
            error = ", ".join(f"{units.get((instructions, e), 0):.0f} of {e}" for e in ("float", "double"))
            print(f"{count} {kind}, seed {given.seed}, {instructions}: {total[instructions]} numbers, "
                  f"{len(failed[instructions])} failures, {decided[instructions]} decided by rounding, "
                  f"greatest error in units in the last place of a result's greatest number: {error}.")
            for what, times in collections.Counter(kind_of(least) for _, least in failed[instructions]).most_common():
                print(f"    {times} times: {what}")
            status |= bool(failed[instructions])
        print(f"{time.time() - begun:.0f} s.")
        if not given.no_break:
            unseen = sorted(f"{how} of {what}" for what, how in parts - noticed)
            print(f"Of {len(parts)} things broken on purpose, by {oracle.WRONG:.0%} in PyTorch, {len(parts & noticed)} are "
                  f"noticed" + (", but not " + ", ".join(unseen) if unseen else "") + ".")
            if count >= 100 and len(unseen) > 0.05 * len(parts):
                print("expected at least 95% of them to be noticed")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
