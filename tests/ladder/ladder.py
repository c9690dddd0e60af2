#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""ladder.py INCLUDE CUDA SOURCES...: checks the dependences between folders, and other rules of the sources.

- Each folder of INCLUDE/sigma and CUDA/sigma includes only itself and folders below it on the ladder.
- INCLUDE does not include or name headers of CUDA.
- No headers include each other in a circle.
- Folders below network/ name no class of a folder above them.
- <sigma/sigma.hpp> reaches no header of an optional library or of xtensor.
- A header next to impl/ includes impl/x.ipp unless SIGMA_COMPILED is defined.
- No conversion between numbers and texts depends on the locale, and one place converts numbers to texts, in SOURCES, too.
"""
import pathlib
import re
import sys

LADDER = ["core", "benchmark", "benchmark.hpp", "registry", "storage", "data", "tape", "plan", "device", "function", "initializer", "layer", "network",
          "optimizer", "modifier", "metric", "decoding", "execution", "acting", "hook", "trainer", "environment", "monitor", "exchange", "xtensor.hpp", "derivatives.hpp",
          "hana.hpp", "machines.hpp", "exchange.hpp", "onnx.hpp", "check_gradients.hpp", "profile.hpp", "sigma.hpp", "gpu.hpp", "gpus.hpp"]
OPTIONAL = re.compile(r"(zlib|archive|archive_entry|uni(case|ctype|norm|wbrk)|png|turbojpeg|sqlite3|sndfile)\.h|(curl|openssl|boost)/.*")
XTENSOR = re.compile(r"xtensor(-blas|-io)?/.*|xtl/.*")
ONE_DEVICE = re.compile(r"cuda|nvrtc|cublas|nccl|thrust", re.IGNORECASE)
# Functions that use the decimal point of the locale: formats of printf, functions that read numbers, streams.
LOCALE = re.compile(r"%[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[lL]?[aAeEfFgG](?![a-z])|"
                    r"\b(?:strto(?:d|f|ld)|ato[fil]+|sto(?:d|f|ld|i|l|ll|ul|ull)|v?[fs]?scanf|setlocale|get_money|put_money)\b|"
                    r"\b[io]?stringstream\b|\bstd::locale\b|\bimbue\b")

TEXT = re.compile(r"\b(?:to_string|to_chars|v?sn?printf)\b")  # converts numbers to texts; allowed in one place
TEXT_ROOM = "sigma/core/impl/number_text.ipp"

# Headers include the bodies only if the compiled library is not used.
BODIES = re.compile(r"^#(?:ifndef SIGMA_COMPILED|ifdef SIGMA_COMPILED\n(?:(?:extern template |namespace |}| )[^\n]*\n)+#else)\n"
                    r"((?:#include <[^>\n]+\.ipp>\n)+)#endif$", re.MULTILINE)
# Kernels, which the library contains several times, and their selection.
LIBRARY_ONLY = ("sigma/device/cpu/impl/kernels.ipp", "sigma/device/cpu/impl/choose_kernels.ipp",
                "sigma/device/cpu/impl/common_kernels.ipp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


# Folders that must not name classes of folders above them, not even by declaring the class themselves.
UNKNOWING = LADDER[LADDER.index("tape"):LADDER.index("network")]
CLASS = re.compile(r"^(?:class|struct|enum class|union) (\w+)(?: final)?(?: : [^;{]*)?\s*\{", re.MULTILINE)
SILENT = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')  # comments and texts may name anything


def declared(headers):
    """Returns the classes that the headers of each folder declare. Bodies (.ipp) are excluded: their classes are local."""
    classes = {}
    for name, header in headers.items():
        if name.endswith(".hpp"):
            classes.setdefault(name.split("/")[1], set()).update(CLASS.findall(SILENT.sub("", header.read_text(encoding="utf-8"))))
    return classes


def names_from_above(headers):
    classes = declared(headers)
    for folder in UNKNOWING:
        at = LADDER.index(folder)
        known = set().union(*(classes.get(below, set()) for below in LADDER[:at + 1]))
        for name in (name for name in headers if name.split("/")[1] == folder):
            words = set(re.findall(r"\w+", SILENT.sub("", headers[name].read_text(encoding="utf-8"))))
            for above in LADDER[at + 1:]:
                for word in sorted(words & classes.get(above, set()) - known):
                    yield f"{name}: names {word}, a class of {above}/, which is above it"


def circles(graph):
    """Yields each circle of headers once, from its first header. Includes of bodies are not part of a circle."""
    state, path = {}, []

    def visit(name):
        state[name] = "open"
        path.append(name)
        for target in graph.get(name, []):
            if target.endswith(".ipp"):
                continue
            if state.get(target) == "open":
                circle = path[path.index(target):]
                yield f"{min(circle)}: includes itself by way of " + ", ".join(x for x in circle + [target] if x != min(circle))
            elif target not in state:
                yield from visit(target)
        path.pop()
        state[name] = "done"

    for name in sorted(graph):
        if name not in state and name.endswith(".hpp"):
            yield from visit(name)


def includes(header, root):
    """Returns the headers of this library that `header` includes, as paths relative to the parent of `sigma`."""
    for bracket, name in INCLUDE.findall(header.read_text(encoding="utf-8")):
        if name.startswith("sigma/"):
            yield name
        elif bracket == '"':
            yield (header.parent / name).resolve().relative_to(root.resolve()).as_posix()


def step(name):
    """Returns the position of `name` on the ladder, or None for a folder that is not on the ladder."""
    folder = name.split("/")[1]
    return LADDER.index(folder) if folder in LADDER else None


def check_sources(folder):
    """Checks sources that are not headers: numbers must not depend on the locale."""
    problems = []
    for source in sorted(path for path in folder.rglob("*.[ch]pp")):
        name, text = f"{folder.name}/{source.relative_to(folder).as_posix()}", source.read_text(encoding="utf-8")
        code = re.sub(r"//.*", "", text)
        if found := LOCALE.search(code):
            problems.append(f"{name}: '{found[0]}' depends on the locale; core/number_text.hpp does not")
        elif found := TEXT.search(code):
            problems.append(f"{name}: '{found[0]}' is for core/number_text.hpp; sentence(…) has its form of a number")
        if not text.startswith("// SPDX-License-Identifier: BSL-1.0\n"):
            problems.append(f"{name}: does not begin with the licence")
    return problems


def check(root, cuda):
    problems, graph, needy, heavy, bodies, strays = [], {}, {}, {}, {}, []
    headers = {tree: {header.relative_to(tree).as_posix(): header for header in sorted(tree.rglob("*.[hi]pp"))} for tree in (root, cuda)}
    for tree, name in ((tree, name) for tree in headers for name in headers[tree]):
        text = headers[tree][name].read_text(encoding="utf-8")
        if tree == root and (named := ONE_DEVICE.search(text)):
            problems.append(f"{name}: names '{named[0]}', which is for {cuda.name}/ only")
        code = re.sub(r"//.*", "", text)
        if found := LOCALE.search(code):
            problems.append(f"{name}: '{found[0]}' depends on the locale; core/number_text.hpp does not")
        elif name != TEXT_ROOM and (found := TEXT.search(code)):
            problems.append(f"{name}: '{found[0]}' is for core/number_text.hpp; sentence(…) has its form of a number")
        if tree == cuda and name in headers[root]:
            problems.append(f"{name}: is in {root.name}/ and in {cuda.name}/")
        foreign = [found for _, found in INCLUDE.findall(text) if OPTIONAL.fullmatch(found)]
        if foreign:
            needy[name] = foreign[0]
        bodies.update((body, name) for block in BODIES.findall(text) for _, body in INCLUDE.findall(block))
        strays += [(name, body) for _, body in INCLUDE.findall(BODIES.sub("", text)) if body.endswith(".ipp")]
        heavy.update({name: found for _, found in INCLUDE.findall(text) if XTENSOR.fullmatch(found)})
        graph[name] = list(includes(headers[tree][name], tree))
        if step(name) is None:
            problems.append(f"{name}: folder '{name.split('/')[1]}' is not on the ladder")
            continue
        for target in graph[name]:
            if tree == root and target not in headers[root] and target in headers[cuda]:
                problems.append(f"{name}: includes {target}, which is in {cuda.name}/")
            elif name == "sigma/device/cpu/vector.hpp" and (root.parent / "components/xsimd" / target).is_file():
                pass  # only for the kernels of the library
            elif target.endswith(".inc") and (tree / target).is_file():
                pass  # rows that a test has written
            elif target not in headers[root] and target not in headers[tree]:
                problems.append(f"{name}: includes {target}, which does not exist")
            elif step(target) is not None and step(target) > step(name):
                problems.append(f"{name}: includes {target}, which is above it")

    problems += circles(graph)
    problems += names_from_above(headers[root])
    problems += [f"{name}: includes {body} even if the library is compiled" for name, body in strays]
    for name in (name for tree in headers for name in headers[tree] if name.endswith(".ipp") and name not in LIBRARY_ONLY):
        folder = name.rpartition("/impl/")[0]
        if not folder or bodies.get(name, "").rpartition("/")[0] != folder:
            problems.append(f"{name}: no header beside impl/ includes it")

    reached, queue = set(), ["sigma/sigma.hpp"]
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue += graph.get(name, [])
    problems += [f"sigma/sigma.hpp reaches {name}, which needs an optional library: <{needy[name]}>" for name in sorted(needy.keys() & reached)]
    problems += [f"sigma/sigma.hpp reaches {name}, which costs each program xtensor: <{heavy[name]}>" for name in sorted(heavy.keys() & reached)]
    return problems


if __name__ == "__main__":
    found = check(*map(pathlib.Path, sys.argv[1:3])) + [problem for folder in sys.argv[3:] for problem in check_sources(pathlib.Path(folder))]
    print("\n".join(found) or "every include goes down the ladder, and no name points up")
    sys.exit(bool(found))
