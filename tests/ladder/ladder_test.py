#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that ladder.py reports each kind of mistake, and nothing else."""
import pathlib
import sys
import tempfile

from ladder import check, check_sources

CASES = {
    "downwards": ({"data/a.hpp": "#include <sigma/core/b.hpp>", "core/b.hpp": "#include <vector>"}, None),
    "within a folder": ({"core/a.hpp": '#include "b.hpp"', "core/b.hpp": ""}, None),
    "upwards": ({"core/a.hpp": "#include <sigma/data/b.hpp>", "data/b.hpp": ""}, "above it"),
    "upwards, in quotes": ({"core/a.hpp": '#  include "../data/b.hpp"', "data/b.hpp": ""}, "above it"),
    "data that know networks": ({"data/a.hpp": "#include <sigma/network/b.hpp>", "network/b.hpp": ""}, "above it"),
    "includes the top": ({"trainer/a.hpp": "#include <sigma/sigma.hpp>", "sigma.hpp": ""}, "above it"),
    "a folder nobody knows": ({"misc/a.hpp": ""}, "not on the ladder"),
    "a missing header": ({"core/a.hpp": "#include <sigma/core/b.hpp>"}, "does not exist"),
    "zlib from the top": ({"sigma.hpp": "#include <sigma/data/x.hpp>", "data/x.hpp": "#include <sigma/data/source/gunzip.hpp>",
                           "data/source/gunzip.hpp": "#include <zlib.h>"}, "optional library"),
    "xtensor from the top": ({"sigma.hpp": "#include <sigma/data/x.hpp>", "data/x.hpp": "#include <sigma/core/xtensor.hpp>",
                             "core/xtensor.hpp": "#include <xtensor/xarray.hpp>"}, "costs each program xtensor"),
    "xtensor from its bridge": ({"sigma.hpp": "", "xtensor.hpp": "#include <sigma/core/xtensor.hpp>",
                                "core/xtensor.hpp": "#include <xtensor/xarray.hpp>"}, None),
    "the GPU's tree, downwards": ({"cuda:device/gpu/a.hpp": "#include <sigma/device/b.hpp>\n#include <cuda_runtime_api.h>",
                                   "device/b.hpp": "", "cuda:gpu.hpp": "#include <sigma/device/gpu/a.hpp>"}, None),
    "the GPU's tree, in quotes": ({"cuda:device/a.hpp": '#include "gpu/b.hpp"', "cuda:device/gpu/b.hpp": ""}, None),
    "the GPU's tree, upwards": ({"cuda:device/gpu/a.hpp": "#include <sigma/execution/b.hpp>", "execution/b.hpp": ""}, "above it"),
    "the GPU's tree, upwards in it": ({"cuda:device/a.hpp": "#include <sigma/gpu.hpp>", "cuda:gpu.hpp": ""}, "above it"),
    "the GPU's tree, a missing header": ({"cuda:device/a.hpp": "#include <sigma/device/b.hpp>"}, "does not exist"),
    "the GPU's tree, a folder nobody knows": ({"cuda:misc/a.hpp": ""}, "not on the ladder"),
    "one name in both trees": ({"cuda:device/a.hpp": "", "device/a.hpp": ""}, "is in include/ and in cuda/"),
    "into the GPU's tree": ({"device/a.hpp": "#include <sigma/device/b.hpp>", "cuda:device/b.hpp": ""}, "is in cuda/"),
    "a header of the toolkit": ({"device/a.hpp": "#include <cublasLt.h>"}, "names 'cublas'"),
    "a fraction with the locale's point": ({"core/a.hpp": 'x(t, "loss %.4f", loss);'}, "depends on the locale"),
    "the GPU's tree, a constant with the locale's point": ({"cuda:device/a.hpp": 'x("(%a%s)", f);'}, "depends on the locale"),
    "a number read with the locale's point": ({"core/a.hpp": "double x = std::stod(t);"}, "depends on the locale"),
    "a stream": ({"core/a.hpp": "std::ostringstream out;"}, "depends on the locale"),
    "formats and signs that no locale changes": ({"core/a.hpp": 'x("%s %zu %03d %016llx", a % e, 5 % a);  // 1 % of %g'}, None),
    "a number made a text elsewhere": ({"core/a.hpp": "t += std::to_string(n);"}, "is for core/number_text.hpp"),
    "digits elsewhere": ({"cuda:device/a.hpp": "std::to_chars(a, b, x);"}, "is for core/number_text.hpp"),
    "digits in their place": ({"core/number_text.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/core/impl/number_text.ipp>\n#endif",
                               "core/impl/number_text.ipp": "std::to_chars(a, b, x);"}, None),
    "a body and its header": ({"core/a.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/core/impl/a.ipp>\n#endif",
                               "core/impl/a.ipp": "#include <sigma/core/a.hpp>"}, None),
    "a body, upwards": ({"core/a.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/core/impl/a.ipp>\n#endif",
                         "core/impl/a.ipp": "#include <sigma/data/b.hpp>", "data/b.hpp": ""}, "above it"),
    "a body that nobody includes": ({"core/a.hpp": "", "core/impl/a.ipp": ""}, "no header beside impl/"),
    "a body of another folder": ({"data/b.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/core/impl/a.ipp>\n#endif",
                                  "core/impl/a.ipp": ""}, "no header beside impl/"),
    "a body twice": ({"core/a.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/core/impl/a.ipp>\n#endif",
                      "core/b.hpp": "#include <sigma/core/impl/a.ipp>", "core/impl/a.ipp": ""}, "even if the library"),
    "two headers that include each other": ({"core/a.hpp": "#include <sigma/core/b.hpp>", "core/b.hpp": "#include <sigma/core/a.hpp>"},
                                           "sigma/core/a.hpp: includes itself by way of sigma/core/b.hpp"),
    "a circle of three, of which one is included elsewhere":
        ({"data/x.hpp": "#include <sigma/core/b.hpp>", "core/a.hpp": "#include <sigma/core/b.hpp>", "core/b.hpp": '#include "c.hpp"',
          "core/c.hpp": "#include <sigma/core/a.hpp>"}, "sigma/core/a.hpp: includes itself by way of sigma/core/b.hpp, sigma/core/c.hpp"),
    "a header that includes itself": ({"core/a.hpp": '#include "a.hpp"'}, "includes itself"),
    "the GPU's tree, a circle": ({"cuda:device/a.hpp": "#include <sigma/device/b.hpp>", "cuda:device/b.hpp": "#include <sigma/device/a.hpp>"},
                                 "includes itself by way of"),
    "two ways to one header": ({"core/a.hpp": "#include <sigma/core/b.hpp>\n#include <sigma/core/c.hpp>", "core/b.hpp": '#include "d.hpp"',
                               "core/c.hpp": '#include "d.hpp"', "core/d.hpp": ""}, None),
    "a circle through a body": ({"core/a.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/core/impl/a.ipp>\n#endif",
                                "core/impl/a.ipp": "#include <sigma/core/b.hpp>", "core/b.hpp": "#include <sigma/core/a.hpp>"}, None),
    "a tape that declares a layer's class": ({"tape/a.hpp": "class Context;\nstruct Tape { Context* c; };",
                                             "layer/b.hpp": "class Context : public Base {\n};"}, "sigma/tape/a.hpp: names Context, a class of layer/"),
    "a plan that names a network": ({"plan/impl/a.ipp": "NetworkTable f();", "plan/a.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/plan/impl/a.ipp>\n#endif",
                                    "network/b.hpp": "struct NetworkTable {\n};"}, "names NetworkTable, a class of network/"),
    "a device that names an optimizer": ({"device/a.hpp": "template <class T>\nvoid f(const Adam&);", "optimizer/b.hpp": "struct Adam {\n};"},
                                         "names Adam, a class of optimizer/"),
    "a layer that names a trainer": ({"layer/a.hpp": "template <class N>\nclass Trainer;", "trainer/b.hpp": "template <class N>\nclass Trainer {\n};"},
                                     "names Trainer, a class of trainer/"),
    "a layer that names a hook": ({"layer/a.hpp": "void f(HookGroup);", "hook/b.hpp": "struct HookGroup final {\n};"}, "names HookGroup, a class of hook/"),
    "a name in comments and texts": ({"tape/a.hpp": '// for Trainer\nf("Trainer");', "trainer/b.hpp": "class Trainer {\n};"}, None),
    "a class of both": ({"plan/a.hpp": "struct Step {\n};", "execution/b.hpp": "class Step {\n};"}, None),
    "a class that only a body above has": ({"tape/a.hpp": "template <class Sequences> f();", "hook/impl/b.ipp": "struct Sequences {\n};",
                                           "hook/b.hpp": "#ifndef SIGMA_COMPILED\n#include <sigma/hook/impl/b.ipp>\n#endif"}, None),
    "a comment on one device": ({"device/a.hpp": "// as Nvrtc does"}, "names 'Nvrtc'"),
}

failures = 0
for title, (files, expected) in CASES.items():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            tree, name = name.split(":") if ":" in name else ("include", name)
            path = pathlib.Path(folder, tree, "sigma", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        problems = check(pathlib.Path(folder, "include"), pathlib.Path(folder, "cuda"))
    good = not problems if expected is None else len(problems) == 1 and expected in problems[0]
    failures += not good
    print("pass" if good else "FAIL", title, problems)

SOURCES = {
    "a source": ("// SPDX-License-Identifier: BSL-1.0\nint x; // to_string", 0),
    "a source without its licence": ("int x;", 1),
    "a source that makes a number a text": ("// SPDX-License-Identifier: BSL-1.0\nauto t = std::to_string(1);", 1),
    "a source with the locale's point": ("// SPDX-License-Identifier: BSL-1.0\nauto x = std::stod(t);", 1),
}
for title, (text, expected) in SOURCES.items():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "a.cpp").write_text(text, encoding="utf-8")
        problems = check_sources(pathlib.Path(folder))
    failures += len(problems) != expected
    print("pass" if len(problems) == expected else "FAIL", title, problems)
sys.exit(bool(failures))
