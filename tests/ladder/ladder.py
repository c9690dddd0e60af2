#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""ladder.py INCLUDE CUDA SOURCES...: checks that each folder of INCLUDE/sigma and CUDA/sigma includes only itself and folders below it
on the ladder, that INCLUDE neither includes CUDA's headers nor names it, that no headers include each other
in a circle, that what is below networks names no class of a folder above it, that <sigma/sigma.hpp> reaches no header
that needs an optional library, nor one of xtensor, that a body in impl/x.ipp is included by a header beside impl/ unless the library has it, that no
number becomes a text, or the other way round, by what depends on the locale, and that numbers become texts in one place,
in SOURCES too."""
import pathlib
import re
import sys

LADDER = ["core", "registry", "storage", "data", "tape", "plan", "device", "function", "initializer", "layer", "network",
          "optimizer", "modifier", "metric", "decoding", "execution", "hook", "trainer", "environment", "monitor", "exchange", "xtensor.hpp",
          "hana.hpp", "machines.hpp", "exchange.hpp", "onnx.hpp", "check_gradients.hpp", "sigma.hpp", "gpu.hpp", "gpus.hpp"]
OPTIONAL = re.compile(r"(zlib|archive|archive_entry|uni(case|ctype|norm|wbrk)|png|turbojpeg)\.h|(curl|openssl|boost)/.*")
XTENSOR = re.compile(r"xtensor(-blas|-io)?/.*|xtl/.*")
ONE_DEVICE = re.compile(r"cuda|nvrtc|cublas|nccl|thrust", re.IGNORECASE)
# What writes or reads fractions with the locale's point: printf's formats of fractions, what reads numbers, streams.
LOCALE = re.compile(r"%[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[lL]?[aAeEfFgG](?![a-z])|"
                    r"\b(?:strto(?:d|f|ld)|ato[fil]+|sto(?:d|f|ld|i|l|ll|ul|ull)|v?[fs]?scanf|setlocale|get_money|put_money)\b|"
                    r"\b[io]?stringstream\b|\bstd::locale\b|\bimbue\b")

TEXT = re.compile(r"\b(?:to_string|to_chars|v?sn?printf)\b")  # numbers as texts: one place has that
TEXT_ROOM = "sigma/core/impl/number_text.ipp"

# What the compiled library defines comes from the headers where there is none.
BODIES = re.compile(r"^#(?:ifndef SIGMA_COMPILED|ifdef SIGMA_COMPILED\n(?:(?:extern template |namespace |}| )[^\n]*\n)+#else)\n"
                    r"((?:#include <[^>\n]+\.ipp>\n)+)#endif$", re.MULTILINE)
# Kernels, of which the library has several, and what chooses.
LIBRARY_ONLY = ("sigma/device/cpu/impl/kernels.ipp", "sigma/device/cpu/impl/choose_kernels.ipp",
                "sigma/execution/impl/common_kernels.ipp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


# Folders that know nothing of what is above them, not even by a name that they declare themselves.
UNKNOWING = LADDER[LADDER.index("tape"):LADDER.index("network")]
CLASS = re.compile(r"^(?:class|struct|enum class|union) (\w+)(?: final)?(?: : [^;{]*)?\s*\{", re.MULTILINE)
SILENT = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')  # comments and texts, which may name anything


def declared(headers):
    """The classes that the headers of each folder declare: not those of bodies, which nobody else sees."""
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
    """Each circle of headers once, from the first of its headers. What bodies include is no part of one."""
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
    """The headers of this library that `header` includes, as paths below the folder that holds `sigma`."""
    for bracket, name in INCLUDE.findall(header.read_text(encoding="utf-8")):
        if name.startswith("sigma/"):
            yield name
        elif bracket == '"':
            yield (header.parent / name).resolve().relative_to(root.resolve()).as_posix()


def step(name):
    """The rung of `name`, as an index; None for a folder that is not on the ladder."""
    folder = name.split("/")[1]
    return LADDER.index(folder) if folder in LADDER else None


def check_sources(folder):
    """What is compiled only, in no header: the same numbers, in every locale."""
    problems = []
    for source in sorted(path for path in folder.rglob("*.[ch]pp")):
        name, text = f"{folder.name}/{source.relative_to(folder).as_posix()}", source.read_text(encoding="utf-8")
        code = re.sub(r"//.*", "", text)
        if found := LOCALE.search(code):
            problems.append(f"{name}: '{found[0]}' depends on the locale; core/number_text.hpp does not")
        elif found := TEXT.search(code):
            problems.append(f"{name}: '{found[0]}' is for core/number_text.hpp; sentence(…) has its form of a number")
        if not text.startswith("// SPDX-License-Identifier: BSL-1.0\n"):
            problems.append(f"{name}: does not begin with its licence")
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
            elif name == "sigma/device/cpu/vector.hpp" and (root.parent / "xsimd" / target).is_file():
                pass  # of the library's kernels only
            elif target not in headers[root] and target not in headers[tree]:
                problems.append(f"{name}: includes {target}, which does not exist")
            elif step(target) is not None and step(target) > step(name):
                problems.append(f"{name}: includes {target}, which is above it")

    problems += circles(graph)
    problems += names_from_above(headers[root])
    problems += [f"{name}: includes {body} though the library may have it" for name, body in strays]
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
