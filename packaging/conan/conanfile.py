# SPDX-License-Identifier: BSL-1.0
"""Recipe for Conan 2. In a clone: conan create packaging/conan --build=missing"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

PARTS = ("data", "images", "onnx")


class Sigma(ConanFile):
    name = "sigma"
    description = "Deep learning inside C++20 programs, from one compile-checked expression"
    license = "BSL-1.0"
    topics = ("deep-learning", "neural-networks", "machine-learning", "expression-templates")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {part: [True, False] for part in PARTS}
    default_options = {"data": True, "images": True, "onnx": False}

    def root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        text = load(self, os.path.join(self.root(), "include", "sigma", "core", "version.hpp"))
        self.version = ".".join(re.findall(r"^#define SIGMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.M))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake/*", "components/*", "cuda/*", "data/*", "include/*", "packaging/*"):
            copy(self, pattern, src=self.root(), dst=self.export_sources_folder)

    def requirements(self):
        public = {"transitive_headers": True, "transitive_libs": True}
        self.requires("zlib/[>=1.2.11 <2]", **public)
        if self.options.data:
            self.requires("libarchive/[>=3.6 <4]", **public)
            self.requires("libcurl/[>=7.85 <9]", **public)
            self.requires("openssl/[>=3 <4]", **public)
            self.requires("libunistring/[>=0.9.10]", **public)
        if self.options.get_safe("images"):
            self.requires("libpng/[>=1.6 <2]", **public)
            self.requires("libjpeg-turbo/[>=2.1 <4]", **public)
        if self.options.onnx:
            self.requires("protobuf/[>=3.21 <4]", **public)
            self.requires("onnx/[>=1.12 <2]")

    def configure(self):
        if not self.options.data:
            self.options.rm_safe("images")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")
        if self.options.onnx:
            self.tool_requires("protobuf/<host_version>")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        tool = CMakeToolchain(self)
        tool.cache_variables["SIGMA_BUILD_TESTS"] = False
        tool.cache_variables["SIGMA_BUILD_EXAMPLES"] = False
        for part in ("CUDA", "MACHINES", "MONITOR", "SOUND", "SQLITE"):  # other packages of the system, which Conan does not have
            tool.cache_variables[f"SIGMA_{part}"] = "OFF"
        for part in PARTS:
            tool.cache_variables[f"SIGMA_{part.upper()}"] = "ON" if self.options.get_safe(part) else "OFF"
        tool.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_id(self):
        self.info.settings.rm_safe("compiler.cppstd")

    def package_info(self):
        # find_package(sigma) finds the package's own sigmaConfig.cmake, which has all components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "sigma")]
        self.cpp_info.libs = []
        self.runenv_info.append_path("PATH", os.path.join(self.package_folder, "bin"))
