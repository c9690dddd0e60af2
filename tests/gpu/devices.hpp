// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/plan/freeze.hpp>

#include "device.hpp"
#include "host_machine.hpp"
#include "support/stored_elements.hpp"

#include <concepts>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace sigma::test {

/// The devices that a test goes through: these, on the processor, and the first CUDA device; where there is none, that
/// is said. On a device's own time SIGMA_TEST_CUDA_ALONE leaves the processor out.
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

/// What runs the plan of `Make{}()` with elements of type T.
template <class M>
concept RunsPlans = requires(M& machine, const M& seen, const Bindings& values) {
    machine.bind(values, 3LL, false);
    machine.set_random(std::uint64_t{1}, std::uint64_t{2});
    machine.run();
    { seen.outputs() } -> std::same_as<std::vector<Values>>;
    { seen.parameters() } -> std::same_as<std::vector<Values>>;
    { seen.states() } -> std::same_as<std::vector<Values>>;
};
/// A device for which the laws hold, whatever it is. `open` is empty where there is none.
template <class D>
concept AnyDevice = requires { D::open(); } && std::same_as<decltype(D::name), const char* const>;

/// A plan on the processor, called as one on an accelerator is.
template <class Make, class T>
class SimdMachine {
public:
    using P = Planned<Make, simd::lanes<T>>;
    template <class Nothing>
    explicit SimdMachine(const Nothing&) : memory_(P::plan.buffers.size()) {}

    void bind(const Bindings& values, long long records, bool only_inputs) {
        records_ = records;
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            const Buffer& buffer = at(b);
            const auto number = static_cast<std::size_t>(buffer.offset);
            if (buffer.where == Buffer::Where::input) fill(b, values.inputs.at(number));
            if (buffer.where == Buffer::Where::output) fill(b, {});
            if (buffer.where == Buffer::Where::parameter && !only_inputs) fill(b, values.parameters.at(number));
            if (buffer.where == Buffer::Where::state && !only_inputs) fill(b, values.states.at(number));
        }
    }
    void set_random(std::uint64_t seed, std::uint64_t step) {
        executor_.random = {seed, static_cast<std::uint32_t>(step)};
    }
    void run() {
        executor_.prepare(static_cast<std::ptrdiff_t>(records_));
        executor_.run();
    }
    std::vector<Values> outputs() const { return read(Buffer::Where::output); }
    std::vector<Values> parameters() const { return read(Buffer::Where::parameter); }
    std::vector<Values> states() const { return read(Buffer::Where::state); }

private:
    simd::Executor<T> executor_{simd::compiled_program<P, T>};
    std::vector<simd::Arena<T>> memory_;
    long long records_ = 1;

    static const Buffer& at(std::size_t b) { return P::plan.buffers[static_cast<int>(b)]; }
    void fill(std::size_t b, const Values& dense) {
        const Buffer& buffer = at(b);
        std::size_t most = 0;
        each_stored(buffer, records_, [&](std::size_t, std::size_t to) { most = std::max(most, to + 1); });
        memory_[b] = simd::Arena<T>(most + 64);
        each_stored(buffer, records_, [&](std::size_t i, std::size_t to) {
            if (!dense.empty()) memory_[b].data()[to] = static_cast<T>(dense.at(i));
        });
        T* const data = memory_[b].data();
        if (buffer.where == Buffer::Where::input) executor_.bind_input(buffer.offset, data);
        if (buffer.where == Buffer::Where::output) executor_.bind_output(buffer.offset, data);
        if (buffer.where == Buffer::Where::parameter) executor_.bind_parameter(buffer.offset, data);
        if (buffer.where == Buffer::Where::state) executor_.bind_state(buffer.offset, data);
    }
    std::vector<Values> read(Buffer::Where where) const {
        std::vector<Values> result;
        for (std::size_t b = 0; b < memory_.size(); ++b) {
            if (at(b).where != where) continue;
            result.resize(std::max(result.size(), static_cast<std::size_t>(at(b).offset) + 1));
            Values& dense = result[static_cast<std::size_t>(at(b).offset)];
            dense.resize(static_cast<std::size_t>(Extents(at(b).shape, records_).count()));
            each_stored(at(b), records_, [&](std::size_t i, std::size_t from) {
                dense[i] = static_cast<double>(memory_[b].data()[from]);
            });
        }
        return result;
    }
};

/// The same for accelerators.
template <class Make, class T>
struct PlannedMachine : Machine<T> {
    explicit PlannedMachine(detail::SharedOwner<Accelerator> device)
        : Machine<T>(std::move(device), view_of<T>(Planned<Make, simd::lanes<T>>::plan)) {}
};

struct Simd {
    static constexpr const char* name = "simd";
    template <class Make, class T>
    using Machine = SimdMachine<Make, T>;
    static auto open() { return std::make_unique<int>(); }
};
struct Threadless {
    static constexpr const char* name = "host, 1 thread";
    template <class Make, class T>
    using Machine = PlannedMachine<Make, T>;
    static auto open() { return one_thread(); }
};
struct Emulated {
    static constexpr const char* name = "host, 64 threads";
    template <class Make, class T>
    using Machine = PlannedMachine<Make, T>;
    static auto open() { return many_threads(); }
};
/// Where there is a device; else tests of it say that they are skipped.
struct Cuda {
    static constexpr const char* name = "CUDA";
    template <class Make, class T>
    using Machine = PlannedMachine<Make, T>;
    static auto open() { return cuda_device(); }
};

}  // namespace sigma::test
