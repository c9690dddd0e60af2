#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes a list of the software in a build as SPDX 2.3 (a software bill of materials, SBOM).

    sbom.py BUILD FILE [--licences FILE]

BUILD is a folder that CMake configured for Ninja on Debian and that is built. The list has

  - each library and program of Sigma in BUILD,
  - the Debian packages whose headers are compiled into it, from the dependencies that the compiler reported to Ninja,
  - the shared libraries that its ELF file needs,
  - files that are embedded in it, such as uPlot,
  - the data sets.

packaging/licences.json has the licence of each. An unknown package or file is an error, so the list is complete.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_SHIPPED = re.compile(r"libsigma_(gpu_|fuzz|mixed)|_test")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Build:
    """Targets, their inputs, and the headers that they include, from Ninja."""

    def __init__(self, folder):
        self.folder = folder
        cache = (folder / "CMakeCache.txt").read_text()
        self.cached = dict(re.findall(r"^(\w+):\w+=(.*)$", cache, re.M))
        self.source = pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M)[1])
        self.artifacts = sorted(path for pattern in ("libsigma*.a", "libsigma*.so", "sigma-*") for path in folder.glob(pattern)
                                if path.is_file() and not path.suffix.startswith(".tar") and not NOT_SHIPPED.search(path.name))

    def inputs(self, target, seen):
        """All inputs of a target that Ninja knows, also those of its objects and of generated sources."""
        waiting = [target]
        while waiting:
            text = run("ninja", "-C", self.folder, "-t", "query", *waiting)
            names = re.findall(r"^    (?:\| |\|\| )?(\S.*)$", re.sub(r"(?m)^  outputs:\n(?:    .*\n)*", "", text), re.M)
            # Libraries are artifacts of their own. Order-only inputs of targets (cmake_object_order_depends) are none.
            waiting = [name for name in dict.fromkeys(names) if name not in seen and not name.endswith((".a", ".so"))
                       and "cmake_object_order_depends" not in name and self.is_made(name)]
            seen.update(names)

    def is_made(self, name):
        return (self.folder / name).exists() and self.folder in (self.folder / name).resolve().parents

    def headers(self, objects):
        text = run("ninja", "-C", self.folder, "-t", "deps", *objects) if objects else ""
        return {os.path.normpath(self.folder / line.strip()) for line in text.splitlines() if line.startswith("    ")}

    def parts(self, artifact):
        """(files outside of sources and build, libraries of the build) that are in the artifact."""
        seen = set()
        self.inputs(os.path.relpath(os.path.realpath(artifact), self.folder), seen)
        objects = sorted(name for name in seen if name.endswith((".o", ".gch", ".pch")))
        files = self.headers(objects) | {os.path.normpath(self.folder / name) for name in seen if name.startswith("/")}
        outside = {file for file in files if not any(folder in pathlib.Path(file).parents for folder in (self.source, self.folder))
                   and not os.access(file, os.X_OK) and not file.endswith((".so", ".a", ".cmake"))}
        # Commands that generate sources, such as the one that embeds the page, name their inputs as NAME=FILE.
        generated = sorted(name for name in seen if name.endswith((".cpp", ".cc")) and self.is_made(name))
        text = run("ninja", "-C", self.folder, "-t", "commands", "-s", *generated) if generated else ""
        outside |= {file for file in re.findall(r"=(/[^;\"\s]+)", text) if file.endswith((".js", ".css", "LICENSE"))
                    and self.source not in pathlib.Path(file).parents}
        if any(name.endswith("onnx_format.pb.cc") for name in seen):
            outside.add(self.cached["SIGMA_ONNX_PROTO"])
        return outside, sorted(name for name in seen if name.endswith(".a") and (self.folder / name).exists())


def owners(files):
    """The Debian package of each file; files that no package has are left out."""
    found, files = {}, sorted(files)
    for at in range(0, len(files), 500):
        asked = {}
        for file in files[at:at + 500]:
            for name in {file, os.path.realpath(file), file.removeprefix("/usr"), os.path.realpath(file).removeprefix("/usr")}:
                asked.setdefault(name, file)
        text = subprocess.run(["dpkg-query", "--search", *asked], capture_output=True, text=True).stdout
        for line in text.splitlines():
            package, _, path = line.rpartition(": ")
            if path in asked and not package.startswith("diversion"):
                found[asked[path]] = package.split(",")[0].split(":")[0]
    return found


def needed(file):
    """Paths of the shared libraries that an ELF file names."""
    names = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", file))
    cache = dict(re.findall(r"^\s+(\S+) \(.*x86-64.*\) => (\S+)$", run("/sbin/ldconfig", "-p"), re.M)[::-1])
    for name in names:
        if name not in cache and not name.startswith("ld-linux"):
            sys.exit(f"{file.name}: the shared library {name} is not installed")
    return {cache[name] for name in names if name in cache}


class Bill:
    def __init__(self, licences):
        self.licences, self.packages, self.relations, self.faults = licences, {}, set(), []

    def add(self, key, name, version, licence, **more):
        identity = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", key)
        self.packages[identity] = {"SPDXID": identity, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
                                   "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
                                   "copyrightText": "NOASSERTION", **more}
        return identity

    def relate(self, one, kind, other, comment=""):
        self.relations.add((one, kind, other, comment))

    def debian(self, package):
        """The entry of a Debian package, by the name of its source."""
        source, version, own, arch = run("dpkg-query", "--show", "--showformat=${source:Package} ${source:Version} ${Version} ${Architecture}\n",
                                         package).splitlines()[0].split()
        known = self.licences["libraries"].get(source)
        if known is None:
            self.faults.append(f"Debian package {package} (source {source}): packaging/licences.json has no licence")
            return None
        reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                     "referenceLocator": f"pkg:deb/debian/{package}@{own.replace(':', '%3A')}?arch={arch}"}
        identity = "SPDXRef-Debian-" + re.sub(r"[^A-Za-z0-9.]+", "-", source)
        if identity not in self.packages:
            self.add(f"Debian-{source}", known["name"], version, known["licence"], externalRefs=[])
        references = self.packages[identity]["externalRefs"]
        if reference not in references:
            references.append(reference)
            references.sort(key=lambda each: each["referenceLocator"])
        return identity

    def npm(self, file):
        found = re.search(r"/(?P<name>[a-z-]+)-(?P<version>\d[\d.]*)/(?:dist/|LICENSE)", file)
        known = found and self.licences["page"].get(found["name"])
        if not known:
            self.faults.append(f"{file}: neither a file of a Debian package nor of packaging/licences.json")
            return None
        return self.add(f"npm-{found['name']}", known["name"], found["version"], known["licence"], externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:npm/{found['name']}@{found['version']}"}])


def made(build, licences):
    text = (build.source / "include/sigma/core/version.hpp").read_text()
    version = ".".join(re.findall(r"^#define SIGMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.M))
    bill = Bill(licences)
    root = bill.add("sigma", "sigma", version, "BSL-1.0", supplier="Organization: The Sigma authors")
    bill.relate("SPDXRef-DOCUMENT", "DESCRIBES", root)
    for artifact in build.artifacts:
        content = artifact.read_bytes()
        own = bill.add(f"file-{artifact.name}", artifact.name, version, "BSL-1.0", packageFileName=artifact.name,
                       checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}])
        bill.relate(root, "CONTAINS", own)
        outside, libraries = build.parts(artifact)
        found = owners(outside)
        for package in sorted(set(found.values())):
            if other := bill.debian(package):
                bill.relate(own, "DEPENDS_ON", other, "headers or files are compiled into it")
        for file in sorted(outside - set(found)):
            if other := bill.npm(file):
                bill.relate(own, "CONTAINS", other)
        for library in libraries:
            kind = "STATIC_LINK" if content.startswith(b"\x7fELF") else "DEPENDS_ON"
            bill.relate(own, kind, f"SPDXRef-file-{library.replace('_', '-')}")
        if content.startswith(b"\x7fELF"):
            linked = needed(artifact)
            found = owners(linked)
            bill.faults += [f"{artifact.name}: no Debian package has {file}" for file in sorted(linked - set(found))]
            for package in sorted(set(found.values())):
                if other := bill.debian(package):
                    bill.relate(own, "DYNAMIC_LINK", other)
    folders = {path.name for path in (build.source / "data").iterdir() if path.is_dir()}
    bill.faults += [f"data/{name}: packaging/licences.json has no licence" for name in sorted(folders - set(licences["data"]))]
    for name in sorted(folders & set(licences["data"])):
        bill.relate(root, "CONTAINS", bill.add(f"data-{name}", f"data set {name}", version, licences["data"][name]))
    return bill, version


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--licences", type=pathlib.Path, default=ROOT / "packaging/licences.json")
    arguments = parser.parse_args()
    build = Build(arguments.build.resolve())
    if not build.artifacts:
        sys.exit(f"{build.folder}: has no library of Sigma: build it first")
    bill, version = made(build, json.loads(arguments.licences.read_text()))
    if bill.faults:
        sys.exit("\n".join(sorted(set(bill.faults))))
    packages = [bill.packages[key] for key in sorted(bill.packages)]
    relations = [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b, **({"comment": c} if c else {})}
                 for a, kind, b, c in sorted(bill.relations)]
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=build.source, capture_output=True, text=True).stdout.strip()
    time = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else datetime.datetime.now(datetime.timezone.utc)
    identity = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([packages, relations]))
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sigma-{version}",
                "documentNamespace": f"https://spdx.org/spdxdocs/sigma-{version}-{identity}",
                "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/sbom.py"]},
                "packages": packages, "relationships": relations}
    arguments.file.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    print(f"{arguments.file}: {len(packages)} packages, {len(relations)} relations")


if __name__ == "__main__":
    main()
