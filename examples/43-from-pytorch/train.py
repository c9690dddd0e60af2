#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Trains the network of from_pytorch.cpp with PyTorch on 2,000 digits, and writes digits.safetensors next to this script.

The file of the repository was made with PyTorch 1.13 of Debian 12."""
import gzip
import json
import pathlib
import struct

import torch
from torch import nn

here = pathlib.Path(__file__).resolve().parent
digits = here.parent.parent / "data" / "mnist"


def bytes_of(name, header):
    return torch.frombuffer(bytearray(gzip.open(digits / name).read()[header:]), dtype=torch.uint8)


torch.manual_seed(1)
images = bytes_of("t10k-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28)[:2000].float() / 255
labels = bytes_of("t10k-labels-idx1-ubyte.gz", 8)[:2000].long()

# [torch]
model = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(6 * 12 * 12, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
for epoch in range(12):
    for batch in torch.randperm(len(images)).split(50):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch + 1}  loss {loss.item():.3f}")
# [torch]


def save_file(tensors, path):
    """Writes a file as safetensors.torch.save_file does, which is not a package of Debian."""
    header, data = {}, b""
    for name in sorted(tensors):
        values = tensors[name].numpy()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header)
    text += " " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text.encode() + data)


save_file(model.state_dict(), here / "digits.safetensors")
