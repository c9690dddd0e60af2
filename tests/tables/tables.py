#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that tables which Python writes at random, as JSON lines, structured arrays of NumPy and SQLite, are read with
equal names, numbers and texts.

    tables.py PROGRAM DIRECTORY [SEED]      PROGRAM: tables

Exits with 77 where NumPy is not installed."""
import json
import math
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys

try:
    import numpy
except ImportError:
    sys.exit(77)

COUNT = 60


def number(r):
    """Returns a finite number: a small or large integer, or a double of random bits."""
    match r.randrange(4):
        case 0: return r.randrange(-1000, 1000)
        case 1: return r.randrange(-2**63, 2**63)
        case 2: return r.uniform(-100, 100)
    while not math.isfinite(x := struct.unpack("<d", r.randbytes(8))[0]):
        pass
    return x


def text(r):
    """Returns a text that is no number, without a 0 at its end, which NumPy would cut off."""
    return "".join(r.choice(["a", "Z", "\u00e4", "\U0001F600", "\"", "\\", "\n", "\t", "{", ",", "\x01", "\u2028", " "])
                   for _ in range(r.randrange(12))) + "x"


def column(r, records):
    """Returns the values of a column: numbers, truths or texts, some of them missing."""
    make = r.choice([number, number, text, lambda r: r.random() < 0.5])
    missing = r.choice([0, 0, 0.3])
    return [None if r.random() < missing else make(r) for _ in range(records)]


def nested(names, values):
    """Returns an object whose names with points are objects in each other."""
    all = {}
    for name, value in zip(names, values):
        *path, last = name.split(".")
        inner = all
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return all


def write_json(r, path, names, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        for i, row in enumerate(rows):
            order = list(range(len(names)))
            # The first line has all names. Later ones may lack what is missing.
            if i > 0:
                r.shuffle(order)
                order = [c for c in order if row[c] is not None or r.random() < 0.5]
            line = json.dumps(nested([names[c] for c in order], [row[c] for c in order]), ensure_ascii=r.random() < 0.5,
                              separators=r.choice([(", ", ": "), (",", ":")]))
            file.write(line + r.choice(["\n", "\r\n", "\n\n"]))


def write_npy(path, names, columns):
    """Writes texts and numbers as NumPy stores them: a missing number as NaN, a missing text as ''."""
    fields, stored = [], []
    for name, values in zip(names, columns):
        known = [x for x in values if x is not None]
        if any(isinstance(x, str) for x in known):
            fields.append((name, f"U{max(map(len, known))}"))
            stored.append(["" if x is None else x for x in values])
        elif known and len(known) == len(values) and all(isinstance(x, bool) for x in known):
            fields.append((name, "?"))
            stored.append(values)
        elif known and len(known) == len(values) and all(isinstance(x, int) for x in known):
            fields.append((name, random.choice(["<i8", ">i8"])))
            stored.append(values)
        else:
            fields.append((name, random.choice(["<f8", ">f8"])))
            stored.append([math.nan if x is None else float(x) for x in values])
    array = numpy.array(list(zip(*stored)), numpy.dtype(fields, align=random.random() < 0.5))
    numpy.save(path, array)


def write_sqlite(path, names, rows):
    quoted = ", ".join('"' + name + '"' for name in names)
    with sqlite3.connect(path) as base:
        base.execute(f"create table t({quoted})")
        base.executemany(f"insert into t values ({', '.join('?' for _ in names)})", rows)
    base.close()


def equal(found, values):
    """Compares the words of a line with the values of a column."""
    if len(found) != len(values):
        return False
    texts = any(isinstance(x, str) for x in values)
    for word, value in zip(found, values):
        if texts:
            if word != "x" + ("" if value is None else value).encode().hex():
                return False
        elif value is None:
            if word != "nan":
                return False
        elif float(word) != float(value):
            return False
    return True


def main(program, directory, seed):
    r = random.Random(seed)
    random.seed(seed)
    folder = pathlib.Path(directory)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tables = []
    for i in range(COUNT):
        width, records = r.randrange(1, 8), r.randrange(1, 40)
        names = [r.choice(["a", "b.c", "b.d.e", "\u00e4", "f g"]) + str(c) for c in range(width)]
        columns = [column(r, records) for _ in names]
        rows = list(zip(*columns))
        write_json(r, folder / f"{i}.jsonl", names, rows)
        write_npy(folder / f"{i}.npy", names, columns)
        write_sqlite(folder / f"{i}.db", names, rows)
        tables.append((names, columns))
    lines = subprocess.run([program, folder, str(COUNT)], check=True, capture_output=True, text=True).stdout.splitlines()
    seen = {}
    for line in lines:
        kind, i, name, *words = line.split(" ")
        seen.setdefault((kind, int(i)), {})[bytes.fromhex(name[1:]).decode()] = words
    kinds = {kind for kind, _ in seen}
    assert {"jsonl", "npy"} <= kinds, kinds
    for (kind, i), found in seen.items():
        names, columns = tables[i]
        # Objects in each other bring their names together.
        if sorted(found) != sorted(names) or (kind != "jsonl" and list(found) != names):
            sys.exit(f"{folder}/{i}.{kind}, seed {seed}: expected the columns {names}, found {list(found)}")
        for name, values in zip(names, columns):
            if not equal(found[name], values):
                sys.exit(f"{folder}/{i}.{kind}, seed {seed}, column {name!r}: expected {values}, found {found[name]}")
    assert len(seen) == COUNT * len(kinds), len(seen)
    # The comparison must notice an error.
    assert not equal(["1"], [2]) and not equal(["x61"], ["b"]) and not equal(["nan"], [0]) and not equal([], [1])
    print(f"{len(seen)} tables of {', '.join(sorted(kinds))} are equal")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 52)
