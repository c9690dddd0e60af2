#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that each folder of include/sigma includes only itself and folders below it on the ladder,
and that <sigma/sigma.hpp> reaches no header that needs an optional library."""
import pathlib
import re
import sys

LADDER = ["core", "registry", "storage", "tape", "plan", "device", "function", "initializer", "layer", "network", "optimizer",
          "modifier", "data", "metric", "worker", "hook", "trainer", "environment", "sigma.hpp"]
OPTIONAL = {"sigma/data/gzip.hpp"}  # needs zlib
OPTIONAL |= {"sigma/data/image/png.hpp", "sigma/data/image/jpeg.hpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes(header, root):
    """The headers of this library that `header` includes, as paths below `root`."""
    for bracket, name in INCLUDE.findall(header.read_text(encoding="utf-8")):
        if name.startswith("sigma/"):
            yield name
        elif bracket == '"':
            yield (header.parent / name).resolve().relative_to(root.resolve()).as_posix()


def step(name):
    """The rung of `name`, as an index; None for a folder that is not on the ladder."""
    folder = name.split("/")[1]
    return LADDER.index(folder) if folder in LADDER else None


def check(root):
    problems, graph = [], {}
    for header in sorted(root.rglob("*.hpp")):
        name = header.relative_to(root).as_posix()
        graph[name] = list(includes(header, root))
        if step(name) is None:
            problems.append(f"{name}: folder '{name.split('/')[1]}' is not on the ladder")
            continue
        for target in graph[name]:
            if not (root / target).is_file():
                problems.append(f"{name}: includes {target}, which does not exist")
            elif step(target) is not None and step(target) > step(name):
                problems.append(f"{name}: includes {target}, which is above it")

    reached, queue = set(), ["sigma/sigma.hpp"]
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue += graph.get(name, [])
    problems += [f"sigma/sigma.hpp reaches {name}, which needs an optional library" for name in OPTIONAL & reached]
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "every include goes down the ladder")
    sys.exit(bool(found))
