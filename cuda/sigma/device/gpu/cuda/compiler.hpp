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

/// What NVRTC compiles for.
struct Target {
    int architecture = 0;      ///< 90 is 9.0
    bool machine_code = true;  ///< or PTX, which the driver translates

    std::string option() const {
        return sentence("--gpu-architecture=", machine_code ? "sm_" : "compute_", architecture);
    }
};

/// For a device of this compute capability (90 is 9.0) the newest of the `supported` architectures that is no newer;
/// none where the device is older than all of them. A device that the compiler does not know takes PTX.
inline std::optional<Target> choose_target(int capability, std::span<const int> supported) {
    int best = 0;
    for (const int each : supported)
        if (each <= capability) best = std::max(best, each);
    if (best < 70) return {};
    return Target{best, best == capability};
}

/// The architectures that the installed NVRTC makes code for, 90 for 9.0.
inline std::vector<int> supported_architectures() {
    int count = 0;
    if (::nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1) return {};
    std::vector<int> all(static_cast<std::size_t>(count));
    if (::nvrtcGetSupportedArchs(all.data()) != NVRTC_SUCCESS) return {};
    return all;
}

/// Text in the language of kernels to code for a target, by NVRTC or from the cache. Threads may share it.
class Compiler {
public:
    /// `device`: its name, for errors.
    Compiler(std::string device, Target target, KernelCache cache)
        : device_(std::move(device)), target_(target), cache_(std::move(cache)) {}

    const Target& target() const { return target_; }
    /// How often NVRTC had to work.
    int compilations() const { return compilations_; }

    /// Throws KernelError with the compiler's first complaint.
    std::string compile(const std::string& text) {
        // Lines are counted from the text, not from what comes before it.
        const std::string whole = sentence(language, "\n#line 1 \"kernels\"\n", text);
        const std::string key = key_of(whole);
        if (std::optional<std::string> found = cache_.find(key)) return *std::move(found);
        std::string code = compile_anew(whole);
        cache_.keep(key, code);
        return code;
    }

private:
    /// Split compilation optimizes kernels in parallel; the code is the same.
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
        if (code != NVRTC_SUCCESS) fail(sentence("expected NVRTC to work, found ", ::nvrtcGetErrorString(code)));
    }

    static std::string log_of(::nvrtcProgram program) {
        std::size_t size = 0;
        if (::nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2) return {};
        std::string log(size, '\0');
        if (::nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return {};
        log.resize(size - 1);  // without the zero at its end
        return log;
    }
    /// The first line with an error, without warnings before it.
    static std::string first_complaint(std::string_view log) {
        std::string_view first;
        while (!log.empty()) {
            const std::string_view line = log.substr(0, log.find('\n'));
            log.remove_prefix(std::min(log.size(), line.size() + 1));
            if (line.find("error") != line.npos) return std::string(line);
            if (first.empty()) first = line;
        }
        return std::string(first);
    }

    std::string compile_anew(const std::string& whole) {
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
            const std::string complaint = first_complaint(log_of(program.number));
            fail(sentence("expected NVRTC to compile it, found ", ::nvrtcGetErrorString(result),
                          complaint.empty() ? "" : ": ", complaint));
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
