#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Asks the search of the built site the questions of questions.txt: the answer must be among the first three results.

    questions.py SITE [--show]     SITE is the folder with versions.json, build/site/html; --show prints the first three results of each

The search is the site's own: tests/docs/search.mjs runs Material's search worker, with its lunr, in Node.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

FIRST = 3
HERE = pathlib.Path(__file__).resolve().parent


def read(text):
    """(what is typed, places, whether it may fail) of each line."""
    for line in text.split("\n"):
        if line.strip() and not line.startswith("#"):
            typed, _, places = line.partition("|")
            yield typed.strip().lstrip("? "), places.split(), line.startswith("?")


def place_of(text):
    page, _, section = text.partition("#")
    return (page if page.endswith(".html") else page + ".html").replace("README.html", "index.html"), section


def answered(results, places):
    """Whether one of the places is among the first results: its page is, and its section among those that are shown for it."""
    for result in results[:FIRST]:
        page = result[0].partition("#")[0] or "index.html"
        sections = {location.partition("#")[2] for location in result}
        for place in places:
            wanted, section = place_of(place)
            if wanted == page and (not section or section in sections):
                return True
    return False


def site_of(folder):
    return folder / json.loads((folder / "versions.json").read_text())[0]["version"]


def ask(site, typed):
    ran = subprocess.run(["node", str(HERE / "search.mjs"), str(site)], input=json.dumps(typed), text=True, capture_output=True)
    if ran.returncode:
        raise SystemExit(ran.stderr)
    return json.loads(ran.stdout)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("node") or not (folder / "versions.json").exists():
        print("skipped: node is not installed, or the site is not built (scripts/site.sh)")
        return 77
    questions = list(read((HERE / "questions.txt").read_text()))
    results = ask(site_of(folder), [typed for typed, _, _ in questions])
    faults = 0
    for (typed, places, later), found in zip(questions, results):
        good = answered(found, places)
        if "--show" in sys.argv or not good:
            shown = ", ".join(re.sub(r"\.html", "", result[0]) for result in found[:FIRST])
            print(f"{'ok' if good else 'later' if later else 'FAULT'}: '{typed}': wanted {' or '.join(places)}, found {shown or 'nothing'}")
        faults += not good and not later
    print(f"{len(questions)} questions, {faults} without an answer among the first {FIRST} results")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
