#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""standard.py INCLUDE: checks which standard and system headers the headers below <sigma/sigma.hpp> include.

They may include the headers on the list only. Bodies (impl/*.ipp) may include any header. A header that is marked for
removal and is no longer included must be taken off the list."""
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
            # Headers of other libraries are in folders.
            if bracket == "<" and ("/" not in header or header.startswith("sys/")):
                found[header].append(name)
    for header in sorted(found):
        if header not in allowed | to_leave:
            problems.append(f"{min(found[header])}: includes <{header}>, which is not on the list; include it in a body, impl/*.ipp")
    problems += [f"<{header}> is no longer included: remove it from the list" for header in sorted(to_leave - found.keys())]
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "headers include only allowed headers of the standard library")
    sys.exit(bool(found))
