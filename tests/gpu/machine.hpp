// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/philox.hpp>
#include <sigma/device/compute_device.hpp>
#include <sigma/plan/plan_view.hpp>

#include "support/reference.hpp"
#include "support/stored_elements.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sigma::test {

/// Returns the random numbers that every device draws, see on_cpu::fill_uniform.
inline std::function<double(std::uint64_t, long long, long long)> uniform_of(std::uint64_t seed, std::uint32_t step) {
    return [=](std::uint64_t stream, long long row, long long column) {
        const auto use = static_cast<std::uint32_t>(RandomUse::dropout) << 24;
        const auto block =
            Philox::philox4x32({static_cast<std::uint32_t>(column / 32 * 8 + column % 8),
                                static_cast<std::uint32_t>(row), step, use | static_cast<std::uint32_t>(stream)},
                               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        return static_cast<double>(block[static_cast<std::size_t>(column % 32 / 8)] >> 8) * 0x1p-24;
    };
}

/// A program on a device, with values in the form of the interpreters. Padding from outside is NaN.
template <class T>
class Machine {
public:
    Machine(detail::SharedOwner<sigma::detail::ComputeDevice> device, const sigma::detail::ProgramSource& source)
        : device_(std::move(device)), plan_(source.plan), program_(device_->make_program(source)),
          counters_(device_, sizeof(sigma::detail::StepCounters), "counters") {
        program_->bind_counters(counters_.as<sigma::detail::StepCounters>());
    }

    /// Binds values of everything that the plan reads, or only of inputs, and memory for its results.
    void bind(const Bindings& values, long long records, bool only_inputs = false) {
        records_ = records;
        for (const sigma::detail::Buffer& b : plan_.buffers) {
            const std::vector<Values>* from = b.where == sigma::detail::Buffer::Where::input       ? &values.inputs
                                              : b.where == sigma::detail::Buffer::Where::parameter ? &values.parameters
                                              : b.where == sigma::detail::Buffer::Where::state     ? &values.states
                                                                                                   : nullptr;
            if (!from && b.where != sigma::detail::Buffer::Where::output) continue;
            if (only_inputs &&
                (b.where == sigma::detail::Buffer::Where::parameter || b.where == sigma::detail::Buffer::Where::state))
                continue;
            std::vector<T> host(elements(b), std::numeric_limits<T>::quiet_NaN());
            if (from)
                each_stored(b, records_, [&](std::size_t i, std::size_t to) {
                    host[to] = static_cast<T>(from->at(static_cast<std::size_t>(b.offset)).at(i));
                });
            sigma::detail::DeviceMemory& memory = external_[{b.where, b.offset}];
            const std::size_t bytes = std::max<std::size_t>(host.size(), 1) * sizeof(T);
            if (memory.bytes() < bytes) memory = sigma::detail::DeviceMemory(device_, bytes, "a tensor");
            device_->upload(memory.data(), host.data(), host.size() * sizeof(T));
            program_->bind(b.where, b.offset, memory.data());
        }
    }
    void set_random(std::uint64_t seed, std::uint64_t step) {
        const sigma::detail::StepCounters counters{seed, step, 0};
        device_->upload(counters_.data(), &counters, sizeof counters);
    }
    void prepare() { program_->prepare(static_cast<std::ptrdiff_t>(records_)); }
    void run() {
        prepare();
        program_->run();
    }
    detail::Owned<sigma::detail::CapturedGraph> capture() {
        return device_->capture([&] { program_->run(); });
    }
    sigma::detail::DeviceProgram& program() { return *program_; }

    std::vector<Values> outputs() const { return read(sigma::detail::Buffer::Where::output); }
    std::vector<Values> parameters() const { return read(sigma::detail::Buffer::Where::parameter); }
    std::vector<Values> states() const { return read(sigma::detail::Buffer::Where::state); }

private:
    detail::SharedOwner<sigma::detail::ComputeDevice> device_;
    sigma::detail::PlanView plan_;
    detail::Owned<sigma::detail::DeviceProgram> program_;
    sigma::detail::DeviceMemory counters_;
    std::map<std::pair<sigma::detail::Buffer::Where, int>, sigma::detail::DeviceMemory> external_;
    long long records_ = 1;

    std::size_t elements(const sigma::detail::Buffer& b) const {
        const Extents e(b.shape, records_);
        return static_cast<std::size_t>(e.rank ? e.count() / e[e.rank - 1] * stored_row(b, records_) : 1);
    }
    std::vector<Values> read(sigma::detail::Buffer::Where where) const {
        std::vector<Values> result;
        for (const sigma::detail::Buffer& b : plan_.buffers) {
            if (b.where != where) continue;
            std::vector<T> host(elements(b));
            device_->download(host.data(), external_.at({where, b.offset}).data(), host.size() * sizeof(T));
            result.resize(std::max(result.size(), static_cast<std::size_t>(b.offset) + 1));
            Values& dense = result[static_cast<std::size_t>(b.offset)];
            dense.resize(static_cast<std::size_t>(Extents(b.shape, records_).count()));
            each_stored(b, records_,
                        [&](std::size_t i, std::size_t from) { dense[i] = static_cast<double>(host[from]); });
        }
        return result;
    }
};

/// Returns the first element with a difference above `tolerance` times 1 + the greatest magnitude of its tensor, or
/// nothing.
inline std::string difference(const char* what, const std::vector<Values>& found, const std::vector<Values>& wanted,
                              double tolerance) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        double scale = 1;
        for (double x : wanted[i])
            if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
        for (std::size_t j = 0; j < wanted[i].size(); ++j) {
            const double x = found.at(i).at(j), y = wanted[i][j];
            if (x == y || (x != x && y != y) || std::abs(x - y) <= tolerance * scale) continue;
            return sentence(what, " ", i, ", element ", j, ": expected ", y, ", found ", x);
        }
    }
    return "";
}
/// `M` and `W` have outputs(), parameters() and states(), or members of these names.
template <class M>
std::string difference(const M& found, const Interpretation& wanted, double tolerance) {
    for (std::string text : {difference("output", found.outputs(), wanted.outputs, tolerance),
                             difference("parameter", found.parameters(), wanted.parameters, tolerance),
                             difference("state", found.states(), wanted.states, tolerance)})
        if (!text.empty()) return text;
    return "";
}

inline Values random_values(const Shape& shape, long long records, std::mt19937& random) {
    Values v(static_cast<std::size_t>(Extents(shape, records).count()));
    for (double& x : v) x = static_cast<double>(random() % 4001) / 1000 - 2;
    return v;
}
/// Random values for everything that a program reads, with the random numbers of seed 5, step 3.
inline Bindings random_bindings(const sigma::detail::Program& p, long long records, unsigned seed) {
    std::mt19937 random(seed);
    Bindings b;
    for (int i = 0; i < p.tape.size(); ++i) {
        const sigma::detail::Node& n = p.tape[i];
        const auto put = [&](std::vector<Values>& to) {
            const auto number = static_cast<std::size_t>(n.attribute);
            if (to.size() <= number) to.resize(number + 1);
            to[number] = random_values(n.shape, records, random);
        };
        if (n.operation == sigma::detail::Operation::input) put(b.inputs);
        if (n.operation == sigma::detail::Operation::parameter) put(b.parameters);
        if (n.operation == sigma::detail::Operation::state) put(b.states);
    }
    b.uniform = uniform_of(5, 3);
    return b;
}

}  // namespace sigma::test
