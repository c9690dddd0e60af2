// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/debug/device.hpp>
#include <sigma/device/debug/inspector.hpp>
#include <sigma/tape/interpreter.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace sigma {

/// The operations of a program on bound tensors.
template <class T>
class DebugProgram final : public detail::DeviceProgram {
public:
    DebugProgram(detail::HostMemoryDevice& device, const detail::ProgramSource& source,
                 const detail::DebugDevice::Report& report)
        : device_(device), program_(*source.program), lanes_(source.plan.lanes), report_(report) {}

    void bind(detail::Buffer::Where where, int number, void* data) override {
        std::vector<T*>& of = bound_[static_cast<std::size_t>(where)];
        of.resize(std::max(of.size(), static_cast<std::size_t>(number) + 1));
        of[static_cast<std::size_t>(number)] = static_cast<T*>(data);
    }
    void bind_counters(const detail::StepCounters* counters) override { counters_ = counters; }
    void prepare(std::ptrdiff_t records) override { records_ = records; }
    void run() override {
        device_.ask([this] { run_now(); });
    }
    std::uint64_t version() const override { return 0; }
    std::size_t arena_bytes() const override { return 0; }
    std::size_t arena_bytes(std::ptrdiff_t) const override { return 0; }
    int launches() const override { return program_.tape.size(); }

private:
    detail::HostMemoryDevice& device_;
    const detail::Program& program_;
    int lanes_;
    const detail::DebugDevice::Report& report_;
    std::vector<T*> bound_[static_cast<std::size_t>(detail::Buffer::Where::state) + 1];
    const detail::StepCounters* counters_ = nullptr;
    std::ptrdiff_t records_ = 1;

    T* bound(detail::Buffer::Where where, std::size_t number) const {
        const std::vector<T*>& of = bound_[static_cast<std::size_t>(where)];
        return number < of.size() ? of[number] : nullptr;
    }
    /// f(element of the dense tensor, its place) for each; tensors from outside have no padding.
    template <class F>
    void each(const Shape& shape, detail::Buffer::Where where, F f) const {
        const bool padded = where == detail::Buffer::Where::parameter || where == detail::Buffer::Where::state;
        const auto count = static_cast<std::size_t>(debugging::Extents(shape, records_).count());
        const std::size_t columns = shape.rank ? static_cast<std::size_t>(shape.last()) : 1,
                          row = padded ? static_cast<std::size_t>(detail::row_pitch(shape, lanes_)) : columns;
        for (std::size_t i = 0; i < count; ++i) f(i, padded ? i / columns * row + i % columns : i);
    }
    /// Of every tensor of a kind that the operations read.
    std::vector<std::vector<T>> read(detail::Operation leaf, detail::Buffer::Where where) const {
        std::vector<std::vector<T>> all;
        for (int i = 0; i < program_.tape.size(); ++i) {
            const detail::Node& n = program_.tape[i];
            if (n.operation != leaf) continue;
            const auto number = static_cast<std::size_t>(n.attribute);
            all.resize(std::max(all.size(), number + 1));
            all[number].resize(static_cast<std::size_t>(debugging::Extents(n.shape, records_).count()));
            if (const T* const from = bound(where, number))
                each(n.shape, where, [&](std::size_t element, std::size_t at) { all[number][element] = from[at]; });
        }
        return all;
    }
    void write(const std::vector<T>& values, const Shape& shape, detail::Buffer::Where where,
               std::size_t number) const {
        if (T* const to = bound(where, number))
            each(shape, where, [&](std::size_t element, std::size_t at) { to[at] = values[element]; });
    }
    void run_now() const {
        debugging::Bindings<T> bindings{read(detail::Operation::input, detail::Buffer::Where::input),
                                        read(detail::Operation::parameter, detail::Buffer::Where::parameter),
                                        read(detail::Operation::state, detail::Buffer::Where::state)};
        const detail::StepCounters now = counters_ ? *counters_ : detail::StepCounters{};
        bindings.uniform = [now](std::uint64_t stream, long long row, long long column) {
            return debugging::uniform_at<T>(now.seed, static_cast<std::uint32_t>(now.step), stream, row, column);
        };
        const auto all = debugging::interpret(program_, bindings, records_, static_cast<bool>(report_));
        if (report_)
            if (const auto origin = debugging::Inspector<T>(program_, all, records_).first())
                report_(program_, now.step, *origin);
        for (std::size_t i = 0; i < all.outputs.size(); ++i)
            write(all.outputs[i], program_.tape[program_.outputs[static_cast<int>(i)].id].shape,
                  detail::Buffer::Where::output, i);
        for (const Variable& v : program_.assignments) {
            const detail::Node& target = program_.tape[program_.tape[v.id].a];
            const bool parameter = target.operation == detail::Operation::parameter;
            const auto number = static_cast<std::size_t>(target.attribute);
            write((parameter ? all.parameters : all.states)[number], target.shape,
                  parameter ? detail::Buffer::Where::parameter : detail::Buffer::Where::state, number);
        }
    }
};

namespace detail {

SIGMA_IMPL DebugDevice::DebugDevice(Report report) : report_(std::move(report)) {}

SIGMA_IMPL detail::Owned<DeviceProgram> DebugDevice::make_program(const ProgramSource& source) {
    if (source.program == nullptr)
        throw ArgumentError("program of the debug device", "a plan with its operations", "a plan alone");
    if (source.plan.element == ElementType::float32)
        return detail::make_owned<DebugProgram<float>>(*this, source, report_);
    return detail::make_owned<DebugProgram<double>>(*this, source, report_);
}

}  // namespace detail

}  // namespace sigma
