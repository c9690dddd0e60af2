// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/debug/device.hpp>
#include <sigma/plan/static_plan.hpp>

#include "device.hpp"
#include "host_machine.hpp"

#include <concepts>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace sigma::test {

/// Returns the devices of a test: these, on the processor, and the first CUDA device. Without one it warns. The
/// environment variable SIGMA_TEST_CUDA_ALONE omits the processor, to save time on a machine with a device.
inline std::vector<std::shared_ptr<on_gpu::Backend>> with_cuda(
    const std::vector<std::shared_ptr<on_gpu::HostBackend>>& on_processor) {
    std::vector<std::shared_ptr<on_gpu::Backend>> all(on_processor.begin(), on_processor.end());
    if (auto device = cuda_device()) {
        if (std::getenv("SIGMA_TEST_CUDA_ALONE")) all.clear();
        all.push_back(std::move(device));
    }
    return all;
}
inline std::vector<std::shared_ptr<on_gpu::Backend>> all_devices() { return with_cuda({one_thread(), many_threads()}); }

/// A device for which the laws hold. `open` returns null if the device does not exist. `source` is the source of the
/// program `Make{}()` with elements of type T. `rounding` is the factor by which it rounds more than others.
template <class D>
concept AnyDevice = requires {
    { detail::SharedOwner<sigma::detail::ComputeDevice>(D::open()) };
    { D::rounding } -> std::convertible_to<double>;
} && std::same_as<decltype(D::name), const char* const>;

template <class Make, class T>
using PlanOf = sigma::detail::Planned<Make, on_cpu::lanes<T>>;

/// The source of devices that make their own kernels: the plan alone.
struct OfPlans {
    static constexpr double rounding = 1;
    template <class Make, class T>
    static sigma::detail::ProgramSource source() {
        return view_of<T>(PlanOf<Make, T>::plan);
    }
};

struct Fused {
    static constexpr const char* name = "cpu, fused kernels";
    static constexpr double rounding = 1;
    static auto open() { return std::make_shared<sigma::detail::CpuDevice>(); }
    template <class Make, class T>
    static sigma::detail::ProgramSource source() {
        return on_cpu::compiled_program<PlanOf<Make, T>, T, false>;
    }
};
struct Interpreted {
    static constexpr const char* name = "cpu, interpreted on 3 threads";
    static constexpr double rounding = 1;
    static auto open() { return std::make_shared<sigma::detail::CpuDevice>(sigma::detail::Cpu{.threads = 3}); }
    template <class Make, class T>
    static sigma::detail::ProgramSource source() {
        return on_cpu::compiled_program<PlanOf<Make, T>, T, true>;
    }
};
struct Debugged {
    static constexpr const char* name = "debug";
    static constexpr double rounding = 10;  // sums are computed element by element
    static auto open() { return std::make_shared<sigma::detail::DebugDevice>(); }
    template <class Make, class T>
    static sigma::detail::ProgramSource source() {
        static const sigma::detail::Program program = Make{}();
        return {view_of<T>(PlanOf<Make, T>::plan), &program};
    }
};
struct Threadless : OfPlans {
    static constexpr const char* name = "host, 1 thread";
    static auto open() { return one_thread(); }
};
struct Emulated : OfPlans {
    static constexpr const char* name = "host, 64 threads";
    static auto open() { return many_threads(); }
};
/// A CUDA device. Without one, its tests warn that they are skipped.
struct Cuda : OfPlans {
    static constexpr const char* name = "CUDA";
    static auto open() { return cuda_device(); }
};

}  // namespace sigma::test
