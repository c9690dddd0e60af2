#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that parameters of PyTorch and Keras load into networks of this library and back, with equal predictions.

Keras is not a package of Debian. So its layers are formulas in NumPy, with the layouts that its documentation states.

    foreign.py PROGRAM DIRECTORY      PROGRAM: foreign

Exits with 77 where PyTorch is not installed."""
import json
import pathlib
import shutil
import struct
import subprocess
import sys

try:
    import numpy
    import torch
except ImportError:
    sys.exit(77)
from torch import nn

TOLERANCE = 2e-5
RECORDS = 4
CODES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64"}


def write(path, tensors, sort=False):
    """Writes a safetensors file, in the given order or sorted as the format's own library sorts it."""
    names = sorted(tensors, key=lambda n: (-tensors[n].dtype.itemsize, n)) if sort else list(tensors)
    header, data = {}, b""
    for name in names:
        array = numpy.asarray(tensors[name], order="C")
        header[name] = {"dtype": CODES[str(array.dtype)], "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    types = {code: name for name, code in CODES.items()}
    return {name: numpy.frombuffer(data[8 + length + t["data_offsets"][0]:8 + length + t["data_offsets"][1]],
                                   types[t["dtype"]]).reshape(t["shape"]) for name, t in header.items()}


# ---- PyTorch ----

class Last(nn.Module):
    """Returns the output of a recurrent module, or that of its last step."""
    def __init__(self, inner, last=False):
        super().__init__()
        self.inner, self.last = inner, last

    def forward(self, x):
        y, _ = self.inner(x)
        return y[:, -1] if self.last else y


class Named(nn.Module):
    """Modules with names, defined in one order and called in another."""
    def __init__(self, forward, **modules):
        super().__init__()
        for name, module in modules.items():
            setattr(self, name, module)
        self.run = forward

    def forward(self, x):
        return self.run(self, x)


class Turned(nn.Module):
    def __init__(self, *axes):
        super().__init__()
        self.axes = axes

    def forward(self, x):
        return x.permute(*self.axes)


def lenet(m, x):
    b = m.backbone
    x = torch.max_pool2d(torch.relu(b.conv1(x)), 2)
    x = torch.max_pool2d(torch.relu(b.conv2(x)), 2).flatten(1)
    return b.fc3(torch.relu(b.fc2(torch.relu(b.fc1(x)))))


def attended(m, x):
    hidden = torch.ones(6, 6).triu(1).bool()
    y, _ = m.itself(x, x, x, attn_mask=hidden)
    y, _ = m.other(y, y, y)
    return m.head(y)


def recurrent(m, x):
    y, _ = m.first(x)
    y, _ = m.second(y)
    return m.head(y[:, -1])


def block(**options):
    return nn.TransformerEncoderLayer(8, dropout=0.0, batch_first=True, **options)


class ResidualBlock(nn.Module):
    """torchvision's BasicBlock (He et al. 2016), with its names."""
    def __init__(self, inputs, filters, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, filters, 3, stride, 1, bias=False), nn.BatchNorm2d(filters)
        self.conv2, self.bn2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False), nn.BatchNorm2d(filters)
        self.downsample = None
        if stride > 1:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, filters, 1, stride, bias=False), nn.BatchNorm2d(filters))

    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))


def resnet(m, x):
    x = torch.max_pool2d(torch.relu(m.bn1(m.conv1(x))), 3, 2, 1)
    return m.fc(m.layer2(m.layer1(x)).mean((2, 3)))


S, L, R = nn.Sequential, nn.Linear, nn.ReLU
BACKBONE = Named(None, conv1=nn.Conv2d(1, 6, 5, padding=2), conv2=nn.Conv2d(6, 16, 5), fc1=L(400, 120), fc2=L(120, 84), fc3=L(84, 10))
# For each: the module, its input, and whether the file sorts the names. Images have the channels first.
TORCH = {
    "mlp": (S(L(5, 7), R(), L(7, 6), nn.Tanh(), L(6, 3)), (5,), False),
    "eleven": (S(*[m for _ in range(11) for m in (L(4, 4), nn.Tanh())]), (4,), True),
    "lenet": (Named(lenet, backbone=BACKBONE), (1, 28, 28), True),
    "image": (S(nn.Flatten(), L(60, 6), R(), L(6, 2)), (3, 4, 5), False),
    "flat_norm": (S(nn.Conv2d(2, 3, 3), R(), nn.Flatten(), nn.BatchNorm1d(48), L(48, 4)), (2, 6, 6), True),
    "generator": (S(L(6, 60), nn.BatchNorm1d(60), R(), nn.Unflatten(1, (3, 5, 4)), nn.ConvTranspose2d(3, 2, 2), nn.Flatten(), L(60, 3)),
                  (6,), True),
    "sequence": (S(Turned(0, 2, 1), nn.Conv1d(3, 5, 3, stride=2), R(), nn.Flatten(), L(25, 4)), (12, 3), True),
    "rnn": (S(Last(nn.RNN(3, 5, batch_first=True), True), L(5, 2)), (6, 3), True),
    "lstm": (S(Last(nn.LSTM(3, 5, 2, batch_first=True), True), L(5, 2)), (7, 3), True),
    "gru": (Named(recurrent, head=L(4, 2), second=nn.GRU(5, 4, batch_first=True), first=nn.GRU(3, 5, batch_first=True)), (7, 3), True),
    "gru_flat": (S(Last(nn.GRU(3, 4, batch_first=True)), nn.Flatten(), L(24, 2)), (6, 3), True),
    "both_ways": (S(Last(nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)), Last(nn.GRU(8, 3, batch_first=True, bidirectional=True)),
                    L(6, 2)), (6, 3), True),
    "batch_norm": (S(nn.Conv2d(4, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), R(), nn.Conv2d(8, 8, 3, groups=8), nn.BatchNorm2d(8),
                     nn.Conv2d(8, 6, (3, 2), stride=2, groups=2), nn.PReLU(6), nn.ConvTranspose2d(6, 4, (2, 3), stride=2, groups=2),
                     nn.PReLU(), nn.Flatten(), L(168, 3)), (4, 10, 9), False),
    "norms": (S(nn.LayerNorm([6, 4, 5]), nn.GroupNorm(3, 6), nn.InstanceNorm2d(6, affine=True), nn.ConvTranspose2d(6, 6, 2),
                nn.Conv2d(6, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(6), L(6, 3)), (6, 4, 5), True),
    "volume": (S(nn.Conv3d(2, 3, (2, 3, 2)), R(), nn.Flatten(), L(135, 3)), (2, 4, 5, 6), True),
    "transformer": (S(block(nhead=2, dim_feedforward=16, norm_first=True), block(nhead=2, dim_feedforward=16, norm_first=True, activation="gelu"),
                      nn.LayerNorm(8), L(8, 3)), (5, 8), True),
    "post_norm": (S(block(nhead=4, dim_feedforward=12), nn.Flatten(), L(40, 3)), (5, 8), False),
    "attention": (Named(attended, head=L(4, 4), other=nn.MultiheadAttention(4, 2, bias=False, batch_first=True),
                        itself=nn.MultiheadAttention(4, 2, batch_first=True)), (6, 4), True),
    "resnet": (Named(resnet, conv1=nn.Conv2d(3, 4, 7, 2, 3, bias=False), bn1=nn.BatchNorm2d(4), layer1=S(ResidualBlock(4, 4), ResidualBlock(4, 4)),
                     layer2=S(ResidualBlock(4, 6, 2), ResidualBlock(6, 6)), fc=L(6, 5)), (3, 17, 16), True),
    "embedding": (S(nn.Embedding(11, 4), L(4, 4), R(), nn.Flatten(), L(24, 3)), "ids", False),
    "half": (S(L(5, 4), R(), L(4, 3)).half().float(), (5,), False),
}


def redraw(module):
    """Sets random values, so that no bias is 0 and no statistic has its initial value."""
    with torch.no_grad():
        for name, t in module.state_dict().items():
            if name.endswith("running_var"):
                t.uniform_(0.5, 1.5)
            elif t.is_floating_point():
                t.normal_(0, 0.4)
    return module.eval()


def channels_last(x):
    return numpy.moveaxis(x, 1, -1) if x.ndim > 3 else x


def predictions(module, x):
    # With gradients, because without them PyTorch 1.13 uses an implementation of attention that requires biases.
    return module(torch.from_numpy(x.astype("int64") if isinstance(next(iter(module.children())), nn.Embedding) else x)).detach().numpy()


# ---- Keras' layers, by the formulas of its documentation ----

def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def dense(w, x, function=lambda x: x):
    return function(x @ w["kernel"] + w["bias"])


def relu(x):
    return numpy.maximum(x, 0)


def lstm(w, x):
    units = w["recurrent_kernel"].shape[0]
    h = c = numpy.zeros((len(x), units))
    all = []
    for t in range(x.shape[1]):
        i, f, g, o = numpy.split(x[:, t] @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"], 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
        h = sigmoid(o) * numpy.tanh(c)
        all.append(h)
    return numpy.stack(all, axis=1)


def gru(w, x):
    """reset_after=True, whose bias has two rows."""
    h = numpy.zeros((len(x), w["recurrent_kernel"].shape[0]))
    all = []
    for t in range(x.shape[1]):
        xz, xr, xh = numpy.split(x[:, t] @ w["kernel"] + w["bias"][0], 3, axis=1)
        hz, hr, hh = numpy.split(h @ w["recurrent_kernel"] + w["bias"][1], 3, axis=1)
        z, r = sigmoid(xz + hz), sigmoid(xr + hr)
        h = z * h + (1 - z) * numpy.tanh(xh + r * hh)
        all.append(h)
    return numpy.stack(all, axis=1)


def conv(kernel, x, depthwise=False):
    kh, kw = kernel.shape[:2]
    y = 0
    for a in range(kh):
        for b in range(kw):
            part = x[:, a:x.shape[1] - kh + 1 + a, b:x.shape[2] - kw + 1 + b]
            y = y + (part * kernel[a, b, :, 0] if depthwise else part @ kernel[a, b])
    return y


def conv_transpose(kernel, x, stride):
    """The kernel is (height, width, filters, channels)."""
    kh, kw, filters, _ = kernel.shape
    y = numpy.zeros((len(x), (x.shape[1] - 1) * stride + kh, (x.shape[2] - 1) * stride + kw, filters))
    for a in range(kh):
        for b in range(kw):
            y[:, a:a + (x.shape[1] - 1) * stride + 1:stride, b:b + (x.shape[2] - 1) * stride + 1:stride] += x @ kernel[a, b].T
    return y


def attention(w, x):
    q, k, v = (numpy.einsum("btc,chp->bthp", x, w[f"{n}/kernel"]) + w[f"{n}/bias"] for n in ("query", "key", "value"))
    scores = numpy.einsum("bthp,bshp->bhts", q, k) / numpy.sqrt(q.shape[-1])
    e = numpy.exp(scores - scores.max(-1, keepdims=True))
    y = numpy.einsum("bhts,bshp->bthp", e / e.sum(-1, keepdims=True), v)
    return numpy.einsum("bthp,hpo->bto", y, w["attention_output/kernel"]) + w["attention_output/bias"]


def normalized(x, mean, variance, w, epsilon=1e-3):
    return (x - mean) / numpy.sqrt(variance + epsilon) * w["gamma"] + w["beta"]


def flat(x):
    return x.reshape(len(x), -1)


def keras_numbered(m, x):
    y = relu(conv(m["conv2d"]["kernel"], x) + m["conv2d"]["bias"])
    n = m["batch_normalization"]
    return dense(m["dense"], flat(normalized(y, n["moving_mean"], n["moving_variance"], n)))


def keras_lstm(m, x):
    y = lstm(m["lstm"], x)
    both = [gru(m["bidirectional/forward_gru"], y), gru(m["bidirectional/backward_gru"], y[:, ::-1])[:, ::-1]]
    return dense(m["dense"], numpy.concatenate(both, axis=2))


def keras_images(m, x):
    y = conv(m["depthwise_conv2d"]["depthwise_kernel"], x, True) + m["depthwise_conv2d"]["bias"]
    return dense(m["dense"], flat(conv_transpose(m["conv2d_transpose"]["kernel"], y, 2) + m["conv2d_transpose"]["bias"]))


def keras_attention(m, x):
    y = attention(m["multi_head_attention"], x)
    return dense(m["dense"], flat(normalized(y, y.mean(-1, keepdims=True), y.var(-1, keepdims=True), m["layer_normalization"])))


def both(i, o):
    return {"kernel": (i, o), "bias": (o,)}


def gates(i, units, parts, rows=()):
    return {"kernel": (i, parts * units), "recurrent_kernel": (units, parts * units), "bias": (*rows, parts * units)}


# For each: its weights in the order of get_weights(), its function, and its input.
KERAS = {
    "keras_mlp": ({"dense": both(5, 7), "dense_1": both(7, 3)}, lambda m, x: dense(m["dense_1"], dense(m["dense"], x, relu)), (5,)),
    "keras_numbered": ({"conv2d": {"kernel": (3, 3, 3, 4), "bias": (4,)},
                        "batch_normalization": {n: (4,) for n in ("gamma", "beta", "moving_mean", "moving_variance")},
                        "dense": both(144, 3)}, keras_numbered, (8, 8, 3)),
    "keras_lstm": ({"lstm": gates(3, 5, 4), "bidirectional/forward_gru": gates(5, 4, 3, (2,)), "bidirectional/backward_gru": gates(5, 4, 3, (2,)),
                    "dense": both(8, 2)}, keras_lstm, (7, 3)),
    "keras_images": ({"depthwise_conv2d": {"depthwise_kernel": (3, 3, 2, 1), "bias": (2,)},
                      "conv2d_transpose": {"kernel": (2, 2, 5, 2), "bias": (5,)}, "dense": both(320, 2)}, keras_images, (6, 6, 2)),
    "keras_attention": ({"multi_head_attention": {f"{n}/{w}": s for n in ("query", "key", "value") for w, s in (("kernel", (6, 3, 2)), ("bias", (3, 2)))}
                         | {"attention_output/kernel": (3, 2, 6), "attention_output/bias": (6,)},
                         "layer_normalization": {"gamma": (6,), "beta": (6,)}, "dense": both(30, 2)}, keras_attention, (5, 6)),
}


def keras_name(layer, weight):
    """Returns a name of Keras 2, which has the parts of recurrent layers in a cell."""
    cell = f"/{layer.rsplit('/')[-1].replace('forward_', '').replace('backward_', '')}_cell" if "lstm" in layer or "gru" in layer else ""
    return f"{layer}{cell}/{weight}:0"


def compared(name, what, found, wanted):
    error = abs(found - wanted.reshape(-1)).max() / max(1, abs(wanted).max())
    assert error < TOLERANCE, f"{name}, {what}: differs by {error}"
    return error


def main(program, directory):
    torch.manual_seed(1)
    draw = numpy.random.default_rng(1)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    wanted, inputs, back = {}, {}, {}
    for name, (module, shape, sort) in TORCH.items():
        redraw(module)
        x = draw.integers(0, 11, (RECORDS, 6)).astype("float32") if shape == "ids" else draw.normal(size=(RECORDS, *shape)).astype("float32")
        if shape == "ids":
            x[0, 0] = 10
        state = {key: t.numpy() for key, t in module.state_dict().items()}
        if name == "half":
            state = {key: t.astype("float16") for key, t in state.items()}
            module.load_state_dict({key: torch.from_numpy(t.astype("float32")) for key, t in state.items()})
        write(directory / f"{name}.safetensors", state, sort)
        arrays = {k: numpy.asfortranarray(v) for k, v in state.items()}
        if name == "image":
            arrays = {k: v.astype(">f8") for k, v in state.items()}
        (numpy.savez_compressed if sort else numpy.savez)(directory / f"{name}.npz", **arrays)
        inputs[name], wanted[name] = x, predictions(module, x)
        write(directory / f"{name}.x.safetensors", {"x": channels_last(x)})
    for name, (weights, compute, shape) in KERAS.items():
        m = {layer: {w: draw.normal(size=s).astype("float32") * 0.4 for w, s in ws.items()} for layer, ws in weights.items()}
        for ws in m.values():
            if "moving_variance" in ws:
                ws["moving_variance"] = draw.uniform(0.5, 1.5, ws["moving_variance"].shape).astype("float32")
        tensors = {keras_name(layer, w): a for layer, ws in m.items() for w, a in ws.items()}
        write(directory / f"{name}.safetensors", tensors)
        if name == "keras_numbered":
            numpy.savez(directory / f"{name}.npz", *tensors.values())
        else:
            numpy.savez(directory / f"{name}.npz", **tensors)
        x = draw.normal(size=(RECORDS, *shape)).astype("float32")
        inputs[name], wanted[name] = x, compute(m, x)
        write(directory / f"{name}.x.safetensors", {"x": x})

    subprocess.run([program, directory], check=True)

    worst = 0
    for name in TORCH | KERAS:
        found = read(directory / f"{name}.found.safetensors")
        worst = max([worst] + [compared(name, kind, found[kind], wanted[name]) for kind in ("safetensors", "npz")])
        for kind in ("safetensors", "npz"):
            path = directory / f"{name}.back.{kind}"
            state = dict(numpy.load(path)) if kind == "npz" else read(path)
            if name in TORCH:
                module = TORCH[name][0]
                module.load_state_dict({key: torch.from_numpy(t.copy()) for key, t in state.items()})  # strict: every name and every shape must agree
                y = predictions(module.eval(), inputs[name])
            else:
                weights, compute, _ = KERAS[name]
                y = compute({layer: {w: state[keras_name(layer, w)] for w in ws} for layer, ws in weights.items()}, inputs[name])
            worst = max(worst, compared(name, f"back in {kind}", found["drawn"], y))
    print(f"{len(TORCH)} networks of PyTorch and {len(KERAS)} of Keras agree in both directions, to {worst:.1e} of the greatest output")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
