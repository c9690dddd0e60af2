// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>
#include <sigma/device/gpu/cuda/cache.hpp>
#include <sigma/device/gpu/kernels/language.hpp>

#include <nvrtc.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::on_gpu::cuda {

/// The target for which NVRTC compiles.
struct Target {
    int architecture = 0;      ///< 90 is 9.0
    bool machine_code = true;  ///< false for PTX, which the driver translates

    std::string option() const {
        return sentence("--gpu-architecture=", machine_code ? "sm_" : "compute_", architecture);
    }
};

/// Returns the newest of the `supported` architectures that is not newer than the compute capability of a device (90 is
/// 9.0), or nothing if the device is older than all of them. A device that the compiler does not know gets PTX.
inline std::optional<Target> choose_target(int capability, std::span<const int> supported) {
    int best = 0;
    for (const int each : supported)
        if (each <= capability) best = std::max(best, each);
    if (best < 70) return {};
    return Target{best, best == capability};
}

/// Returns the architectures for which the installed NVRTC compiles; 90 is 9.0.
inline std::vector<int> supported_architectures() {
    int count = 0;
    if (::nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1) return {};
    std::vector<int> all(static_cast<std::size_t>(count));
    if (::nvrtcGetSupportedArchs(all.data()) != NVRTC_SUCCESS) return {};
    return all;
}

/// A compiler of texts in the language of kernels for a target, by NVRTC or from the cache. Threads may share it.
class Compiler {
public:
    /// Constructs a compiler. `device` is the name of the device in errors.
    Compiler(std::string device, Target target, KernelCache cache)
        : device_(std::move(device)), target_(target), cache_(std::move(cache)) {}

    const Target& target() const { return target_; }
    /// Returns how often NVRTC has compiled a text.
    int compilations() const { return compilations_; }

    /// Compiles a text. Throws KernelError with the first error of the compiler.
    std::string compile(const std::string& text) {
        // Lines are counted from the beginning of the text, without the language before it.
        const std::string whole = sentence(language, "\n#line 1 \"kernels\"\n", text);
        const std::string key = key_of(whole);
        if (std::optional<std::string> found = cache_.find(key)) return *std::move(found);
        std::string code = compile_by_nvrtc(whole);
        cache_.keep(key, code);
        return code;
    }

private:
    /// Returns the options of NVRTC. Split compilation optimizes kernels in parallel and gives the same code.
    std::vector<std::string> options() const {
        return {target_.option(), "--std=c++17", "-default-device", "--split-compile=0"};
    }

    std::string key_of(const std::string& whole) const {
        int major = 0, minor = 0;
        ::nvrtcVersion(&major, &minor);
        std::string all = sentence("NVRTC ", major, '.', minor, '\n');
        for (const std::string& each : options()) all += sentence(each, '\n');
        all += whole;
        return storage::fingerprint(std::string_view(all));
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw KernelError(device_, "compilation of kernels", what);
    }
    void examine(::nvrtcResult code) const {
        if (code != NVRTC_SUCCESS) fail(sentence("NVRTC failed: ", ::nvrtcGetErrorString(code)));
    }

    static std::string log_of(::nvrtcProgram program) {
        std::size_t size = 0;
        if (::nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2) return {};
        std::string log(size, '\0');
        if (::nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return {};
        log.resize(size - 1);  // without the final zero byte
        return log;
    }
    /// Returns the first line with an error; without one, the first line.
    static std::string first_error(std::string_view log) {
        std::string_view first;
        while (!log.empty()) {
            const std::string_view line = log.substr(0, log.find('\n'));
            log.remove_prefix(std::min(log.size(), line.size() + 1));
            if (line.find("error") != line.npos) return std::string(line);
            if (first.empty()) first = line;
        }
        return std::string(first);
    }

    std::string compile_by_nvrtc(const std::string& whole) {
        struct Program {
            ::nvrtcProgram number = nullptr;
            ~Program() {
                if (number) ::nvrtcDestroyProgram(&number);
            }
        } program;
        examine(::nvrtcCreateProgram(&program.number, whole.c_str(), "language", 0, nullptr, nullptr));
        const std::vector<std::string> texts = options();
        std::vector<const char*> pointers;
        for (const std::string& each : texts) pointers.push_back(each.c_str());
        ++compilations_;
        const ::nvrtcResult result =
            ::nvrtcCompileProgram(program.number, static_cast<int>(pointers.size()), pointers.data());
        if (result != NVRTC_SUCCESS) {
            const std::string error = first_error(log_of(program.number));
            fail(
                sentence("NVRTC cannot compile it: ", ::nvrtcGetErrorString(result), error.empty() ? "" : ": ", error));
        }
        std::size_t size = 0;
        examine(target_.machine_code ? ::nvrtcGetCUBINSize(program.number, &size)
                                     : ::nvrtcGetPTXSize(program.number, &size));
        std::string code(size, '\0');
        examine(target_.machine_code ? ::nvrtcGetCUBIN(program.number, code.data())
                                     : ::nvrtcGetPTX(program.number, code.data()));
        return code;
    }

    std::string device_;
    Target target_;
    KernelCache cache_;
    std::atomic<int> compilations_ = 0;
};

}  // namespace sigma::on_gpu::cuda
