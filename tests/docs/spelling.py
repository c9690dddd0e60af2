#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the spelling of the pages, and of the comments of headers, with aspell and the words of dictionary.txt.

    spelling.py ROOT [--write]     --write adds the unknown words to dictionary.txt: read them before you commit them

Code is left out: blocks, text between backquotes, paths, and words with capital letters inside, digits or underscores.
Ends with 77, which ctest takes as skipped, if aspell or its English dictionary is not installed.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

import prose

WORD = re.compile(r"(?<![\w.:/\\<>@-])[A-Za-z][a-z]+(?:['’][a-z]+)?(?![\w:/\\(<>]|\.\w)")


def text_of_page(text):
    text = re.sub(r"^(\s*(?:> ?)*)(```|~~~).*?^\s*(?:> ?)*\2\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|<code>.*?</code>|<[^>\n]+>", "", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|https?://\S+", "]", text)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`]*`", "", text)


def text_of_source(text):
    lines = [found[1] for found in re.finditer(r"///<?\s?(.*)", text)]
    joined = re.sub(r"@code.*?@endcode", "", "\n".join(lines), flags=re.DOTALL)
    joined = re.sub(r"@(?:param|tparam|throws|see|copydoc|copybrief|relates|ref)(?:\[\w+\])?\s+\S+|@\w+", "", joined)
    return re.sub(r"`[^`]*`|\"[^\"\n]*\"", "", joined)


def words(root):
    """word -> the first file that has it"""
    found = collections.OrderedDict()
    for path in prose.files_of(root):
        if path.suffix == ".md":
            text = text_of_page(path.read_text())
        elif path.suffix == ".hpp":
            text = text_of_source(path.read_text())
        else:
            continue
        for word in WORD.findall(text):
            found.setdefault(word.replace("’", "'"), path.relative_to(root))
    return found


def unknown(root, dictionary):
    """(word, file) of each word that neither aspell nor the dictionary knows."""
    known = set(dictionary.read_text().split()) if dictionary.exists() else set()
    found = words(root)
    answer = subprocess.run(["aspell", "list", "--lang=en", "--encoding=utf-8"], input="\n".join(found), text=True, capture_output=True)
    if answer.returncode != 0:
        print(f"spelling.py: aspell: {answer.stderr.strip()}")
        sys.exit(77)
    for word in sorted(set(answer.stdout.split()), key=str.lower):
        if word not in known and word.lower() not in known and word in found:
            yield word, found[word]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    dictionary = root / "tests/docs/dictionary.txt"
    if not shutil.which("aspell"):
        print("spelling.py: aspell is not installed (Debian: aspell aspell-en)")
        sys.exit(77)
    wrong = list(unknown(root, dictionary))
    if sys.argv[2:] == ["--write"]:
        known = set(dictionary.read_text().split()) if dictionary.exists() else set()
        dictionary.write_text("\n".join(sorted(known | {word for word, _ in wrong}, key=lambda w: (w.lower(), w))) + "\n")
        return
    for word, path in wrong:
        print(f"{path}: '{word}' is in no dictionary")
    print(f"{len(wrong)} unknown words")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
