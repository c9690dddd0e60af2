#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that a reader of the safetensors specification reads our files, and that we read files of another writer.

    exchange.py PROGRAM DIRECTORY      PROGRAM: safetensors_exchange
"""
import json
import pathlib
import random
import struct
import subprocess
import sys

SIZE = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4,
        "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8}
CODE = {"BOOL": "?", "U8": "B", "I8": "b", "I16": "h", "U16": "H", "F16": "e", "I32": "i", "U32": "I", "F32": "f",
        "F64": "d", "I64": "q", "U64": "Q"}


def product(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"duplicate keys in {keys}"
    return dict(pairs)


def read(path):
    """Returns the metadata and {name: (dtype, shape, bytes)}. Asserts every rule of the specification."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    assert length <= 100_000_000 and 8 + length <= len(data)
    text = data[8:8 + length]
    assert text.startswith(b"{")
    header = json.loads(text.decode("utf-8").rstrip(" "), object_pairs_hook=unique)
    metadata = header.pop("__metadata__", {})
    assert all(type(value) is str for value in metadata.values())
    buffer, tensors, end = data[8 + length:], {}, 0
    for name, tensor in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        assert sorted(tensor) == ["data_offsets", "dtype", "shape"]
        first, last = tensor["data_offsets"]
        assert first == end and last - first == SIZE[tensor["dtype"]] * product(tensor["shape"]), name
        tensors[name], end = (tensor["dtype"], tensor["shape"], buffer[first:last]), last
    assert end == len(buffer)
    return metadata, tensors


def check_ours(program, directory):
    path = directory / "ours.safetensors"
    subprocess.run([program, "write", path], check=True)
    metadata, tensors = read(path)
    assert metadata == {"epoch": "3", "ä\"\\\n": "\x01😀"}, metadata
    fractions = [(i - 2) * 1.25 for i in range(6)]
    whole = [int(value) for value in fractions]
    wanted = {"F32": ([2, 3], fractions), "F64": ([2, 3], fractions), "U8": ([5], [0, 1, 127, 128, 255]),
              "U16": ([1], [2**16 - 1]), "U32": ([1, 1], [2**32 - 1]), "U64": ([], [2**64 - 1]),
              "BOOL": ([3], [True, False, True]), "F16": ([2], [1.0, -2.5])}
    wanted.update({name: ([2, 3], whole) for name in ("I8", "I16", "I32", "I64")})
    assert tensors.pop('empty € "quoted"') == ("BF16", [4, 0], b"")
    assert set(tensors) == set(wanted)
    for name, (dtype, shape, data) in tensors.items():
        values = list(struct.unpack(f"<{product(shape)}{CODE[dtype]}", data))
        assert (dtype, shape, values) == (name, *wanted[name]), (name, dtype, shape, values)
    assert struct.unpack_from("<Q", path.read_bytes())[0] % 8 == 0
    return len(wanted) + 1


def check_theirs(program, directory, seed):
    """Returns a random file with random order, blanks, escapes, padding and alignment, unlike ours."""
    draw = random.Random(seed)
    letters = 'aZ09.-_ /"\\\n\x00\x7fäß€漢😀'
    name = lambda: "".join(draw.choices(letters, k=draw.randrange(12)))
    tensors = {}
    for _ in range(draw.randrange(12)):
        dtype = draw.choice(list(SIZE))
        shape = [draw.randrange(4) for _ in range(draw.randrange(4))]
        tensors[name()] = (dtype, shape, draw.randbytes(SIZE[dtype] * product(shape)))
    metadata = {name(): name() for _ in range(draw.randrange(4))}
    header, buffer = {}, b""
    for key in draw.sample(sorted(tensors), len(tensors)):
        dtype, shape, data = tensors[key]
        fields = [("dtype", dtype), ("shape", shape), ("data_offsets", [len(buffer), len(buffer) + len(data)])]
        header[key] = dict(draw.sample(fields, 3))
        buffer += data
    if metadata:
        header["__metadata__"] = metadata
    header = dict(draw.sample(sorted(header.items(), key=lambda item: item[0]), len(header)))
    text = json.dumps(header, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, None, 1, "\t"])).encode()
    text += b" " * draw.randrange(10)
    path = directory / "theirs.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + buffer)
    assert read(path) == (metadata, {key: tensors[key] for key in read(path)[1]})

    printed = subprocess.run([program, "print", path], check=True, capture_output=True, text=True).stdout
    found_metadata, found = {}, {}
    text = lambda digits: bytes.fromhex(digits).decode()
    for line in printed.splitlines():
        kind, key, *rest = line.split(" ")
        if kind == "metadata":
            found_metadata[text(key)] = text(rest[0])
        else:
            found[text(key)] = (rest[0], json.loads(rest[1]), bytes.fromhex(rest[2]))
    assert found_metadata == metadata, (seed, found_metadata, metadata)
    assert found == tensors, (seed, found, tensors)


if __name__ == "__main__":
    program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    count = check_ours(program, directory)
    for seed in range(100):
        check_theirs(program, directory, seed)
    print(f"{count} of our tensors follow the specification, and 100 files of another writer were read")
