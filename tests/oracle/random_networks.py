#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Trains random networks for a few steps from the same parameters in Sigma and in PyTorch.

    random_networks.py --count 20 --seed 1 --compiler clang++ -- COMPILER_FLAGS

A network has two to four random layers with random options, one layer whose output fits the loss, and an optimizer. The
test compares predictions before and after training, the loss of each step, and all parameters and statistics after the last
step. PyTorch uses parameters in Sigma's layout, so its optimizers update them directly.

Each network is a compile-time network and, in the same program, a run-time network of the same expression. Every other one
is also built from Layers in a loop, most others with named sizes for the units of their last layers.

Layers of noise cannot be compared, because PyTorch draws other random numbers. --seed and --only repeat one network.
"""
import math
import re
import sys

import torch
import torch.nn.functional as F

import oracle

ACTIVATIONS = {
    "identity": lambda t: t, "relu": F.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "softplus": lambda t: F.softplus(t, threshold=1e9), "softmax": lambda t: F.softmax(t, -1),
    "gelu": lambda t: F.gelu(t, approximate="tanh"), "leaky_relu": F.leaky_relu, "elu": F.elu, "selu": F.selu,
    "silu": F.silu, "swish": F.silu, "mish": F.mish, "softsign": F.softsign, "relu6": F.relu6, "hard_tanh": F.hardtanh,
    # F.hardsigmoid and F.hardswish use the float 1/6 in their gradients, even for double.
    "hard_sigmoid": lambda t: F.relu6(t + 3) / 6, "hard_swish": lambda t: t * F.relu6(t + 3) / 6,
}


class Part:
    """A layer: its kind, its C++, the positions of its parameters, and a function of (input, parameters, training)."""

    def __init__(self, kind, cpp, places, function):
        self.kind, self.cpp, self.places, self.function = kind, cpp, places, function


class Network(oracle.Case):
    word = "network"
    records = 6
    most = 80  # maximum number of elements of a record

    def most_noise(self):
        return 300 if self.element == "float" else 1e6

    def grow(self, shown):
        def needed(names):
            return min(names, key=lambda n: (shown.get(n, 0), self.random.random()))
        self.needed = needed
        self.element = "float" if self.random.random() < 0.25 else "double"
        self.parameters, self.statistics, self.layers, self.used = [], set(), [], set()
        self.without = None  # activation that the next layer must not have
        # The kinds that were used least determine the first layer.
        wanted = needed([k for k in LAYERS if self.random.random() < 0.7])
        self.begin(LAYERS[wanted][0])
        for kind in [wanted] + [None] * self.random.randint(1, 3):
            fitting = [k for k in LAYERS if LAYERS[k][0] in ("any", self.kind_of_record())]
            kind = kind or (needed(fitting) if self.random.random() < 0.5 else self.random.choice(fitting))
            self.add(kind)
        self.loss = needed(LOSSES)
        LOSSES[self.loss](self)
        plain = self.random.random() < 0.6  # the others do not depend on the size of a gradient
        self.optimizer = needed([o for o in OPTIMIZERS if OPTIMIZERS[o][2] or not plain])
        self.clip = needed(["no clip"] * 2 + list(CLIPS))
        self.steps = 1 if self.element == "float" else 4
        kinds = sorted({p.kind for p in self.layers} | self.used)
        self.parts = [(k, how) for k in kinds + [self.loss] for how in ("value", "gradient")
                      if how == "value" or k not in ("Embedding",)]
        self.parts += [(self.optimizer, "value")] + ([(self.clip, "value")] if self.clip in CLIPS else [])
        self.ways = ["", "as a value: "]
        if self.number % 2:
            self.ways.append("of Layers: ")
        elif self.sizes():
            self.ways.append("of named sizes: ")
        self.given = (self.parameters + [self.x, self.y]) * len(self.ways)

    # ---- growing ----

    def draw(self, shape, low=-2.0, high=2.0):
        t = low + (high - low) * torch.rand(list(shape), generator=self.numbers, dtype=torch.float64)
        return t.float().double() if self.element == "float" else t

    def begin(self, kind):
        r = self.random
        if kind == "ids":
            self.classes = r.randint(3, 7)
            self.input = [self.width(2, 6)]
            self.x = torch.randint(0, self.classes, [self.records] + self.input, generator=self.numbers).double()
        else:
            self.input = self.record(kind)
            self.x = self.draw([self.records] + self.input)
        self.out = self.x

    def record(self, kind):
        shapes = {"vector": [[5], [8]], "sequence": [[4, 6], [5, 4], [6, 2]],
                  "image": [[6, 5, 2], [4, 4, 4], [5, 7, 1]], "volume": [[3, 4, 3, 2], [4, 3, 5, 1], [2, 3, 3, 4]]}
        return self.random.choice(sum(shapes.values(), []) if kind == "any" else shapes[kind])

    def width(self, low, high):
        """Draws a number of units, features or filters."""
        return self.random.randint(low, high)

    def kind_of_record(self):
        return {1: "vector", 2: "sequence", 3: "image", 4: "volume"}.get(self.out.dim() - 1)

    def parameter(self, shape, low=-0.7, high=0.7, trained=True):
        self.parameters.append(self.draw(shape, low, high))
        if not trained:
            self.statistics.add(len(self.parameters) - 1)
        return len(self.parameters) - 1

    def activation(self):
        """Returns an activation: its C++ after the sizes of a layer, and its function."""
        if self.random.random() < 0.3:
            return "", lambda t: t
        name = self.needed([a for a in ACTIVATIONS if a != self.without])
        self.used.add(name)
        return ", " + name, lambda t, name=name: self.through(name, ACTIVATIONS[name](t))

    def add(self, kind):
        """Adds a layer if it fits."""
        parameters, statistics, used = len(self.parameters), set(self.statistics), set(self.used)
        part = LAYERS[kind][1](self, kind)
        if part:
            try:
                out = part.function(self.out, [self.parameters[i].clone() for i in part.places], True)
                if 0 < out[0].numel() <= self.most and out.dim() <= 5 and torch.isfinite(out).all():
                    self.layers.append(part)
                    self.out = out
                    return
            except (RuntimeError, ValueError, IndexError):  # PyTorch rejects it: the kernel is larger than the image, or the result is empty
                pass
        del self.parameters[parameters:]
        self.statistics, self.used = statistics, used

    def last(self, part):
        """Adds a layer that must fit."""
        self.layers.append(part)
        self.out = part.function(self.out, [self.parameters[i] for i in part.places], True)

    # ---- as a case ----

    def sizes(self):
        """Returns position and units of the last layers that are Dense or Linear."""
        units = [re.match(r"(?:Dense|Linear)\((\d+)", p.cpp) for p in self.layers]
        first = max([i for i, found in enumerate(units) if not found], default=-1) + 1
        end = len(units) - (self.loss == "weighted SoftmaxCE")  # its number of classes is that of its weights
        return {i: int(units[i][1]) for i in range(first, end)}

    def cpp(self):
        layers = [f"Input({', '.join(map(str, self.input))})"] + [p.cpp for p in self.layers] + [self.loss_cpp]
        optimizer = OPTIMIZERS[self.optimizer][0]
        if self.clip in CLIPS:
            optimizer = f"{self.clip}({optimizer}, {CLIPS[self.clip]})"
        text = f"    struct N : Network<{' + '.join(layers)}> {{}};\n"
        networks = ["N{}", "network(N::expression)"]
        if "of Layers: " in self.ways:
            text += (f"    Layers layers;\n    for (const Layers& l : {{{', '.join(f'Layers({l})' for l in layers)}}}) "
                     f"layers += l;\n")
            networks.append("network(layers)")
        elif "of named sizes: " in self.ways:
            given = []
            for i, units in self.sizes().items():
                layers[i + 1] = layers[i + 1].replace(f"({units}", f'(dim<"u{i}">', 1)
                given.append(f'dim<"u{i}"> = {units}')
            text += f"    struct Named : Network<{' + '.join(layers)}> {{}};\n"
            networks.append(f"Named{{{', '.join(given)}}}")
        return text + "".join(
            f"    test::train<{self.element}>(arrays, {network}, {optimizer}, {self.records}, {self.steps});\n"
            for network in networks)

    broken = None

    def through(self, kind, out):
        return oracle.broken_by(out, self.broken[1]) if self.broken and self.broken[0] == kind else out

    def forward(self, parameters, x, training):
        for part in self.layers:
            x = self.through(part.kind, part.function(x, [parameters[i] for i in part.places], training))
        return x

    def wanted(self, dtype, broken=None):
        self.broken = broken
        parameters = [p.to(dtype).clone().requires_grad_(i not in self.statistics)
                      for i, p in enumerate(self.parameters)]
        trained = [p for p in parameters if p.requires_grad]
        x, y = self.x.to(dtype), self.y.to(dtype)

        def predict():
            with torch.no_grad():
                return self.predicted(self.forward(parameters, x, False)).flatten()
        results = [("predictions before training", predict())]
        wrong = 1 + oracle.WRONG
        optimizer = OPTIMIZERS[self.optimizer][1](trained, wrong if broken == (self.optimizer, "value") else 1)
        limit = CLIPS.get(self.clip, 1) * (wrong if broken == (self.clip, "value") else 1)
        for step in range(self.steps):
            optimizer.zero_grad()
            loss = self.through(self.loss, self.loss_function(self.forward(parameters, x, True), y))
            loss.backward()
            for p in trained:
                if p.grad is None:
                    p.grad = torch.zeros_like(p)
            if self.clip in CLIPS:
                clipped(self.clip, [p.grad for p in trained], limit)
            optimizer.step()
            results.append((f"loss of step {step + 1}", loss.detach().reshape(1)))
        results += [(f"parameter {i} after training", p.detach()) for i, p in enumerate(parameters)]
        results.append(("predictions after training", predict()))
        self.broken = None
        return self.each_way(results)


# ---- layers: the records that they accept, and how to draw one ----

LAYERS = {}


def layer(record, *kinds):
    def add(f):
        for kind in kinds:
            LAYERS[kind] = (record, f)
        return f
    return add


def options(**given):
    """Returns options such as {.a = 1, .b = true}, without those that are None; empty if all are None."""
    def text(v):
        return str(v).lower() if isinstance(v, bool) else str(v)
    inside = ", ".join(f".{k} = {text(v)}" for k, v in given.items() if v is not None)
    return f", {{{inside}}}" if inside else ""


def maybe(n, value):
    return value if n.random.random() < 0.5 else None


@layer("any", "Dense", "Linear")
def dense(n, kind):
    width = n.out[0].numel() if kind == "Dense" else n.out.shape[-1]
    units, bias = n.width(2, 6), n.random.random() < 0.8
    places = [n.parameter([width, units])] + ([n.parameter([units])] if bias else [])
    text, act = n.activation()

    def function(x, p, _):
        x = x.flatten(1) if kind == "Dense" else x
        return act(F.linear(x, p[0].t(), p[1] if bias else None))
    return Part(kind, f"{kind}({units}{text}{options(bias=None if bias else False)})", places, function)


@layer("any", "Elementwise")
def elementwise(n, kind):
    places = [n.parameter(n.out.shape[1:]), n.parameter(n.out.shape[1:])]
    text, act = n.activation()
    return Part(kind, f"Elementwise({text[2:]})", places, lambda x, p, _: act(x * p[0] + p[1]))


@layer("ids", "Embedding")
def embedding(n, kind):
    width = n.width(2, 4)
    return Part(kind, f"Embedding({n.classes}, {width})", [n.parameter([n.classes, width])],
                lambda x, p, _: F.embedding(x.long(), p[0]))


@layer("any", "activation")
def activation(n, kind):
    name = n.needed(ACTIVATIONS)
    n.used.add(name)
    return Part(kind, f"[](auto x) {{ return {name}(x); }}", [], lambda x, p, _: n.through(name, ACTIVATIONS[name](x)))


# Layers in branches and repeated ones.

@layer("any", "Add", "Average", "Multiply", "Concatenate")
def branches(n, kind):
    width = n.out.shape[-1]
    units = [n.width(2, 5)] * 2 if kind != "Concatenate" else [n.width(1, 4) for _ in range(3)]
    texts, acts = zip(*(n.activation() for _ in units))
    places = [n.parameter(s) for u in units for s in ([width, u], [u])]

    def function(x, p, _):
        y = [act(F.linear(x, p[2 * i].t(), p[2 * i + 1])) for i, act in enumerate(acts)]
        return {"Add": lambda: sum(y), "Average": lambda: sum(y) / len(y), "Multiply": lambda: math.prod(y),
                "Concatenate": lambda: torch.cat(y + [x], -1)}[kind]()
    inside = ", ".join(f"Linear({u}{t})" for u, t in zip(units, texts)) + (", skip" if kind == "Concatenate" else "")
    return Part(kind, f"{kind}({inside})", places, function)


@layer("any", "Residual", "repeated", "shared")
def again(n, kind):
    width = n.out.shape[-1]
    text, act = n.activation()
    times = 2 if kind == "repeated" else 1
    places = [n.parameter(s) for _ in range(times) for s in ([width, width], [width])]
    inside = f"Linear({width}{text})"

    def function(x, p, _):
        y = act(F.linear(x, p[0].t(), p[1]))
        if kind == "Residual":
            return x + y
        return act(F.linear(y, p[-2].t(), p[-1]))
    cpp = {"Residual": f"Residual({inside})", "repeated": f"2 * {inside}",
           "shared": f'shared("twice{places[0]}", {inside}) + shared("twice{places[0]}", {inside})'}[kind]
    return Part(kind, cpp, places, function)


# Shapes.

@layer("any", "Flatten", "Reshape", "Permute")
def shape(n, kind):
    record = list(n.out.shape[1:])
    if kind == "Flatten":
        return Part(kind, "Flatten()", [], lambda x, p, _: x.flatten(1))
    if kind == "Reshape":
        count = n.out[0].numel()
        a = n.random.choice([k for k in range(1, count + 1) if count % k == 0])
        return Part(kind, n.random.choice([f"Reshape({a}, {count // a})", f"Reshape(-1, {count // a})"]), [],
                    lambda x, p, _: x.reshape(-1, a, count // a))
    order = n.random.sample(range(1, len(record) + 1), len(record))
    return Part(kind, f"Permute({', '.join(map(str, order))})", [], lambda x, p, _: x.permute(0, *order))


# Normalization.

def affine_parameters(n, shape_):
    return [n.parameter(shape_, 0.5, 1.5), n.parameter(shape_)]


def normalized(x, axes, epsilon):
    """Replaces F.instance_norm: in PyTorch 1.13, gradients are wrong for one record with features last, and missing for one element."""
    centred = x - x.mean(axes, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(axes, keepdim=True) + epsilon)


def affine_of(x, p):
    return x * p[0] + p[1] if p else x


@layer("any", "BatchNorm", "LayerNorm", "RMSNorm", "GroupNorm")
def norm(n, kind):
    record, affine = list(n.out.shape[1:]), n.random.random() < 0.7
    features = record[-1]
    epsilon = n.random.choice([1e-5, 1e-3, 0.1])
    off = None if affine else False
    if kind == "BatchNorm":
        momentum = n.random.choice([0.1, 0.3])
        places = [n.parameter([features], -0.5, 0.5, False), n.parameter([features], 0.5, 1.5, False)]
        places += affine_parameters(n, [features]) if affine else []

        def function(x, p, training):
            y = F.batch_norm(x.reshape(-1, features), p[0], p[1], *(p[2:] or [None, None]), training, momentum, epsilon)
            return y.reshape(x.shape)
        own = options(momentum=momentum, epsilon=epsilon, affine=off)
        return Part(kind, f"BatchNorm({own[2:]})", places, function)
    if kind == "LayerNorm":
        axes = n.random.randint(1, len(record))
        over = record[-axes:]
        return Part(kind, "LayerNorm(" + options(epsilon=epsilon, axes=axes, affine=off)[2:] + ")",
                    affine_parameters(n, over) if affine else [],
                    lambda x, p, _: F.layer_norm(x, over, *(p or [None, None]), epsilon))
    if kind == "RMSNorm":
        places = [n.parameter([features], 0.5, 1.5)] if affine else []
        return Part(kind, "RMSNorm(" + options(epsilon=epsilon, affine=off)[2:] + ")", places, lambda x, p, _:
                    x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * (p[0] if affine else 1))
    groups = n.random.choice([g for g in range(1, features + 1) if features % g == 0])

    def function(x, p, _):
        return affine_of(normalized(x.reshape(len(x), -1, groups, features // groups), (1, 3), epsilon).reshape(x.shape), p)
    return Part(kind, f"GroupNorm({groups}{options(epsilon=epsilon, affine=off)})",
                affine_parameters(n, [features]) if affine else [], function)


@layer("image", "InstanceNorm")
@layer("sequence", "InstanceNorm over time")
def instance_norm(n, kind):
    features, affine = n.out.shape[-1], n.random.random() < 0.7
    epsilon = n.random.choice([1e-5, 1e-3, 0.1])

    def function(x, p, _):
        return affine_of(normalized(x, tuple(range(1, x.dim() - 1)), epsilon), p)
    own = options(epsilon=epsilon, affine=None if affine else False)
    return Part(kind, f"InstanceNorm({own[2:]})", affine_parameters(n, [features]) if affine else [], function)


@layer("any", "PReLU")
def prelu(n, kind):
    features, each = n.out.shape[-1], n.random.random() < 0.5
    return Part(kind, "PReLU({.each_feature = true})" if each else "PReLU()", [n.parameter([features if each else 1])],
                lambda x, p, _: F.prelu(x.movedim(-1, 1), p[0]).movedim(1, -1))


# Images and sequences.

def chw(x):
    return x.permute(0, 3, 1, 2)


def hwc(x):
    return x.permute(0, 2, 3, 1)


def pair(numbers):
    return "{" + ", ".join(map(str, numbers)) + "}"


def dense_copy(t):
    """Copies a tensor: PyTorch 1.13 misinterprets strides of some permuted tensors, and fails or writes out of bounds."""
    return t.clone(memory_format=torch.contiguous_format)


def random_padding(n, most):
    """Returns padding in C++, and (left, right, top, bottom), or None for `same`."""
    high, wide = (n.random.randint(0, m) for m in most)
    return n.random.choice([(None, (0, 0, 0, 0)), ("same", None), (pair([high, wide]), (wide, wide, high, high)),
                            (pair([high, 0, 0, wide]), (0, wide, high, 0))])


def same_padding(sizes, reach, stride):
    total = [max((-(-s // t) - 1) * t + r - s, 0) for s, r, t in zip(sizes, reach, stride)]
    return total[1] // 2, total[1] - total[1] // 2, total[0] // 2, total[0] - total[0] // 2


@layer("image", "Conv2D", "DepthwiseConv2D", "ConvTranspose2D")
def convolution(n, kind):
    height, width, c = n.out.shape[1:]
    kernel, stride = ([n.random.randint(1, 3) for _ in range(2)] for _ in range(2))
    dilation = [n.random.randint(1, 2) for _ in range(2)]
    groups = c if kind == "DepthwiseConv2D" else n.random.choice([g for g in (1, 2, 4) if c % g == 0])
    filters = c if kind == "DepthwiseConv2D" else groups * n.width(1, 2)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    transposed = kind == "ConvTranspose2D"
    text, pad = random_padding(n, [min(r - 1, 1) for r in reach] if transposed else (2, 1))
    shape_ = kernel + ([c, filters // groups] if transposed else [c // groups, filters])
    bias = n.random.random() < 0.7
    places = [n.parameter(shape_)] + ([n.parameter([filters])] if bias else [])
    act_text, act = n.activation()
    if transposed:
        def function(x, p, _):
            y = hwc(F.conv_transpose2d(chw(x), p[0].permute(2, 3, 0, 1), None, stride, 0, 0, groups, dilation))
            cut = pad
            if pad is None:
                extra = [r - s for r, s in zip(reach, stride)]
                cut = [part for e in reversed(extra) for part in ((e // 2, e - e // 2) if e > 0 else (0, e))]
            y = F.pad(y, [0, 0] + [-q for q in cut])
            if y.numel() == 0:
                raise RuntimeError("nothing is left")
            return act(y + p[1] if bias else y)
    else:
        def function(x, p, _):
            around = pad or same_padding((height, width), reach, stride)
            y = F.conv2d(dense_copy(F.pad(chw(x), around)), dense_copy(p[0].permute(3, 2, 0, 1)), p[1] if bias else None,
                         stride, 0, dilation, groups)
            return act(hwc(y))
    own = options(stride=pair(stride), padding=text, dilation=pair(dilation),
                  groups=None if kind == "DepthwiseConv2D" else groups, bias=None if bias else False)
    first = "" if kind == "DepthwiseConv2D" else f"{filters}, "
    return Part(kind, f"{kind}({first}{'Sizes' + pair(kernel)}{act_text}{own})", places, function)


@layer("sequence", "Conv1D", "ConvTranspose1D")
def conv1d(n, kind):
    times, c = n.out.shape[1:]
    kernel, stride, dilation = n.random.randint(1, 3), n.random.randint(1, 2), n.random.randint(1, 2)
    groups = n.random.choice([g for g in (1, 2) if c % g == 0])
    filters, reach = groups * n.width(1, 3), (kernel - 1) * dilation + 1
    text, pad = n.random.choice([(None, (0, 0)), ("same", None), ("2", (2, 2)), ("{1, 0}", (1, 0))])
    bias = n.random.random() < 0.7
    transposed = kind == "ConvTranspose1D"
    places = [n.parameter([kernel, c, filters // groups] if transposed else [kernel, c // groups, filters])]
    places += [n.parameter([filters])] if bias else []
    act_text, act = n.activation()

    def function(x, p, _):
        x = x.transpose(1, 2)
        if transposed:
            y = F.conv_transpose1d(dense_copy(x), dense_copy(p[0].permute(1, 2, 0)), None, stride, 0, 0, groups, dilation)
            extra = reach - stride
            cut = pad or ((extra // 2, extra - extra // 2) if extra > 0 else (0, extra))
            y = F.pad(y, [-q for q in cut]).transpose(1, 2)
            if y.numel() == 0:
                raise RuntimeError("nothing is left")
            return act(y + p[1] if bias else y)
        around = pad or same_padding((1, times), (1, reach), (1, stride))[:2]
        y = F.conv1d(F.pad(x, around), p[0].permute(2, 1, 0), p[1] if bias else None, stride, 0, dilation, groups)
        return act(y.transpose(1, 2))
    own = options(stride=stride, padding=text, dilation=dilation, groups=groups,
                  bias=None if bias else False)
    return Part(kind, f"{kind}({filters}, {kernel}{act_text}{own})", places, function)


@layer("volume", "Conv3D")
def conv3d(n, kind):
    sizes, c = n.out.shape[1:4], n.out.shape[4]
    kernel, stride = ([n.random.randint(1, 3) for _ in range(3)] for _ in range(2))
    dilation = [n.random.randint(1, 2) for _ in range(3)]
    groups = n.random.choice([g for g in (1, 2, 4) if c % g == 0])
    filters = groups * n.width(1, 2)
    front, back, high, wide = (n.random.randint(0, 1) for _ in range(4))
    text, pad = n.random.choice([(None, (0,) * 6), ("same", None),
                                 (f"{{{front}, {high}, {wide}}}", (wide, wide, high, high, front, front)),
                                 (f"{{{front}, {back}, 0, {high}, {wide}, 0}}", (wide, 0, 0, high, front, back))])
    bias = n.random.random() < 0.7
    places = [n.parameter(kernel + [c // groups, filters])] + ([n.parameter([filters])] if bias else [])
    act_text, act = n.activation()

    def function(x, p, _):
        around = pad
        if pad is None:
            total = [max((-(-s // t) - 1) * t + (k - 1) * d + 1 - s, 0)
                     for s, k, t, d in zip(sizes, kernel, stride, dilation)]
            around = [part for e in reversed(total) for part in (e // 2, e - e // 2)]
        y = F.conv3d(dense_copy(F.pad(x.permute(0, 4, 1, 2, 3), list(around))), dense_copy(p[0].permute(4, 3, 0, 1, 2)),
                     p[1] if bias else None, stride, 0, dilation, groups)
        return act(y.permute(0, 2, 3, 4, 1))

    def three(numbers):
        return f"{{{', '.join(map(str, numbers))}}}"
    own = options(stride=three(stride), padding=text, dilation=three(dilation), groups=groups,
                  bias=None if bias else False)
    return Part(kind, f"Conv3D({filters}, VolumeSizes{three(kernel)}{act_text}{own})", places, function)


@layer("image", "Upsample")
def upsample(n, kind):
    factor = n.random.choice([[1, 2], [2, 1], [2, 2], [3, 1], [2, 3]])
    mode = n.random.choice(["nearest", "bilinear"])
    return Part(kind, f"Upsample(Sizes{pair(factor)}, Interpolation::{mode})", [],
                lambda x, p, _: hwc(F.interpolate(dense_copy(chw(x)), scale_factor=factor, mode=mode)))


@layer("sequence", "Upsample over time")
def upsample_over_time(n, kind):
    factor, linear = n.random.randint(2, 3), n.random.random() < 0.5
    return Part(kind, f"Upsample({factor}{', Interpolation::bilinear' if linear else ''})", [],
                lambda x, p, _: F.interpolate(dense_copy(x.transpose(1, 2)), scale_factor=factor,
                                              mode="linear" if linear else "nearest").transpose(1, 2))


@layer("image", "MaxPool", "AveragePool")
def pool(n, kind):
    window = [n.random.randint(1, 3) for _ in range(2)]
    stride = [n.random.randint(1, 2) for _ in range(2)] if n.random.random() < 0.6 else None
    high, wide = (n.random.randint(0, w - 1) for w in window)
    kinds = [(None, (0, 0, 0, 0)), (pair([high, wide]), (wide, wide, high, high)),
             (pair([high, 0, 0, wide]), (0, wide, high, 0))]
    text, pad = n.random.choice(kinds + [("same", None)] if kind == "MaxPool" else kinds)

    def function(x, p, _):
        around = pad or same_padding(x.shape[1:3], window, stride or window)
        y = F.pad(chw(x), around, value=0 if kind == "AveragePool" else -math.inf)
        return hwc((F.avg_pool2d if kind == "AveragePool" else F.max_pool2d)(y, window, stride or window))
    own = options(stride=stride and pair(stride), padding=text)
    return Part(kind, f"{kind}({'Sizes' + pair(window)}{own})", [], function)


@layer("sequence", "pool over time")
def pool_over_time(n, kind):
    window, stride = n.random.randint(1, 3), n.random.randint(1, 2)
    word, function = n.random.choice([("MaxPool", F.max_pool1d), ("AveragePool", F.avg_pool1d)])
    return Part(kind, f"{word}({window}, {{.stride = {stride}}})", [],
                lambda x, p, _: function(x.transpose(1, 2), window, stride).transpose(1, 2))


@layer("image", "GlobalMaxPool", "GlobalAveragePool")
def global_pool(n, kind):
    return Part(kind, f"{kind}()", [], lambda x, p, _: x.amax((1, 2)) if kind == "GlobalMaxPool" else x.mean((1, 2)))


@layer("sequence", "global pool over time")
def global_pool_over_time(n, kind):
    most = n.random.random() < 0.5
    return Part(kind, "GlobalMaxPool()" if most else "GlobalAveragePool()", [],
                lambda x, p, _: x.amax(1) if most else x.mean(1))


# Recurrence.

def recurrent_parameters(n, kind, features, units, bias):
    gates = {"Recurrent": 1, "LSTM": 4, "GRU": 3}[kind]
    places = [n.parameter([features, gates * units]), n.parameter([units, gates * units])]
    if bias:
        places.append(n.parameter([gates * units]))
        if kind == "GRU":
            places.append(n.parameter([units]))
    return places


def run_recurrent(kind, relu, x, directions, bias, units):
    """Runs PyTorch's recurrent layer with the parameters of one or two directions in Sigma's layout."""
    weights = []
    for p in directions:
        weights += [p[0].t().contiguous(), p[1].t().contiguous()]
        if bias:
            weights.append(p[2])
            none = torch.zeros_like(p[2])  # of PyTorch's second biases, Sigma has only those of a GRU's candidate
            weights.append(torch.cat([none[:2 * units], p[3]]) if kind == "GRU" else none)
    h = torch.zeros(len(directions), len(x), units, dtype=x.dtype)
    rest = (weights, bias, 1, 0.0, False, len(directions) == 2, True)
    if kind == "LSTM":
        return torch.lstm(x, [h, h], *rest)[0]
    return (torch.gru if kind == "GRU" else torch.rnn_relu if relu else torch.rnn_tanh)(x, h, *rest)[0]


@layer("sequence", "Recurrent", "LSTM", "GRU", "Bidirectional")
def recurrent(n, name):
    kind = n.random.choice(["Recurrent", "LSTM", "GRU"]) if name == "Bidirectional" else name
    units, bias, last = n.width(2, 4), n.random.random() < 0.7, n.random.random() < 0.3
    backwards = name != "Bidirectional" and n.random.random() < 0.4
    relu = kind == "Recurrent" and n.random.random() < 0.3
    times = 2 if name == "Bidirectional" else 1
    both = [recurrent_parameters(n, kind, n.out.shape[-1], units, bias) for _ in range(times)]

    def function(x, p, _):
        directions = [p[:len(p) // len(both)], p[len(p) // len(both):]][:len(both)]
        if not backwards:
            y = run_recurrent(kind, relu, x, directions, bias, units)
            return torch.cat([y[:, -1, :units], y[:, 0, units:]], -1) if last else y
        y = run_recurrent(kind, relu, x.flip(1), directions, bias, units).flip(1)
        return y[:, 0] if last else y
    own = options(last=last or None, backwards=backwards or None, bias=None if bias else False)
    inside = f"{kind}({units}{', relu' if relu else ''}{own})"
    return Part(name, f"Bidirectional({inside})" if name == "Bidirectional" else inside, sum(both, []), function)


# Attention.

def attention_parameters(n, width, bias):
    return [n.parameter(s) for _ in range(4) for s in ([[width, width], [width]] if bias else [[width, width]])]


def attend(x, p, heads, bias, causal):
    width, step = x.shape[-1], 2 if bias else 1
    w = torch.cat([p[i * step].t() for i in range(3)])
    b = torch.cat([p[i * step + 1] for i in range(3)]) if bias else None
    mask = torch.full([x.shape[1]] * 2, -math.inf, dtype=x.dtype).triu(1) if causal else None
    t = x.transpose(0, 1)
    y, _ = F.multi_head_attention_forward(t, t, t, width, heads, w, b, None, None, False, 0.0, p[3 * step].t(),
                                          p[3 * step + 1] if bias else None, need_weights=False, attn_mask=mask)
    return y.transpose(0, 1)


def heads_of(n):
    return n.random.choice([h for h in (1, 2, 3) if n.out.shape[-1] % h == 0])


@layer("sequence", "Attention")
def attention(n, kind):
    heads, causal, bias = heads_of(n), n.random.random() < 0.5, n.random.random() < 0.7
    places = attention_parameters(n, n.out.shape[-1], bias)
    return Part(kind, f"Attention({heads}{options(causal=causal or None, bias=None if bias else False)})", places,
                lambda x, p, _: attend(x, p, heads, bias, causal))


@layer("sequence", "TransformerBlock")
def transformer_block(n, kind):
    heads, hidden, width = heads_of(n), n.width(2, 6), n.out.shape[-1]
    causal, bias, pre = (n.random.random() < 0.5 for _ in range(3))
    name = n.random.choice(["gelu", "relu", "tanh"])
    shapes = [[width, hidden], [hidden], [hidden, width], [width]] if bias else [[width, hidden], [hidden, width]]
    make = {"norm": lambda: affine_parameters(n, [width]), "attention": lambda: attention_parameters(n, width, bias),
            "feed": lambda: [n.parameter(s) for s in shapes]}
    order = ["norm", "attention", "norm", "feed"] if pre else ["attention", "norm", "feed", "norm"]
    blocks = [make[block]() for block in order]

    def function(x, p, _):
        parts = {"norm": [], "attention": [], "feed": []}
        for block, places in zip(order, blocks):
            parts[block].append(p[:len(places)])
            p = p[len(places):]
        (a, b), (att,), (f,) = parts["norm"], parts["attention"], parts["feed"]

        def fed(t):
            h = ACTIVATIONS[name](F.linear(t, f[0].t(), f[1] if bias else None))
            return F.linear(h, f[-2 if bias else -1].t(), f[-1] if bias else None)

        def normed(t, w):
            return F.layer_norm(t, [width], *w)
        if pre:
            y = x + attend(normed(x, a), att, heads, bias, causal)
            return y + fed(normed(y, b))
        y = normed(x + attend(x, att, heads, bias, causal), a)
        return normed(y + fed(y), b)
    own = options(causal=causal or None, pre_norm=None if pre else False, bias=None if bias else False)
    return Part(kind, f"TransformerBlock({heads}, {hidden}, {name}{own})", sum(blocks, []), function)


@layer("sequence", "SinusoidalPositions", "LearnedPositions")
def positions(n, kind):
    times, width = n.out.shape[1:]
    if kind == "LearnedPositions":
        return Part(kind, f"{kind}()", [n.parameter([times, width])], lambda x, p, _: x + p[0])
    if width % 2:
        return None
    table = torch.tensor([[(math.cos if i % 2 else math.sin)(t / 10000**(2 * (i // 2) / width)) for i in range(width)]
                          for t in range(times)], dtype=torch.float64)
    return Part(kind, f"{kind}()", [], lambda x, p, _: x + table.to(x.dtype))


@layer("sequence", "RotaryPositions")
def rotary_positions(n, kind):
    times, width = n.out.shape[1:]
    if width % 2:
        return None
    base = n.random.choice([10000, 30])
    angle = torch.arange(times)[:, None] * base ** (-2 * torch.arange(width // 2, dtype=torch.float64) / width)

    def function(x, p, _):  # as rotate_half of Hugging Face's modeling_llama.py
        c, s = (torch.cat([t, t], 1).to(x.dtype) for t in (angle.cos(), angle.sin()))
        a, b = x.chunk(2, -1)
        return x * c + torch.cat([-b, a], -1) * s
    return Part(kind, f"{kind}({options(base=None if base == 10000 else base)[2:]})", [], function)


# ---- losses: each adds its last layer, and draws its targets, its C++, and the formulas of loss and predictions ----

LOSSES = {}


def loss(*names):
    def add(f):
        for name in names:
            LOSSES[name] = lambda n, name=name: f(n, name)
        return f
    return add


def reduced(l, counted, how):
    """Reduces losses l of elements or rows. Those with `counted` = 1 count."""
    counted = counted.to(l.dtype)
    if how == "total":
        return (l * counted).sum()
    if how == "over_elements":
        return (l * counted).sum() / counted.sum().clamp(min=1)
    return (l * counted).sum() / counted.reshape(len(l), -1).amax(1).sum().clamp(min=1)


def random_reduction(n, standard, choices=("over_elements", "over_batch", "total")):
    given = n.random.choice((None,) + tuple(choices))
    return given and "Reduction::" + given, given or standard


ELEMENTS = {
    "SquaredDiff": ("over_batch", lambda z, y: F.mse_loss(z, y, reduction="none")),
    "HalfSquared": ("over_batch", lambda z, y: F.mse_loss(z, y, reduction="none") / 2),
    "MeanSquaredError": ("over_elements", lambda z, y: F.mse_loss(z, y, reduction="none")),
    "AbsoluteError": ("over_elements", lambda z, y: F.l1_loss(z, y, reduction="none")),
    "Huber": ("over_elements", lambda z, y: F.huber_loss(z, y, reduction="none", delta=0.75)),
    "BinaryCE": ("over_elements", lambda z, y: F.binary_cross_entropy_with_logits(z, y, reduction="none")),
    "Hinge": ("over_elements", lambda z, y: F.relu(1 - torch.where(y > 0, 1.0, -1.0).to(z.dtype) * z)),
}


@loss(*ELEMENTS)
def of_elements(n, name):
    n.without = "sigmoid" if name == "BinaryCE" else None  # the loss applies this activation itself
    n.last(dense(n, "Linear"))
    standard, function = ELEMENTS[name]
    how_text, how = random_reduction(n, standard)
    n.y = n.draw(n.out.shape, 0 if name == "BinaryCE" else -2, 1 if name == "BinaryCE" else 2)
    ignore = maybe(n, 9)
    if ignore:
        n.y[torch.rand(n.y.shape, generator=n.numbers) < 0.3] = ignore
    weight = n.random.choice((None, 0.5, 3)) if name == "BinaryCE" else None
    if weight:
        def function(z, y):
            return F.binary_cross_entropy_with_logits(z, y, reduction="none", pos_weight=torch.full((1,), weight, dtype=z.dtype))
    own = options(positive_weight=weight, reduction=how_text, ignore=ignore)
    n.loss_cpp = f"{name}({'0.75' + own if name == 'Huber' else own[2:]})"
    n.predicted = torch.sigmoid if name == "BinaryCE" else lambda z: z

    def value(z, y):
        counted = y != ignore if ignore else torch.ones_like(y)
        return reduced(function(z, torch.where(counted.bool(), y, torch.zeros_like(y))), counted, how)
    n.loss_function = value


def rows_of(n, classes):
    """Ends the network in rows of numbers: (records, classes), or (records, time, classes) for sequences."""
    linear = n.out.dim() == 3 and n.random.random() < 0.7
    width = n.out.shape[-1] if linear else n.out[0].numel()
    places = [n.parameter([width, classes]), n.parameter([classes])]
    kind = "Linear" if linear else "Dense"
    n.last(Part(kind, f"{kind}({classes})", places,
                lambda x, p, _: F.linear(x if linear else x.flatten(1), p[0].t(), p[1])))


@loss("SoftmaxCE", "weighted SoftmaxCE")
def softmax_ce(n, name):
    classes = n.random.randint(2, 4)
    rows_of(n, classes)
    weighted = name != "SoftmaxCE"
    reductions = ("over_elements", "total") + (() if weighted else ("over_batch",))
    how_text, how = random_reduction(n, "over_elements", reductions)
    smoothing, ignore = maybe(n, 0.2), maybe(n, 1)
    n.y = torch.randint(0, classes, n.out.shape[:-1], generator=n.numbers).double()
    n.y.flatten()[0] = 0  # at least one record counts
    own = options(smoothing=smoothing, reduction=how_text, ignore=ignore)[2:]
    weights = [n.random.choice([0.5, 1.0, 2.0, 0.25]) for _ in range(classes)]
    n.loss_cpp = f"SoftmaxCE({own})" + (f".weighted({', '.join(map(str, weights))})" if weighted else "")
    n.predicted = lambda z: F.softmax(z, -1)

    def value(z, y):
        w = torch.tensor(weights, dtype=z.dtype) if weighted else None
        far = -100 if ignore is None else ignore
        flat, target = z.reshape(-1, classes), y.long().flatten()
        if weighted:
            return F.cross_entropy(flat, target, w, ignore_index=far, label_smoothing=smoothing or 0.0,
                                   reduction="mean" if how == "over_elements" else "sum")
        l = F.cross_entropy(flat, target, ignore_index=far, label_smoothing=smoothing or 0.0, reduction="none")
        return reduced(l.reshape(y.shape), y != far, how)
    n.loss_function = value


@loss("SoftmaxDistributionCE", "KLDivergence", "NLL", "CosineLoss", "MulticlassHinge")
def of_rows(n, name):
    classes = n.random.randint(2, 4)
    rows_of(n, classes)
    how_text, how = random_reduction(n, "over_elements")
    n.predicted = lambda z: z
    smoothing = maybe(n, 0.2) if name == "SoftmaxDistributionCE" else None
    own = options(smoothing=smoothing, reduction=how_text)
    n.loss_cpp = f"{name}({own[2:]})"
    n.y = F.softmax(n.draw(n.out.shape), -1)
    if name == "SoftmaxDistributionCE":
        n.predicted = lambda z: F.softmax(z, -1)

        def rows(z, y):
            y = (1 - (smoothing or 0)) * y + (smoothing or 0) / classes
            return -(y * F.log_softmax(z, -1)).sum(-1)
    elif name == "KLDivergence":
        n.predicted = lambda z: F.softmax(z, -1)

        def rows(z, y):
            return F.kl_div(F.log_softmax(z, -1), y, reduction="none").sum(-1)
    elif name == "NLL":
        n.last(Part("activation", "[](auto x) { return softmax(x); }", [], lambda x, p, _: F.softmax(x, -1)))
        n.loss_cpp = f"NLL(1e-7{own})"

        def rows(z, y):
            return -(y * z.clamp(1e-7, 1 - 1e-7).log()).sum(-1)
    elif name == "CosineLoss":
        n.y = n.draw(n.out.shape)
        n.loss_cpp = f"CosineLoss(1e-8{own})"

        def rows(z, y):
            return 1 - F.cosine_similarity(z, y, -1)
    else:
        n.y = torch.randint(0, classes, n.out.shape[:-1], generator=n.numbers).double()

        def rows(z, y):
            l = classes * F.multi_margin_loss(z.reshape(-1, classes), y.long().flatten(), reduction="none")
            return l.reshape(y.shape)

    def value(z, y):
        l = rows(z, y)
        return reduced(l, torch.ones_like(l), how)
    n.loss_function = value
    if n.element == "float":
        n.y = n.y.float().double()


@loss("CTC")
def ctc(n, name):
    times, classes, labels = 7, 4, 3
    width = n.out[0].numel()
    places = [n.parameter([width, times * classes]), n.parameter([times * classes])]
    n.last(Part("Dense", f"Dense({times * classes})", places, lambda x, p, _: F.linear(x.flatten(1), p[0].t(), p[1])))
    n.last(Part("Reshape", f"Reshape({times}, {classes})", [], lambda x, p, _: x.reshape(-1, times, classes)))
    lengths = [n.random.randint(1, labels) for _ in range(n.records)]
    n.y = torch.zeros(n.records, labels, dtype=torch.float64)
    for i, length in enumerate(lengths):
        n.y[i, :length] = torch.randint(1, classes, [length], generator=n.numbers).double()
    how_text, how = random_reduction(n, "over_batch")
    n.loss_cpp = f"CTC({labels}{options(reduction=how_text)})"
    n.predicted = lambda z: F.softmax(z, -1)

    def value(z, y):
        l = F.ctc_loss(F.log_softmax(z, -1).transpose(0, 1), y.long(), torch.full([n.records], times),
                       torch.tensor(lengths), reduction="none")
        if how == "over_elements":
            l = l / torch.tensor(lengths, dtype=z.dtype)
        return l.sum() if how == "total" else l.mean()
    n.loss_function = value


# ---- optimizers: C++, PyTorch's optimizer, and whether a step is proportional to the gradient ----

OPTIMIZERS = {
    "GradientDescent": ("GradientDescent{.learning_rate = 0.05}", lambda p, by: torch.optim.SGD(p, 0.05 * by), True),
    "Momentum": ("Momentum{.learning_rate = 0.05, .momentum = 0.8}",
                 lambda p, by: torch.optim.SGD(p, 0.05 * by, momentum=0.8), True),
    "Nesterov": ("Nesterov{.learning_rate = 0.05, .momentum = 0.8}",
                 lambda p, by: torch.optim.SGD(p, 0.05 * by, momentum=0.8, nesterov=True), True),
    "Adagrad": ("Adagrad{.learning_rate = 0.05, .epsilon = 1e-6}",
                lambda p, by: torch.optim.Adagrad(p, 0.05 * by, eps=1e-6), False),
    "Adadelta": ("Adadelta{.learning_rate = 0.7, .decay = 0.8, .epsilon = 1e-5}",
                 lambda p, by: torch.optim.Adadelta(p, 0.7 * by, rho=0.8, eps=1e-5), False),
    "Adam": ("Adam{.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6}",
             lambda p, by: torch.optim.Adam(p, 0.01 * by, (0.8, 0.95), 1e-6), False),
    "AdamW": ("AdamW{.learning_rate = 0.01, .weight_decay = 0.1}",
              lambda p, by: torch.optim.AdamW(p, 0.01 * by, weight_decay=0.1), False),
    "RMSprop": ("RMSprop{.learning_rate = 0.01, .decay = 0.9, .epsilon = 1e-6}",
                lambda p, by: torch.optim.RMSprop(p, 0.01 * by, 0.9, 1e-6), False),
    "NAdam": ("NAdam{.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .momentum_decay = 0.01}",
              # PyTorch 1.13 without foreach multiplies by one momentum too many.
              lambda p, by: torch.optim.NAdam(p, 0.01 * by, (0.8, 0.95), 1e-6, momentum_decay=0.01, foreach=True),
              False),
    "RAdam": ("RAdam{.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6}",
              lambda p, by: torch.optim.RAdam(p, 0.01 * by, (0.8, 0.95), 1e-6), False),
}
CLIPS = {"clip_gradients": 0.05, "clip_gradient_norm": 0.3, "clip_each_gradient_norm": 0.2}


def clipped(kind, gradients, limit):
    if kind == "clip_gradients":
        for g in gradients:
            g.clamp_(-limit, limit)
        return
    norms = [g.norm() for g in gradients]
    if kind == "clip_gradient_norm":
        norms = [torch.stack(norms).norm()] * len(gradients)
    for g, norm in zip(gradients, norms):
        if norm > limit:
            g.mul_(limit / norm)


if __name__ == "__main__":
    given = oracle.arguments(__doc__.splitlines()[0], 20)
    torch.set_default_dtype(torch.float64)  # state of optimizers: NAdam's product of momenta
    shown, networks = {}, []
    for i in range(given.count):
        networks.append(Network(i, given.seed, shown))
    everything = set(LAYERS) | set(ACTIVATIONS) | set(LOSSES) | set(OPTIMIZERS) | set(CLIPS)
    never = sorted(everything - {what for n in networks for what, _ in n.parts})
    if never:
        print("in none of these networks: " + ", ".join(never))
    sys.exit(oracle.check("networks", networks, ["<sigma/sigma.hpp>", '"oracle/trained.hpp"'], given, 3))
