#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes the Debian packages or the archive of headers from a library that is built, and checks what is in them.

    packages.py debian SOURCE BUILT SCRATCH COMPILER GENERATOR    the packages have the files of an installation, each file once
    packages.py headers SOURCE BUILT SCRATCH COMPILER GENERATOR   README's program compiles with the archive alone
    packages.py recipes SOURCE                                    recipes of other package managers name what exists
    packages.py lintian PACKAGE...                                lintian finds no error
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

PARTS = [  # the first pattern that matches a path says which package has it
    (r"usr/share/doc/(?P<own>[^/]+)/(copyright|changelog\.Debian\.gz)$", None),
    (r"usr/share/man/man1/sigma-(model|runs)\.1\.gz$", "sigma-tools"),
    (r"usr/bin/", "sigma-tools"),
    (r"usr/share/sigma/debugger/", "libsigma-dev"),
    (r"usr/share/sigma/", "sigma-data"),
    (r"usr/lib/[^/]+/libsigma_c\.so\.", "libsigma-c0"),
    (r"usr/include/|usr/lib/[^/]+/(lib[^/]+\.(a|so)|pkgconfig/[^/]+\.pc)$|usr/share/(cmake/sigma|doc/sigma)/", "libsigma-dev"),
]
OWN = re.compile(r"usr/share/(doc/[^/]+/(copyright|changelog\.Debian\.gz)|man/man1/[^/]+)$")  # in packages only


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def expect(condition, sentence):
    if not condition:
        sys.exit(sentence)


def configured(source, built, scratch, compiler, generator):
    """Configures the preset `package` in an empty folder, and lends it the libraries and programs that are built."""
    shutil.rmtree(scratch, ignore_errors=True)
    folder = scratch / "configured"
    run("cmake", "--preset", "package", "-S", source, "-B", folder, "-G", generator, f"-DCMAKE_CXX_COMPILER={compiler}")
    for pattern in ("libsigma*.a", "libsigma_c.so*", "sigma-model", "sigma-runs"):
        for file in built.glob(pattern):
            shutil.copy2(file, folder, follow_symlinks=False)
    return folder


def files_of(package):
    listed = run("dpkg-deb", "--contents", package).splitlines()
    return {line.split(None, 5)[5].split(" -> ")[0][2:] for line in listed if not line.startswith("d")}


def debian(source, built, scratch, compiler, generator):
    for tool in ("dpkg-deb", "cpack"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return 77
    folder = configured(source, built, scratch, compiler, generator)
    run("cpack", "-G", "DEB", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=folder)
    version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M)[1]
    packages = {file.name.split("_")[0]: file for file in folder.glob("*.deb")}
    expect(set(packages) == {"libsigma-dev", "libsigma-c0", "sigma-tools", "sigma-data"}, f"found the packages {sorted(packages)}")

    run("cmake", "--install", folder, "--prefix", scratch / "root/usr")
    installed = {str(path.relative_to(scratch / "root")) for path in (scratch / "root").rglob("*")
                 if path.is_symlink() or not path.is_dir()}
    seen = {}
    for name, file in packages.items():
        for path in files_of(file):
            expect(path not in seen, f"{path} is in {seen.get(path)} and in {name}")
            seen[path] = name
            part = next(((m, p) for pattern, p in PARTS if (m := re.match(pattern, path))), None)
            expect(part is not None, f"{name} has the file {path}, which belongs to no package")
            wanted = part[1] or part[0]["own"]
            expect(wanted == name, f"{path} is in {name}, and belongs to {wanted}")
        fields = dict(line.split(": ", 1) for line in run("dpkg-deb", "--field", file).splitlines() if re.match(r"\w[\w-]*: ", line))
        expect(fields["Version"] == f"{version}-1", f"{name} has the version {fields['Version']}, not {version}-1")
        for document in ("copyright", "changelog.Debian.gz"):
            expect(f"usr/share/doc/{name}/{document}" in seen, f"{name} has no {document}")
        print(f"{name}: {sum(1 for n in seen.values() if n == name)} files, {file.stat().st_size} bytes")
        if name == "libsigma-dev":
            depends = fields["Depends"]
    packed = {path for path in seen if not OWN.match(path)}
    expect(packed == installed, f"only in packages: {sorted(packed - installed)[:5]}; only installed: {sorted(installed - packed)[:5]}")
    expect(f"libsigma-c0 (= {version}-1)" in depends, f"libsigma-dev depends on {depends}")
    if "usr/include/sigma/data/source/url.hpp" in packed:
        expect("libarchive-dev" in depends and "libcurl4-openssl-dev" in depends, f"libsigma-dev depends on {depends}")
    # An installed file knows neither the sources nor the folder of the build.
    for path in (scratch / "root").rglob("*"):
        if path.suffix in (".cmake", ".pc"):
            expect(str(source) not in path.read_text() and str(scratch) not in path.read_text(), f"{path} has a path of the build")


def headers(source, built, scratch, compiler, generator):
    folder = configured(source, built, scratch, compiler, generator)
    run("cmake", "--build", folder, "--target", "headers_archive")
    [archive] = folder.glob("sigma-headers-*.tar.xz")
    first = archive.read_bytes()
    run("cmake", "--build", folder, "--target", "headers_archive")
    expect(first == archive.read_bytes(), "the same files make another archive")
    with tarfile.open(archive) as opened:
        opened.extractall(scratch)
    root = scratch / archive.name.removesuffix(".tar.xz")
    print(f"{archive.name}: {sum(1 for path in root.rglob('*') if path.is_file())} files, {len(first)} bytes")
    expect(root.name in (root / "README.txt").read_text(), "README.txt does not name the folder of the archive")
    for path in (root / "include").rglob("*"):
        if path.is_file():
            expect(path.read_bytes() == (source / path.relative_to(root)).read_bytes(), f"{path} is not the file of the sources")
    options = ["-std=c++20", "-O0", f"-I{root / 'include'}"]
    options += ["-fconstexpr-steps=100000000"] if "clang" in pathlib.Path(compiler).name else ["-fconstexpr-ops-limit=1000000000"]
    # The data sets are found beside the headers.
    run(compiler, *options, source / "tests/install/share.cpp", "-o", scratch / "share", "-pthread")
    run(scratch / "share", root / "share/sigma")
    program = scratch / "readme.cpp"
    program.write_text(re.search(r"```cpp\n(.*?)```", (source / "README.md").read_text(), re.S)[1])
    run(compiler, *options, program, "-o", scratch / "readme", "-lz", "-larchive", "-lcurl", "-lcrypto", "-lunistring", "-pthread")


def recipes(source):
    text = (source / "include/sigma/core/version.hpp").read_text()
    version = ".".join(re.findall(r"^#define SIGMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.M))
    port = json.loads((source / "packaging/vcpkg/sigma/vcpkg.json").read_text())
    expect(port["version"] == version, f"vcpkg.json has the version {port['version']}, not {version}")
    build = "".join(file.read_text() for file in [source / "CMakeLists.txt", *source.glob("components/*/*.cmake")])
    options = set(re.findall(r"set\((SIGMA_\w+) ", build)) | set(re.findall(r"option\((SIGMA_\w+) ", build))
    for feature in port["features"]:
        expect(f"SIGMA_{feature.upper()}" in options, f"vcpkg.json has the feature {feature}, which is no option of the build")
    for recipe in ("packaging/conan/conanfile.py", "packaging/vcpkg/sigma/portfile.cmake"):
        for name in re.findall(r"\bSIGMA_[A-Z_]*[A-Z]\b", (source / recipe).read_text()):
            expect(name in options or name == "SIGMA_VERSION", f"{recipe} names {name}, which is no option of the build")
    for file in (source / "packaging").rglob("conanfile.py"):
        compile(file.read_text(), file, "exec")
    for path in re.findall(r"^(?:COPY|RUN) (scripts\S*)", (source / "packaging/container/Containerfile").read_text(), re.M):
        expect((source / path).exists(), f"Containerfile names {path}, which does not exist")
    print(f"version {version}, features {', '.join(port['features'])}")


def lintian(packages):
    said = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *packages], stdout=subprocess.PIPE, text=True)
    print(said.stdout, end="")
    expect(said.returncode == 0, "lintian found errors")


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "recipes":
        sys.exit(recipes(pathlib.Path(sys.argv[2])))
    if what == "lintian":
        sys.exit(lintian(sys.argv[2:]))
    source, built, scratch = (pathlib.Path(word).resolve() for word in sys.argv[2:5])
    sys.exit({"debian": debian, "headers": headers}[what](source, built, scratch, *sys.argv[5:7]))
