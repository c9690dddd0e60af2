#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles code between single backquotes of pages if it calls something: `Dataset({{"image", images}}, x)`.

    spans.py COMPILER ROOT FLAG...

All spans become one translation unit that includes names_of_pages.hpp, which declares the names that pages use. A span is a
pattern and is not checked if it has an ellipsis, only names of arguments, a GPU, or an undeclared name (names.py checks the
names in it). All others must compile and must not return a type that names a mistake. Needs clang, which continues after
every error.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

CALL = re.compile(r"[A-Za-z_]\w*\s*(?:<[^<>()]*>)?[({]")
# Names of arguments instead of arguments, options without values, declarations.
SIGNATURE = re.compile(r"[\w:]*(<\w+>)?\([\w ]*(, [\w ]*)*\)|.*[{ ]\.\w+[,}].*|for \(.*|\w+ \w+\(.*|.*\w[&*]? \w+[,)].*|.*\(\w+ = .*|.*, \w+ = .*")
PATTERN = re.compile(r"unexpected namespace name 'data'|(undeclared identifier|unknown type name) '(?!TypeOfSpan)|no type named")  # not a program
TENSORS = ("docs/tensor-language.md", "docs/gradients.md")  # pages where x and y are tensors
DEFINITION = re.compile(r"[\w:<>, ]+ \w+ = ")  # xt::xarray<float> p = model.predict(x)
# Pages and spans that are right but do not compile alone, and why.
NOT_ALONE = {
    "docs/errors.md": "it shows mistakes",
}
SKIPPED = {
    'resolve("loss")': "a member of a registry",
    'resolve("network.layers.*<dense>.weights")': "the same",
    'resolve("**")': "the same",
    "Array<float>({7, 2}, elements)": "elements is a word",
    "trainer.load(file, HooksFromFile::ignore)": "file is a word",
    "trainer.load_parameters(file)": "the same",
    "save_model(model, file, Dtype::bf16)": "the same",
    "network(load_layers(file) + Dense(3) + SoftmaxCE())": "the same",
    'load_parameters(model, file, "*", Transfer::common)': "the same",
    'save_parameters(model, file, "2-*")': "the same",
    'log.info("epoch ", epoch, ", error ", error)': "log is a word",
    'log.named("digits")': "the same",
    "random.uniform()": "random is a word",
    "random.normal()": "the same",
    'tagged("fc", layer)': "layer is a word",
    "loss(losses::softmax_ce)": "a member of Sequential",
    "loss(SoftmaxCE({.smoothing = 0.1}))": "the same",
    "f(std::span<const double> x, std::span<double> gradient)": "a declaration",
}


def spans_of(root):
    """Yields (page, line, text) of each span."""
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        where = str(page.relative_to(root))
        if where in NOT_ALONE:
            continue
        fenced = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            if fenced:
                continue
            for text in re.findall(r"`([^`]+)`", line):
                text = text.replace(r"\|", "|")  # in a table
                if CALL.search(text) and not SIGNATURE.fullmatch(text) and not re.search(r"gpus?\(|…|\.\.\.|^[.#<]|[^\x00-\x7F]|;|^struct |^template ", text):
                    yield where, number, text


def unit(spans):
    lines = ['#include "names_of_pages.hpp"', "namespace {"]
    for i, (where, number, text) in enumerate(spans):
        if DEFINITION.match(text):
            lines += [f'#line {number} "{where}"', f"void span_{i}() {{ {text}; }}"]
            continue
        given = "Tensor x, Tensor y" if where in TENSORS else ""
        lines += [f'#line {number} "{where}"', f"void span_{i}({given}) {{ using TypeOfSpan = decltype(({text})); static_assert(is_whole<TypeOfSpan>); }}"]
    return "\n".join([*lines, "}", ""])


def problems(root, compiler, flags, spans):
    """Yields what is wrong with spans, then the number of spans that are not patterns."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "spans.cpp"
        source.write_text(unit(spans))
        command = [compiler, *flags, f"-I{root}/tests/docs", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-w", str(source)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=900).stderr
    errors = {}
    for where, number, message in re.findall(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$", said, re.MULTILINE):
        errors.setdefault((where, int(number)), []).append(message)
    known = {(where, number) for where, number, _ in spans}
    patterns = set()
    for place, messages in errors.items():
        if place not in known:
            yield f"{place[0]}:{place[1]}: {messages[0]}"
        elif any(PATTERN.search(m) for m in messages):
            patterns.add(place)
        else:
            texts = [text for where, number, text in spans if (where, number) == place]
            yield f"{place[0]}:{place[1]}: `{'`, `'.join(texts)}`: {messages[0]}"
    yield sum((where, number) not in patterns for where, number, _ in spans)


def main():
    compiler, root, *flags = sys.argv[1:]
    root = pathlib.Path(root).resolve()
    spans = [span for span in spans_of(root) if span[2] not in SKIPPED]
    *found, programs = problems(root, compiler, flags, spans)
    print("\n".join(found) or f"{programs} spans are right, {len(spans) - programs} are patterns")
    return bool(found) or programs < 100


if __name__ == "__main__":
    sys.exit(main())
