#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""standard.py INCLUDE: checks that headers which <sigma/sigma.hpp> reaches include only those headers of the standard library
and the system that are on the list; bodies (impl/*.ipp) may include what they like. What is to leave, leaves for good."""
import collections
import pathlib
import sys

from ladder import INCLUDE, includes

LIST = set("""array bit compare concepts cstddef cstdint initializer_list limits new span string string_view tuple type_traits
utility vector""".split())
TO_LEAVE = set("""cstring exception optional stdexcept""".split())


def check(root, allowed=LIST, to_leave=TO_LEAVE):
    problems, found = [], collections.defaultdict(list)
    reached, queue = set(), ["sigma/sigma.hpp"]
    while queue:
        name = queue.pop()
        if name in reached or name.endswith(".ipp") or not (root / name).exists():
            continue
        reached.add(name)
        queue += includes(root / name, root)
        for bracket, header in INCLUDE.findall((root / name).read_text(encoding="utf-8")):
            # Those of other libraries are in folders.
            if bracket == "<" and ("/" not in header or header.startswith("sys/")):
                found[header].append(name)
    for header in sorted(found):
        if header not in allowed | to_leave:
            problems.append(f"{min(found[header])}: includes <{header}>, which is not on the list; a body may, in impl/*.ipp")
    problems += [f"<{header}> has left: take it off the list of those to leave" for header in sorted(to_leave - found.keys())]
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "headers include what they may of the standard library")
    sys.exit(bool(found))
