#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that the headers of export_cpp predict what their models predict.

They are compiled as C++17 without a library by every installed compiler, also for AArch64, a Cortex-M4, a Cortex-M7 and
WebAssembly, and run.

    standalone.py PROGRAM DIRECTORY [EXAMPLE]     PROGRAM: standalone_headers
"""
import json
import pathlib
import platform
import shutil
import subprocess
import sys

WARNINGS = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror",
            "-fno-exceptions", "-fno-rtti", "-nostdinc++"]
MAIN = """
#include <stdio.h>
static unsigned long long bits;  // of all outputs of a network: FNV-1a
template <class T>
double difference(const T* y, const double* wanted, int n) {
    double most = 0, scale = 0;
    for (int i = 0; i < n; ++i) {
        const T value = y[i] != y[i] ? T(0) : y[i];  // a NaN has any sign
        for (unsigned b = 0; b < sizeof(T); ++b) bits = (bits ^ reinterpret_cast<const unsigned char*>(&value)[b]) * 1099511628211u;
        const double size = wanted[i] < 0 ? -wanted[i] : wanted[i], d = double(y[i]) - wanted[i];
        if (size < 1e300 && size > scale) scale = size;
        if ((y[i] != y[i]) != (wanted[i] != wanted[i])) return 1e30;
        if (y[i] == y[i] && (d < 0 ? -d : d) > most) most = d < 0 ? -d : d;
    }
    return most / (scale > 0 ? scale : 1);
}
"""
CORTEX = {  # options of the compiler, the machine of qemu; the second has a floating-point unit for double, too
    "Cortex-M4": (["-O2", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"], "mps2-an386"),
    "Cortex-M7": (["-O2", "-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16"], "mps2-an500")}
# Clang evaluates x * y + z of constants with one rounding, unless told otherwise. Inputs of this test are constants.
EMSCRIPTEN = ["-sSTANDALONE_WASM", "-ffp-contract=off", "-fno-slp-vectorize"]
WASI = pathlib.Path(__file__).parent / "wasi.mjs"
SAME_BITS = ("WebAssembly", "WebAssembly with SIMD") if platform.machine() == "x86_64" else ()
CORTEX_COMPILER = "arm-none-eabi-gcc"  # also for C++: unlike g++, it links no standard library of C++, which may not be installed
START = """
extern void _start(void);
static void reset(void) {
    *(volatile unsigned*)0xE000ED88 |= 0xFu << 20;  /* enables the floating-point unit */
    _start();
}
__attribute__((section(".vectors"), used)) void* const vectors[2] = {(void*)0x20400000, (void*)reset};
"""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-6000:]}")
    return done.stdout


def number(x, kind="double"):
    if x in ("nan", "inf", "-inf"):
        return {"nan": '__builtin_nan("")', "inf": "__builtin_inf()", "-inf": "-__builtin_inf()"}[x]
    text = repr(float(x))
    return text + "f" if kind == "float" else text


def check_of(case):
    """Returns a function that compares the header with the model."""
    name, kind, lines = case["name"], case["type"], []
    states = f"    net_{name}::State state{{}};\n" if case["states"] else ""
    lines.append(f"void check_{name}() {{\n    double most = 0;\n    bits = 14695981039346656037u;\n{states}    static net_{name}::Workspace workspace;")
    for record in case["records"]:
        lines.append("    {")
        arguments = []
        for i, x in enumerate(record["inputs"]):
            lines.append(f"        static const {kind} in_{i}[] = {{{', '.join(number(v, kind) for v in x)}}};")
            arguments.append(f"in_{i}")
        for i, y in enumerate(record["outputs"]):
            lines.append(f"        static const double wanted_{i}[] = {{{', '.join(number(v) for v in y)}}};")
            lines.append(f"        static {kind} out_{i}[{len(y)}];")
            arguments.append(f"out_{i}")
        if case["states"]:
            arguments.append("state")
        lines.append(f"        net_{name}::predict({', '.join(arguments)}, workspace);")
        for i, y in enumerate(record["outputs"]):
            lines.append(f"        const double d_{i} = difference(out_{i}, wanted_{i}, {len(y)});")
            lines.append(f"        if (d_{i} > most) most = d_{i};")
        lines.append("    }")
    lines.append(f'    printf("{name} %.3g %llx\\n", most, bits);\n}}')
    return "\n".join(lines)


def program_of(cases):
    includes = "".join(f'#include "{c["name"]}.hpp"\n' for c in cases)
    calls = "".join(f"    check_{c['name']}();\n" for c in cases)
    return includes + MAIN + "\n".join(map(check_of, cases)) + "\nint main() {\n" + calls + "    return 0;\n}\n"


def constant_of(case):
    """Returns a program that classifies a record at compile time."""
    record = case["records"][case["constant_record"]]
    pixels = ", ".join(number(v, case["type"]) for v in record["inputs"][0])
    answer = max(range(len(record["outputs"][0])), key=lambda c: record["outputs"][0][c])
    return (f'#include "{case["name"]}.hpp"\nconstexpr {case["type"]} pixels[] = {{{pixels}}};\n'
            f"static_assert(net_{case['name']}::classify(pixels) == {answer});\n")


def cortex_needs(case, directory, title):
    """Returns the sizes of a program on this processor that is linked without any library."""
    compiler = [CORTEX_COMPILER, *CORTEX[title][0]]
    source, binary = directory / "cortex.cpp", directory / "cortex.elf"
    kind, name, first = case["type"], case["name"], case["records"][0]
    source.write_text(f'#include "{name}.hpp"\n{kind} in[{len(first["inputs"][0])}], out[{len(first["outputs"][0])}];\n'
                      f'extern "C" void _start() {{ net_{name}::predict(in, out); }}\n'
                      # The only function that compilers call without a library.
                      'extern "C" void* memset(void* to, int byte, decltype(sizeof 0) n) {\n'
                      '    for (decltype(n) i = 0; i < n; ++i) static_cast<volatile char*>(to)[i] = char(byte);\n'
                      '    return to;\n}\n')
    run([*compiler, *WARNINGS, "-ffreestanding", "-nostdlib", "-fstack-usage", "-c", source, "-o", directory / "cortex.o"])
    run([*compiler, "-nostdlib", directory / "cortex.o", "-o", binary])
    text = run(["arm-none-eabi-size", "-A", binary])
    size = {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if line.startswith(".")}
    stack = max(int(line.split("\t")[1]) for p in directory.glob("*.su") for line in p.read_text().splitlines())
    constants = int(next(line.split()[2] for line in (directory / f"{name}.hpp").read_text().splitlines()
                         if line.startswith("// Constants:")))
    code = size[".text"] + size.get(".rodata", 0) - constants
    assert ".data" not in size, f"{name}: {size['.data']} bytes are copied from flash to memory"
    flash = code + constants + size.get(".ARM.exidx", 0)
    memory = size[".bss"] + stack
    return (f"on a {title}: {flash} bytes of flash ({constants} of constants, {code} of code), {memory} of memory ({stack} of stack, "
            f"the rest is the input and the output)")


FUNCTIONS = [  # name, name in <cmath>, from, to, allowed units in the last place: float, double
    ("exp", "exp", -87, 88, 2, 2), ("expm1", "expm1", -20, 80, 3, 3), ("log", "log", 1e-30, 1e30, 1.5, 1.5),
    ("log1p", "log1p", -0.99, 50, 2, 2), ("sqrt", "sqrt", 0, 1e30, 1.5, 1.5), ("tanh", "tanh", -10, 10, 6, 3),
    ("sigmoid", "own_sigmoid", -80, 80, 3.5, 3.5), ("sin", "sin", -3000, 3000, 3, 3), ("cos", "cos", -3000, 3000, 3, 3),
    ("arctangent", "atan", -30, 30, 3, 3), ("error_function", "erf", -4, 4, 8, 8),
    ("round_down", "floor", -1e5, 1e5, 0, 0), ("round_to_even", "nearbyint", -1e5, 1e5, 0, 0)]


def accurate(directory):
    """Compares the functions of the headers with <cmath> at random points and at the ends of their domains."""
    calls = "".join(f'    compare<{kind}>("{name}", functions::{name}<{kind}>, [](long double x) {{ return {of}(x); }}, '
                    f"{low}, {high}, {ulp});\n"
                    for name, of, low, high, *ulps in FUNCTIONS for kind, ulp in zip(("float", "double"), ulps))
    (directory / "accuracy.cpp").write_text("""
#include "functions_alone.hpp"
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
using namespace std;
bool right = true;
long double own_sigmoid(long double x) { return 1 / (1 + exp(-x)); }
template <class T, class F, class G>
void compare(const char* name, F f, G g, double low, double high, double allowed) {
    mt19937_64 random(1);
    double most = 0, where = 0;
    const auto look = [&](T x) {
        const T y = f(x), wanted = static_cast<T>(g(x));
        if (y == wanted || (y != y && wanted != wanted)) return;
        const T size = abs(wanted), unit = nextafter(size, numeric_limits<T>::infinity()) - size;
        const double ulps = static_cast<double>(abs(static_cast<long double>(y) - g(x)) / unit);
        if (!(ulps <= most)) most = ulps, where = x;
    };
    uniform_real_distribution<double> any(low, high), exponent(-30, 1);
    for (int i = 0; i < 300000; ++i) {
        look(static_cast<T>(any(random)));
        const double scaled = high * exp(exponent(random));
        look(static_cast<T>(scaled));
        if (low < 0) look(static_cast<T>(-scaled * low / -high));
    }
    for (T x : {T(0), T(-0.0), T(1), T(-1), T(0.5), T(1e-30), numeric_limits<T>::infinity(), -numeric_limits<T>::infinity(), numeric_limits<T>::quiet_NaN()}) look(x);
    if (!(most <= allowed)) right = false, printf("%s of %zu bytes: %g units in the last place at %.17g\\n", name, sizeof(T), most, where);
}
int main() {
""" + calls + """    return right ? 0 : 1;
}
""")
    run(["g++", "-std=c++17", "-O1", directory / "accuracy.cpp", "-o", directory / "accuracy"])
    done = subprocess.run([directory / "accuracy"], capture_output=True, text=True, timeout=280)
    print(done.stdout, end="")
    return done.returncode == 0


def most_allowed(case):
    return 0.1 if case["int8"] else 1e-5 if case["type"] == "float" else 1e-12


def results(output):
    """Returns the difference from the model, and the bits of all outputs, for each network."""
    return {name: (float(difference), bits) for name, difference, bits in (line.split() for line in output.splitlines() if line)}


def judge(title, found, cases, same_bits):
    wrong = [c for c in cases if found[c["name"]][0] > most_allowed(c) or (same_bits and found[c["name"]][1] != same_bits[c["name"]][1])]
    floats = max((found[c["name"]][0], c["name"]) for c in cases if not c["int8"] and c["type"] == "float")
    bytes_ = [f"{c['name']} {found[c['name']][0]:.2g}" for c in cases if c["int8"]]
    print(f"{title}: {len(cases)} networks, greatest relative difference {floats[0]:.2g} ({floats[1]})",
          *(["; int8:", ", ".join(bytes_)] if bytes_ else []))
    for case in wrong:
        difference, bits = found[case["name"]]
        print(f"  {case['name']}: {difference}", *([f"and the bits {bits} in place of {same_bits[case['name']][1]}"] if same_bits else []))
    return not wrong


def main():
    program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    run([program, directory])
    cases = [json.loads(p.read_text().replace("nan", '"nan"').replace("inf", '"inf"').replace('-"inf"', '"-inf"'))
             if "nan" in p.read_text() or "inf" in p.read_text() else json.loads(p.read_text())
             for p in sorted(directory.glob("*.json"))]
    right = accurate(directory)
    machines = [("g++", ["g++", "-O2"], []), ("g++ -O3 -march=native", ["g++", "-O3", "-march=native"], []),
                ("clang++", ["clang++", "-O1"], []), ("clang++-19", ["clang++-19", "-O2"], []),
                ("WebAssembly", ["em++", "-O2", *EMSCRIPTEN], ["node", WASI]),
                ("WebAssembly with SIMD", ["em++", "-O2", "-msimd128", *EMSCRIPTEN], ["node", WASI]),
                ("AArch64", ["aarch64-linux-gnu-g++", "-O1", "-static"], ["qemu-aarch64"]),
                *((title, [CORTEX_COMPILER, *options, "--specs=rdimon.specs", directory / f"start_{title}.o", "-Wl,--section-start=.vectors=0"],
                   ["qemu-system-arm", "-M", machine, "-nographic", "-semihosting-config", "enable=on,target=native", "-kernel"])
                  for title, (options, machine) in CORTEX.items())]
    found = {}
    if shutil.which(CORTEX_COMPILER):
        (directory / "start.c").write_text(START)
        for title, (options, _) in CORTEX.items():
            run([CORTEX_COMPILER, *options, "-c", directory / "start.c", "-o", directory / f"start_{title}.o"])
    for title, command, runner in machines:
        if not shutil.which(command[0]) or (runner and not shutil.which(runner[0])):
            print(f"{title}: not installed")
            continue
        binary = directory / ("check_" + "".join(c if c.isalnum() else "_" for c in title))
        # An older compiler, processors in qemu and WebAssembly without SIMD take long: every fourth network.
        some = cases[::4] if title in ("clang++", "WebAssembly", *CORTEX) else cases
        (directory / "check.cpp").write_text(program_of(some))
        if command[0] == "em++":  # the ending tells em++ that no page is wanted
            binary = binary.with_suffix(".wasm")
        run([*command, *WARNINGS, directory / "check.cpp", "-o", binary])
        found[title] = results(run([*runner, binary]))
        # WebAssembly adds and rounds as SSE2 does, so it has the bits of g++ -O2.
        right &= judge(title, found[title], some, found["g++"] if title in SAME_BITS else None)
    for case in cases:
        if case["constant_record"] < 0:
            continue
        source = directory / f"constant_{case['name']}.cpp"
        source.write_text(constant_of(case))
        constant(source, directory / f"{case['name']}.hpp")
        print(f"{case['name']}: the compiler classifies a record")
        if shutil.which(CORTEX_COMPILER):
            for title in CORTEX:
                print(f"{case['name']}: {cortex_needs(case, directory, title)}")
    if len(sys.argv) > 3:
        example(pathlib.Path(sys.argv[3]).resolve(), directory)
    return 0 if right else 1


def constant(source, header):
    """Compiles with the limits of constexpr steps that the header names."""
    text = header.read_text()
    for compiler in ("g++", "clang++", "clang++-19"):
        if shutil.which(compiler):
            named = next(line for line in text.splitlines() if line.startswith(f"//   {compiler.split('-')[0]} "))
            run([compiler, *WARNINGS, *named.split()[2:], "-c", source, "-o", source.with_suffix(".o")])


def example(program, directory):
    """Tests that both headers of the example, with floats and with bytes, classify a stroke as the same digit."""
    directory = directory / "example"
    directory.mkdir()
    done = subprocess.run([program], cwd=directory, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0 and "digits_int8.hpp" in done.stdout, done.stdout + done.stderr
    source = pathlib.Path(shutil.copy(pathlib.Path(__file__).parent / "use.cpp", directory))
    constant(source, directory / "digits.hpp")
    run(["g++", *WARNINGS, source, "-o", directory / "use"])
    run([directory / "use"])
    print("example: the compiler reads a 1")


if __name__ == "__main__":
    sys.exit(main())
