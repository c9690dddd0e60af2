#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that the ladder check reports each kind of mistake, and nothing else."""
import pathlib
import sys
import tempfile

from ladder import check

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
    "the GPU's tree, upwards": ({"cuda:device/gpu/a.hpp": "#include <sigma/worker/b.hpp>", "worker/b.hpp": ""}, "above it"),
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
                      "core/b.hpp": "#include <sigma/core/impl/a.ipp>", "core/impl/a.ipp": ""}, "though the library"),
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
sys.exit(bool(failures))
