#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares values and gradients of random programs in the tensor language with PyTorch.

    random_programs.py --count 40 --seed 1 --compiler clang++ -- COMPILER_FLAGS

A program is a lambda of about ten operations on arguments of ranks 0 to 6. Each operation also has its counterpart in
PyTorch. The program is evaluated while it is generated, so that each operation gets operands at which it is defined and
differentiable. Cases at 0, at infinity and between equal elements are in tests/unit. Results are weighted by random
arguments and summed. The gradients of all arguments are compared; those of the weights are the results. The compiler traces
each program. The same function with a capture is traced when it is called, with `shaped` arrays and with plain arrays.

Operations that were used least come first, so ten programs use nearly all of them. --seed and --only repeat one program.
"""
import sys

import torch
import torch.nn.functional as F

import oracle

NEAR = 1e-3   # closer numbers may be equal or exchanged after another order of summation


def spelled(numbers):
    return ", ".join("batch" if n == -1 else f"{-n} * batch" if n < 0 else str(n) for n in numbers)


def braces_of(numbers):
    """Returns the C++ of an argument of type Shape."""
    return f"Shape{{{spelled(numbers)}}}"


def braces(numbers):
    return "{" + spelled(numbers) + "}"


def factors(random_, n, most):
    """Draws extents whose product is n."""
    parts = []
    while n > 1 and len(parts) < most - 1:
        parts.append(random_.choice([k for k in range(1, n + 1) if n % k == 0]))
        n //= parts[-1]
    return parts + [n] if n > 1 or not parts else parts


def apart(a, b):
    """Returns whether a and b are equal only if both are exactly the same whole number."""
    return bool((((a - b).abs() > NEAR) | ((a == b) & (a == a.round()))).all())


def away_from_whole(t):
    """Returns whether rounding cannot change the floor of any element."""
    return bool(((t - t.round()).abs() > NEAR).all())


def one_greatest(t, axes, ties=True):
    """Returns whether the maximum along some axes is unique, or (`ties`) all near elements are the same whole number."""
    greatest = t.amax(axes, keepdim=True)
    near = greatest - t < NEAR
    fine = near.sum(axes, keepdim=True) == 1
    if ties:
        fine = fine | (t == greatest) & (t == t.round())
    return bool((fine | ~near).all())


class Value:
    def __init__(self, name, value, operation=None, cpp=None, function=None, operands=()):
        self.name, self.value, self.operation, self.cpp = name, value, operation, cpp
        self.function, self.operands, self.used = function, operands, False


class Program(oracle.Case):
    word = "program"
    records = 11       # a prime that divides no other extent, so extents of the batch can be recognized
    has_batch = True   # otherwise all extents are plain numbers
    most = 600         # elements

    def is_batch(self, n):
        return self.has_batch and n % self.records == 0

    def batch_axes(self, t):
        return sum(self.is_batch(n) for n in t.shape)

    def only_first(self, t):
        """Returns whether no axis except the first may be the batch."""
        return not any(self.is_batch(n) for n in t.shape[1:])

    def extents(self, shape):
        """Returns extents in C++: -k for k batches."""
        return [-(n // self.records) if self.is_batch(n) else n for n in shape]

    def grow(self, shown):
        self.element = self.random.choice(["float", "double"])
        self.batched = self.random.random() < 0.75
        self.arguments, self.values = [], []
        for _ in range(self.random.randint(1, 2)):
            self.argument(self.shape())
        if self.batched:
            self.argument([self.records] + self.shape(3)[:3])
        wanted = self.random.randint(8, 12)
        for _ in range(200):
            by_need = self.random.random() < 0.7
            operation = min(OPERATIONS, key=lambda o: (shown.get(o, 0) if by_need else 0, self.random.random()))
            OPERATIONS[operation](self)
            if len(self.values) - len(self.arguments) >= wanted:
                break
        self.results = [v for v in self.values if not v.used and v.operation]
        self.weights = [self.argument(v.value.shape) for v in self.results]
        self.parts = [(o, how) for o in sorted({v.operation for v in self.values if v.operation})
                      for how in ("value", "gradient") if how == "value" or o not in WITHOUT_GRADIENT]
        self.given = [a.value for a in self.arguments]
        self.ways = ["", "captures: "]
        if not any(v.operation == "scan" for v in self.values):  # it needs a batch
            self.ways.append("as they come: ")

    # ---- growing ----

    def numbers_of(self, shape, low=-2.0, high=2.0):
        t = low + (high - low) * torch.rand(list(shape), generator=self.numbers, dtype=torch.float64)
        return (t.float() if self.element == "float" else t).double()

    def argument(self, shape, low=-2.0, high=2.0):
        """Adds an argument. Its numbers are exact in the element type."""
        v = Value(f"x{len(self.arguments)}", self.numbers_of(shape, low, high).requires_grad_())
        self.arguments.append(v)
        self.values.append(v)
        return v

    def shape(self, rank=None):
        rank = self.random.randint(0, 6) if rank is None else rank
        small = [1, 1, 2, 2, 3] if rank > 4 else [1, 2, 3, 4, 5, 7, 8, 9]
        return [self.random.choice(small) for _ in range(rank)]

    def pick(self, fits=lambda t: True):
        """Returns a value that fits, preferably an unused one, or None."""
        found = [v for v in self.values if fits(v.value)]
        fresh = [v for v in found if not v.used]
        return self.random.choice(fresh if fresh and self.random.random() < 0.7 else found) if found else None

    def emit(self, operation, cpp, function, *operands):
        """Adds a value if it is finite and small. In `cpp`, $0 is the first operand."""
        out = function(*(o.value for o in operands))
        if not torch.isfinite(out).all() or out.abs().max() > 50 or out.numel() > self.most or out.dim() > 6:
            return None
        if self.batch_axes(out) > any(self.batch_axes(o.value) for o in operands) and operation != "broadcast_to":
            return None  # an extent that equals the batch by chance, or a second batch
        for i, o in enumerate(operands):
            cpp = cpp.replace(f"${i}", o.name)
        v = Value(f"v{len(self.values)}", out, operation, cpp, function, operands)
        for o in operands:
            o.used = True
        self.values.append(v)
        return v

    def away_from_zero(self, x):
        """Returns x, or a positive number computed from it."""
        if x.value.min() > 0.2:
            return x
        return self.emit("square", "square($0) + 0.5", lambda t: t * t + 0.5, x)

    def partner(self, x):
        """Returns another value that broadcasts with x, or a new argument that does."""
        def fits(t):
            try:
                out = torch.broadcast_shapes(t.shape, x.value.shape)
            except RuntimeError:
                return False
            return torch.Size(out).numel() <= self.most and sum(self.is_batch(n) for n in out) <= 1
        y = self.pick(lambda t: t is not x.value and fits(t))
        if y and self.random.random() < 0.7:
            return y
        shape = [1 if self.random.random() < 0.3 else n for n in x.value.shape]
        while shape and self.random.random() < 0.3:
            shape = shape[1:]
        return self.argument(shape)

    def some_axes(self, t):
        """Returns axes in C++, some counted from the end, and in PyTorch."""
        axes = [a for a in range(t.dim()) if self.random.random() < 0.5] or [self.random.randrange(t.dim())]
        return ", ".join(str(a - t.dim() if self.random.random() < 0.4 else a) for a in axes), tuple(axes)

    # ---- as a case ----

    def cpp(self):
        names = [a.name for a in self.arguments]
        text = f"    static constexpr auto body = [](int batch, {', '.join('auto ' + n for n in names)}) {{\n"
        for v in self.values:
            if v.operation:
                text += f"        const auto {v.name} = {v.cpp};\n"
        weighted = " + ".join(f"sum({v.name} * {w.name})" for v, w in zip(self.results, self.weights))
        text += f"        return {weighted};\n    }};\n"
        text += "    constexpr auto f = [](auto... x) { return body(batch, x...); };\n"
        text += "    const auto captures = [](int n) { return [n](auto... x) { return body(n, x...); }; };\n"
        for a in self.arguments:
            shape = ", ".join(map(str, a.value.shape))
            text += f"    const auto {a.name} = arrays.take_array<{self.element}>({{{shape}}});\n"
        given = ", ".join(f"shaped<{spelled(self.extents(a.value.shape))}>({a.name})" for a in self.arguments)
        text += f"    arrays.give(value_and_gradient(f)({given}));\n"
        text += f"    arrays.give(value_and_gradient(captures(batch))({given}));\n"
        if len(self.ways) > 2:
            for what in ("evaluate", "gradient"):
                text += f"    arrays.give({what}(captures({self.records}))({', '.join(names)}));\n"
        return text

    def wanted(self, dtype, broken=None):
        now = {a.name: a.value.detach().to(dtype).requires_grad_() for a in self.arguments}
        for v in self.values:
            if v.operation:
                out = v.function(*(now[o.name] for o in v.operands))
                now[v.name] = oracle.broken_by(out, broken[1]) if broken and broken[0] == v.operation else out
        total = sum((now[v.name] * now[w.name]).sum() for v, w in zip(self.results, self.weights))
        leaves = [now[a.name] for a in self.arguments]
        gradients = torch.autograd.grad(total, leaves, allow_unused=True)
        names = {w.name: f"result {v.name}, {v.cpp}" for v, w in zip(self.results, self.weights)}
        results = [("sum", total)]
        results += [(names.get(a.name, f"gradient of {a.name}"), torch.zeros_like(t) if g is None else g)
                    for a, t, g in zip(self.arguments, leaves, gradients)]
        return self.each_way(results)


OPERATIONS = {}  # name -> function that adds the operation to a program if it finds operands
WITHOUT_GRADIENT = {"sign", "floor", "round", "argmax", "argmin", "argsort", "top_k indices", "one_hot", "<", "<=", ">", ">=", "equal", "not_equal", "stop_gradient"}


def operation(*names):
    def add(f):
        for name in names:
            OPERATIONS[name] = lambda p, name=name: f(p, name)
        return f
    return add


# ---- element by element ----

def softplus(t):
    return F.softplus(t, threshold=1e9)


UNARY = {  # C++, PyTorch, allowed operands
    "negate": ("-$0", torch.neg, lambda t: True),
    "abs": ("abs($0)", torch.abs, lambda t: apart(t, t * 0)),
    "sign": ("sign($0)", torch.sign, lambda t: apart(t, t * 0)),
    "exp": ("exp($0)", torch.exp, lambda t: t.max() < 3),
    "expm1": ("expm1($0)", torch.expm1, lambda t: t.max() < 3),
    "log": ("log($0)", torch.log, lambda t: t.min() > 0.2),
    "log1p": ("log1p($0)", torch.log1p, lambda t: t.min() > -0.8),
    "sqrt": ("sqrt($0)", torch.sqrt, lambda t: t.min() > 0.2),
    "rsqrt": ("rsqrt($0)", torch.rsqrt, lambda t: t.min() > 0.2),
    "tanh": ("tanh($0)", torch.tanh, lambda t: True),
    "sigmoid": ("sigmoid($0)", torch.sigmoid, lambda t: True),
    "sin": ("sin($0)", torch.sin, lambda t: True),
    "cos": ("cos($0)", torch.cos, lambda t: True),
    "tan": ("tan($0)", torch.tan, lambda t: t.abs().max() < 1.2),
    "asin": ("asin($0)", torch.asin, lambda t: t.abs().max() < 0.9),
    "acos": ("acos($0)", torch.acos, lambda t: t.abs().max() < 0.9),
    "atan": ("atan($0)", torch.atan, lambda t: True),
    "erf": ("erf($0)", torch.erf, lambda t: True),
    "floor": ("floor($0)", torch.floor, away_from_whole),
    "round": ("round($0)", torch.round, lambda t: bool(((t - t.floor() - 0.5).abs() > NEAR).all())),
    "stop_gradient": ("stop_gradient($0)", lambda t: t.detach(), lambda t: True),
    "square": ("square($0)", torch.square, lambda t: True),
    "relu": ("relu($0)", torch.relu, lambda t: apart(t, t * 0)),
    "softplus": ("softplus($0)", softplus, lambda t: True),
    "gelu": ("gelu($0)", lambda t: F.gelu(t, approximate="tanh"), lambda t: True),
}


@operation(*UNARY)
def unary(p, name):
    cpp, function, fits = UNARY[name]
    x = p.pick(fits)
    if not x and name in ("log", "log1p", "sqrt", "rsqrt"):
        x = p.away_from_zero(p.pick())
    return x and p.emit(name, cpp, function, x)


COMPARISONS = {"<": torch.lt, "<=": torch.le, ">": torch.gt, ">=": torch.ge, "equal": torch.eq, "not_equal": torch.ne}
BINARY = {"+": torch.add, "mod": torch.remainder, "-": torch.sub, "*": torch.mul, "/": torch.div, "pow": torch.pow, "max": torch.maximum,
          "min": torch.minimum, **{name: lambda a, b, f=f: f(a, b).to(a.dtype) for name, f in COMPARISONS.items()}}


@operation(*BINARY)
def binary(p, name):
    function = BINARY[name]
    cpp = "$0 " + name + " $1" if name[0] in "+-*/<>" else name + "($0, $1)"
    x = p.pick()
    number = p.random.choice([0.5, -1.25, 2.0, 0.75])
    how = p.random.random()
    if name == "pow" and how < 0.4:
        number = p.random.choice([0.5, -0.5, -1.0, 1.0, 2.0, 3.0, 1.7])
        x = x if number in (1, 2, 3) else p.away_from_zero(x)
        return x and p.emit(name, f"pow($0, {number})", lambda t: t**number, x)
    if how < 0.3 and name not in ("not_equal", "pow"):  # one operand is a number
        left = p.random.random() < 0.5
        if name in ("/", "mod") and left:
            x = p.away_from_zero(x)
        if x and name == "mod" and not away_from_whole(number / x.value if left else x.value / number):
            return None
        if not x or (name not in ("+", "-", "*", "/", "mod") and not apart(x.value, torch.full_like(x.value, number))):
            return None
        if left:
            cpp = cpp.replace("$0", str(number)).replace("$1", "$0")
            return p.emit(name, cpp, lambda t: function(torch.full_like(t, number), t), x)
        return p.emit(name, cpp.replace("$1", str(number)), lambda t: function(t, torch.full_like(t, number)), x)
    if name in ("equal", "not_equal"):  # of whole numbers, or never
        signs = p.pick(lambda t: apart(t, t * 0))
        x = signs and p.emit("sign", "sign($0)", torch.sign, signs)
    y = x and p.partner(x)
    if name == "pow":
        x = x and p.away_from_zero(x)
    if name in ("/", "mod"):
        y = y and p.away_from_zero(y)
    if x and y and name == "mod" and not away_from_whole(x.value / y.value):
        return None
    if not x or not y or (name not in ("+", "-", "*", "/", "pow", "mod") and not apart(*torch.broadcast_tensors(x.value, y.value))):
        return None
    return p.emit(name, cpp, function, x, y)


@operation("where")
def where(p, name):
    c = p.pick(lambda t: apart(t, t * 0))
    x = c and p.partner(c)
    y = x and p.partner(x)
    if not y:
        return None
    try:
        torch.broadcast_shapes(c.value.shape, x.value.shape, y.value.shape)
    except RuntimeError:
        return None
    return p.emit(name, "where($0, $1, $2)", lambda c_, x_, y_: torch.where(c_ != 0, x_, y_), c, x, y)


# ---- reductions ----

REDUCTIONS = {
    "sum": lambda t, a, keep: t.sum(a, keepdim=keep),
    "mean": lambda t, a, keep: t.mean(a, keepdim=keep),
    "reduce_max": lambda t, a, keep: t.amax(a, keepdim=keep),
    "reduce_min": lambda t, a, keep: t.amin(a, keepdim=keep),
    "variance": lambda t, a, keep: t.var(a, unbiased=False, keepdim=keep),
    "standard_deviation": lambda t, a, keep: t.var(a, unbiased=False, keepdim=keep).sqrt(),
    "norm": lambda t, a, keep: t.square().sum(a, keepdim=keep).sqrt(),
}


@operation(*REDUCTIONS)
def reduction(p, name):
    function, word = REDUCTIONS[name], name.replace("reduce_", "")
    x = p.pick(lambda t: t.dim() > 0)
    if not x:
        return None
    keep = p.random.random() < 0.5
    text, axes = p.some_axes(x.value)
    if p.random.random() < 0.25:
        axes, keep, cpp = tuple(range(x.value.dim())), False, f"{word}($0)"
    else:
        cpp = f"{word}($0, {'axis' if len(axes) == 1 else 'axes'}({text}){', keep' if keep else ''})"
    if word in ("max", "min") and not one_greatest(x.value if word == "max" else -x.value, axes):
        return None
    if name in ("variance", "standard_deviation", "norm") and function(x.value, axes, keep).min() < NEAR:
        return None  # for equal elements it is 0 apart from rounding, which sign would show
    return p.emit(name, cpp, lambda t: function(t, axes, keep), x)


SOFTMAX = {"softmax": torch.softmax, "log_softmax": torch.log_softmax, "logsumexp": torch.logsumexp}


@operation(*SOFTMAX)
def softmax(p, name):
    x = p.pick(lambda t: t.dim() > 0)
    if not x:
        return None
    axis = p.random.randrange(x.value.dim())
    last = axis == x.value.dim() - 1 and p.random.random() < 0.5
    return p.emit(name, f"{name}($0)" if last else f"{name}($0, axis({axis}))", lambda t: SOFTMAX[name](t, axis), x)


@operation("argmin")
def argmin(p, name):
    x = p.pick(lambda t: t.dim() > 0)
    if not x:
        return None
    axis = p.random.randrange(x.value.dim())
    if not one_greatest(-x.value, (axis,), ties=False):
        return None
    return p.emit(name, f"argmin($0, axis({axis}))", lambda t: t.argmin(axis).to(t.dtype), x)


@operation("argmax", "one_hot", "gather")
def argmax(p, name):
    x = p.pick(lambda t: t.dim() > 0)
    if not x:
        return None
    axis = p.random.randrange(x.value.dim())
    classes = x.value.shape[axis]
    if not one_greatest(x.value, (axis,), ties=False):
        return None
    y = p.emit("argmax", f"argmax($0, axis({axis}))", lambda t: t.argmax(axis).to(t.dtype), x)
    if name == "argmax" or not y or p.is_batch(classes):
        return y

    def whole(t):  # even if argmax is broken on purpose
        return t.round().long().clamp(0, classes - 1)
    if name == "one_hot":
        return p.emit(name, f"one_hot($0, {classes})", lambda t: F.one_hot(whole(t), classes).to(t.dtype), y)
    table = p.argument([classes, p.random.randint(1, 5)])
    return p.emit(name, "gather($0, $1)", lambda w, t: w[whole(t)], table, y)


# ---- movement ----

@operation("reshape")
def reshape(p, name):
    x = p.pick()
    n = x.value.numel()
    numbers = []
    if p.batch_axes(x.value):
        n //= p.records
        batches = p.random.choice([k for k in range(1, n + 1) if n % k == 0]) if p.random.random() < 0.3 else 1
        n //= batches
        numbers = [batches * p.records]
    parts = factors(p.random, n, 6 - len(numbers))
    shape = numbers + parts if p.random.random() < 0.7 else parts + numbers
    return p.emit(name, f"reshape($0, {braces_of(p.extents(shape))})", lambda t: t.reshape(shape), x)


@operation("flatten")
def flatten(p, name):
    x = p.pick(lambda t: t.dim() >= 2 and p.only_first(t))
    return x and p.emit(name, "flatten($0)", lambda t: t.reshape(t.shape[0], -1), x)


@operation("permute")
def permute(p, name):
    x = p.pick(lambda t: t.dim() >= 2)
    if not x:
        return None
    order = p.random.sample(range(x.value.dim()), x.value.dim())
    return p.emit(name, f"permute($0, {braces_of(order)})", lambda t: t.permute(order), x)


@operation("transpose")
def transpose(p, name):
    x = p.pick(lambda t: t.dim() >= 2)
    return x and p.emit(name, "transpose($0)", lambda t: t.permute(*reversed(range(t.dim()))), x)


def fixed_axis(p, fits=lambda n: True):
    """Returns a value and one of its axes, not the batch, whose extent fits: in C++, and from 0."""
    x = p.pick(lambda t: any(not p.is_batch(n) and fits(n) for n in t.shape))
    if not x:
        return None, None, None
    axis = p.random.choice([a for a, n in enumerate(x.value.shape) if not p.is_batch(n) and fits(n)])
    return x, axis - x.value.dim() if p.random.random() < 0.4 else axis, axis


@operation("slice")
def slice_(p, name):
    x, given, axis = fixed_axis(p, lambda n: n > 1)
    if not x:
        return None
    first = p.random.randrange(x.value.shape[axis])
    end = p.random.randint(first + 1, x.value.shape[axis])
    if p.is_batch(end - first):
        return None
    return p.emit(name, f"slice($0, axis({given}), {first}, {end})", lambda t: t.narrow(axis, first, end - first), x)


# ---- along an axis, and matrices ----

def in_order(t, axis):
    """Returns whether rounding cannot exchange any two elements."""
    s = t.sort(axis).values
    return bool((s.narrow(axis, 1, s.shape[axis] - 1) - s.narrow(axis, 0, s.shape[axis] - 1) > NEAR).all())


def summed_backwards(t, axis):
    return t.flip(axis).cumsum(axis).flip(axis) - t


def recurrence(a, b):
    out = [b[..., 0]]
    for i in range(1, b.shape[-1]):
        out.append(a[..., i] * out[-1] + b[..., i])
    return torch.stack(out, -1)


CUMULATIVE = {
    "cumsum": ("cumsum($0, axis({}))", torch.cumsum),
    "cumsum_backwards": ("cumsum($0, axis({}), {{.exclusive = true, .reverse = true}})", summed_backwards),
    "cumprod": ("cumprod($0, axis({}))", torch.cumprod),
}


@operation(*CUMULATIVE)
def cumulative(p, name):
    x, given, axis = fixed_axis(p)
    cpp, function = CUMULATIVE[name]
    return x and p.emit(name, cpp.format(given), lambda t: function(t, axis), x)


@operation("linear_recurrence")
def linear_recurrence(p, name):
    x = p.pick(lambda t: t.dim() > 0 and not p.is_batch(t.shape[-1]))
    return x and p.emit(name, "linear_recurrence($0, $1)", recurrence, p.argument(x.value.shape, -1, 1), x)


@operation("sort", "argsort", "top_k", "top_k indices", "gather_along")
def sort(p, name):
    x, given, axis = fixed_axis(p)
    if not x or not in_order(x.value, axis):
        return None
    k = p.random.randint(1, x.value.shape[axis])
    if p.is_batch(k):
        return None
    if name == "top_k":
        return p.emit(name, f"top_k($0, {k}, axis({given})).values", lambda t: t.topk(k, axis).values, x)
    if name == "top_k indices":
        return p.emit(name, f"top_k($0, {k}, axis({given})).indices", lambda t: t.topk(k, axis).indices.to(t.dtype), x)
    down = p.random.random() < 0.5
    order = ", SortOrder::descending" if down else ""
    if name == "sort":
        return p.emit(name, f"sort($0, axis({given}){order})", lambda t: t.sort(axis, descending=down).values, x)
    y = p.emit("argsort", f"argsort($0, axis({given}){order})",
               lambda t: t.argsort(axis, descending=down).to(t.dtype), x)
    if name == "argsort" or not y:
        return y

    def whole(t):  # even if argsort is broken on purpose
        return t.round().long().clamp(0, x.value.shape[axis] - 1)
    z = p.argument(x.value.shape)
    return p.emit(name, f"gather($0, $1, axis({given}))", lambda w, t: w.gather(axis, whole(t)), z, y)


MATRICES = {
    "inverse": ("inverse($0)", torch.linalg.inv),
    "determinant": ("determinant($0)", torch.linalg.det),
    "slogdet": ("slogdet($0).logarithm", lambda t: torch.linalg.slogdet(t).logabsdet),
    "solve": ("solve($0, $1)", torch.linalg.solve),
}


@operation(*MATRICES)
def matrices(p, name):
    n = p.random.randint(1, 5)
    shape = ([p.records] if p.batched else [2]) if p.random.random() < 0.7 else []
    a = p.argument(shape + [n, n], -1, 1)
    a = p.emit("+", f"$0 + 3.0 * one_hot(iota_beside($0, {n}), {n})",
               lambda t: t + 3 * torch.eye(n, dtype=t.dtype), a)  # far from singular
    b = [p.argument(shape + [n, p.random.randint(1, 4)])] if name == "solve" else []
    cpp, function = MATRICES[name]
    return a and p.emit(name, cpp, function, a, *b)


@operation("concatenate")
def concatenate(p, name):
    x, given, axis = fixed_axis(p)
    if not x:
        return None
    parts = [x]
    for _ in range(p.random.randint(1, 2)):
        def fits(t):
            return t.dim() == x.value.dim() and all(a == axis or t.shape[a] == n for a, n in enumerate(x.value.shape))
        y = p.pick(lambda t: fits(t) and not p.is_batch(t.shape[axis])) if p.random.random() < 0.5 else None
        parts.append(y or p.argument([p.random.randint(1, 3) if a == axis else n for a, n in enumerate(x.value.shape)]))
    if p.is_batch(sum(v.value.shape[axis] for v in parts)):
        return None
    cpp = f"concatenate(axis({given}), {', '.join(f'${i}' for i in range(len(parts)))})"
    return p.emit(name, cpp, lambda *t: torch.cat(t, axis), *parts)


@operation("zero_pad")
def zero_pad(p, name):
    x, given, axis = fixed_axis(p)
    if not x:
        return None
    before, after = p.random.randint(0, 2), p.random.randint(0, 2)
    if p.is_batch(x.value.shape[axis] + before + after):
        return None
    pad = [0, 0] * (x.value.dim() - 1 - axis) + [before, after]
    return p.emit(name, f"zero_pad($0, axis({given}), {before}, {after})", lambda t: F.pad(t, pad), x)


@operation("pad")
def pad(p, name):
    x, given, axis = fixed_axis(p)
    if not x:
        return None
    n = x.value.shape[axis]
    mode = p.random.choice(["value", "edge", "reflect"])
    most = n - 1 if mode == "reflect" else 2
    before, after = (p.random.randint(0, min(most, 3)) for _ in range(2))
    if p.is_batch(n + before + after):
        return None
    if mode == "value":
        return p.emit(name, f"pad($0, axis({given}), {before}, {after}, 0.75)", lambda t: F.pad(
            t, [0, 0] * (t.dim() - 1 - axis) + [before, after], value=0.75), x)
    at = [abs(i) if mode == "reflect" else max(i, 0) for i in range(-before, n + after)]
    at = torch.tensor([(2 * (n - 1) - i if mode == "reflect" else n - 1) if i >= n else i for i in at])
    return p.emit(name, f"pad($0, axis({given}), {before}, {after}, PadMode::{mode})",
                  lambda t: t.index_select(axis, at), x)


@operation("broadcast_to")
def broadcast_to(p, name):
    x = p.pick(lambda t: t.dim() < 6)
    if not x:
        return None
    shape = [p.random.randint(1, 3) if n == 1 else n for n in x.value.shape]
    if p.random.random() < 0.7 or shape == list(x.value.shape):
        shape = [p.records if p.batched and not p.batch_axes(x.value) else 2] + shape
    return p.emit(name, f"broadcast_to($0, {braces_of(p.extents(shape))})", lambda t: t.expand(shape), x)


# ---- products ----

@operation("dot")
def dot(p, name):
    a = p.pick(lambda t: t.dim() >= 1)
    if not a:
        return None
    k, n = a.value.shape[-1], p.random.randint(1, 5)
    shapes = [[k], [k, n]]
    if a.value.dim() > 2:
        shapes.append(list(a.value.shape[:-2]) + [k, n])
    shape = p.random.choice(shapes)
    if sum(p.is_batch(e) for e in shape) > 1:
        return None
    b = p.pick(lambda t: list(t.shape[:len(shape) - 1]) == shape[:-1] and t.dim() == len(shape) and
               (len(shape) > 1 or t.shape[0] == k))
    if not b or p.random.random() < 0.5:
        b = p.argument(shape, -1, 1)
    return p.emit(name, "dot($0, $1)", torch.matmul, a, b)


@operation("einsum")
def einsum(p, name):
    a = p.pick(lambda t: 1 <= t.dim() <= 4)
    if not a:
        return None
    letters = "abcdefgh"[:a.value.dim()]
    extent = dict(zip(letters, a.value.shape))
    if p.random.random() < 0.3:  # sums and transposes
        kept = p.random.sample(letters, p.random.randint(0, len(letters)))
        text = f"{letters}->{''.join(kept)}"
        return p.emit(name, f'einsum("{text}", $0)', lambda t: torch.einsum(text, t), a)
    shared_ = p.random.sample(letters, p.random.randint(0, len(letters)))
    own = list("xyz"[:p.random.randint(0, 4 - len(shared_))]) if len(shared_) < 4 else []
    for letter in own:
        extent[letter] = p.random.choice([1, 2, 3, 5])
    second = shared_ + own
    p.random.shuffle(second)
    b = p.argument([extent[letter] for letter in second], -1, 1)
    result = [letter for letter in dict.fromkeys(list(letters) + own) if p.random.random() < 0.7]
    p.random.shuffle(result)
    text = f"{letters},{''.join(second)}->{''.join(result)}"
    return p.emit(name, f'einsum("{text}", $0, $1)', lambda t, u: torch.einsum(text, t, u), a, b)


def image(p):
    """Returns images of a batch, (n, h, w, c)."""
    x = p.pick(lambda t: t.dim() == 4 and t.shape[0] == p.records and p.only_first(t))
    if x and p.random.random() < 0.5:
        return x
    p.batched = True
    height, width = p.random.choice([(1, 7), (4, 3), (5, 5), (3, 4)])
    return p.argument([p.records, height, width, p.random.choice([1, 2, 4])])


def dense_copy(t):
    """Copies a tensor: PyTorch 1.13 rejects gradients of some permuted tensors."""
    return t.clone(memory_format=torch.contiguous_format)


def chw(t):
    return dense_copy(t.permute(0, 3, 1, 2))


def hwc(t):
    return t.permute(0, 2, 3, 1)


@operation("convolve", "convolve_transposed")
def convolve(p, name):
    x = image(p)
    _, h, w, c = x.value.shape
    transposed = name == "convolve_transposed"
    stride, dilation = [p.random.randint(1, 2) for _ in range(2)], [p.random.randint(1, 2) for _ in range(2)]
    groups = p.random.choice([g for g in (1, 2, c) if c % g == 0])
    kernel = [p.random.randint(1, 3) for _ in range(2)]
    if not transposed and any((k - 1) * d + 1 > n for k, d, n in zip(kernel, dilation, (h, w))):
        return None
    outputs = groups * p.random.randint(1, 3)
    weights = p.argument(kernel + ([c, outputs // groups] if transposed else [c // groups, outputs]), -1, 1)
    if transposed:
        def function(t, v):
            v = dense_copy(v.permute(2, 3, 0, 1))
            return hwc(F.conv_transpose2d(chw(t), v, None, stride, 0, 0, groups, dilation))
    else:
        def function(t, v):
            return hwc(F.conv2d(chw(t), dense_copy(v.permute(3, 2, 0, 1)), None, stride, 0, dilation, groups))
    geometry = f"sigma::detail::Convolution{{{braces(stride)}, {braces(dilation)}, {groups}}}"
    return p.emit(name, f"{name}($0, $1, {geometry})", function, x, weights)


@operation("max_pool", "average_pool")
def pool(p, name):
    x = image(p)
    _, h, w, _ = x.value.shape
    window = [p.random.randint(1, min(n, 3)) for n in (h, w)]
    stride = [p.random.randint(1, 3) for _ in range(2)]
    before = [p.random.randrange(n) if name == "max_pool" else 0 for n in window]
    after = [p.random.randrange(n) if name == "max_pool" else 0 for n in window]
    pooling = f"sigma::detail::Pooling{{{braces(window)}, {braces(stride)}, {braces(before)}}}"
    if name == "average_pool":
        return p.emit(name, f"{name}($0, {pooling})",
                      lambda t: hwc(F.avg_pool2d(chw(t), window, stride)), x)

    def padded(t):
        return F.pad(chw(t), [before[1], after[1], before[0], after[0]], value=-float("inf"))
    windows = padded(x.value).unfold(2, window[0], stride[0]).unfold(3, window[1], stride[1]).flatten(4)
    if windows.shape[-1] > 1:
        top = windows.topk(2, -1).values
        if not bool((top[..., 0] - top[..., 1] > NEAR).all()):
            return None
    return p.emit(name, f"{name}($0, {pooling}, {after[0]}, {after[1]})",
                  lambda t: hwc(F.max_pool2d(padded(t), window, stride)), x)


# ---- over time, and gradients within ----

@operation("scan")
def scan(p, name):
    p.batched = True
    times, units = p.random.randint(1, 5), p.random.randint(1, 5)
    x = p.pick(lambda t: t.dim() == 3 and t.shape[0] == p.records and p.only_first(t))
    x = x if x and p.random.random() < 0.5 else p.argument([p.records, times, units])
    times, units = x.value.shape[1:]
    h, u = p.argument([p.records, units]), p.argument([units, units], -0.7, 0.7)
    direction = p.random.choice(["forwards", "backwards"])
    only_last = p.random.random() < 0.4
    cpp = f"scan($0, $1, [&](auto now, auto before) {{ return tanh(now + dot(before, $2)); }}, Direction::{direction})"

    def function(t, state, weights):
        order = range(times) if direction == "forwards" else range(times - 1, -1, -1)
        all_ = [None] * times
        for i in order:
            state = all_[i] = torch.tanh(t[:, i] + state @ weights)
        return state if only_last else torch.stack(all_, 1)
    return p.emit(name, f"last({cpp}, Direction::{direction})" if only_last else cpp, function, x, h, u)


@operation("gradient")
def gradient(p, name):
    x = p.pick(lambda t: t.numel() <= 200)
    cpp, function = p.random.choice([
        ("square(u) * tanh(u)", lambda u: u * u * torch.tanh(u)),
        ("sin(u) * sigmoid(u)", lambda u: torch.sin(u) * torch.sigmoid(u)),
        ("exp(sin(u))", lambda u: torch.exp(torch.sin(u)))])

    def derivative(t):
        u = t if t.requires_grad else t.detach().requires_grad_()
        return torch.autograd.grad(function(u).sum(), u, create_graph=t.requires_grad)[0]
    return x and p.emit(name, f"gradient([](auto u) {{ return sum({cpp}); }})($0)", derivative, x)


if __name__ == "__main__":
    options = oracle.arguments(__doc__.splitlines()[0], 40)
    shown, programs = {}, []
    for i in range(options.count):
        programs.append(Program(i, options.seed, shown))
    never = sorted(set(OPERATIONS) - {v.operation for p in programs for v in p.values})
    if never:
        print("operations in none of these programs: " + ", ".join(never))
    headers = ["<sigma/function/function.hpp>", "<sigma/tape/along_axis.hpp>", "<sigma/tape/convolution.hpp>",
               "<sigma/tape/einsum.hpp>",
               "<sigma/tape/linear_algebra.hpp>", "<sigma/tape/scan.hpp>"]
    sys.exit(oracle.check("programs", programs, headers, options, 5))
