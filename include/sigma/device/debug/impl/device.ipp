// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/device/debug/device.hpp>
#include <sigma/tape/interpreter.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sigma::debugging {

/// A search for the first operation with a result that is not finite. An element is an origin if it
///   is NaN or infinite, and all elements it was computed from are finite;
///   is NaN, and none of those is NaN (inf - inf, 0 * inf);
///   belongs to a parameter or state and is NaN or infinite, or to an input or constant and is NaN.
/// So an infinite constant or input may serve as a mask, and infinities that follow from it have no origin. Elements
/// without effect are not origins: those that `where` does not choose, and those that no output and no assignment
/// needs. An infinity that would vanish later, as in 1 / (1 + exp(x)), is an origin.
template <class T>
class Inspector {
public:
    /// Constructs a search. `all` includes the steps of the loops.
    Inspector(const sigma::detail::Program& program, const Interpretation<T>& all, long long records)
        : program_(program), tape_(program.tape), all_(all), records_(records) {}

    std::optional<NonFiniteOrigin> first() {
        std::optional<NonFiniteOrigin> found;
        for (int i = 0; i < tape_.size(); ++i) {
            const int loop = members_.of(i);
            if (loop < 0) {
                found = first_at(i);
            } else if (members_.last(loop) == i) {  // the loop runs here
                for (const LoopStep<T>& step : all_.steps) {
                    if (step.loop != loop) continue;
                    step_ = &step;
                    needed_.clear();
                    for (int k = 0; k <= i && !found; ++k)
                        if (members_.of(k) == loop) found = first_at(k);
                    if (found) break;
                }
                step_ = nullptr;
                needed_.clear();
            }
            if (found) return found;
        }
        return std::nullopt;
    }

private:
    const sigma::detail::Program& program_;
    const sigma::detail::Tape& tape_;
    const Interpretation<T>& all_;
    long long records_;
    sigma::detail::LoopMembers members_{tape_};
    const LoopStep<T>* step_ = nullptr;        // the step being inspected
    std::vector<std::vector<char>> needed_{};  // elements of each node that reach a result; computed on first use

    std::optional<NonFiniteOrigin> first_at(int i) {
        check_shape(i);
        if (!may_be_origin(i)) return std::nullopt;
        const long long count = static_cast<long long>(values(i).size());
        for (long long e = 0; e < count; ++e)
            if (!std::isfinite(values(i)[at(e)]) && is_origin(i, e) && needed(i, e)) return describe(i, e);
        return std::nullopt;
    }

    static std::size_t at(long long i) { return static_cast<std::size_t>(i); }
    const std::vector<T>& values(int node) const {
        return step_ && members_.of(node) == step_->loop ? step_->values[at(node)] : all_.values[at(node)];
    }
    Extents extents(int node) const { return {tape_[node].shape, records_}; }
    template <class F>
    static void for_each_operand(const sigma::detail::Node& n, F f) {
        for (int o : {n.a, n.b, n.c})
            if (o >= 0) f(o);
    }

    void check_shape(int i) const {
        if (tape_[i].operation == sigma::detail::Operation::assign ||
            tape_[i].operation == sigma::detail::Operation::advance)
            return;
        if (static_cast<long long>(values(i).size()) != extents(i).count())
            throw ShapeError(sentence("operation ", i, ", ", name(tape_[i].operation)),
                             sentence(extents(i).count(), " elements"), sentence(values(i).size()));
    }
    /// Returns whether an operation can be an origin. Those that only pass on their operands cannot.
    bool may_be_origin(int i) const {
        const sigma::detail::Operation o = tape_[i].operation;
        return o != sigma::detail::Operation::where && o != sigma::detail::Operation::copy &&
               o != sigma::detail::Operation::expand && o != sigma::detail::Operation::stop_gradient &&
               o != sigma::detail::Operation::reshape && o != sigma::detail::Operation::assign && !is_movement(o) &&
               !is_loop_value(o) && o != sigma::detail::Operation::advance;
    }
    bool is_origin(int i, long long e) const {
        const sigma::detail::Node& n = tape_[i];
        const bool is_nan = std::isnan(values(i)[at(e)]);
        if (n.operation == sigma::detail::Operation::parameter || n.operation == sigma::detail::Operation::state)
            return true;
        if (is_leaf(n.operation)) return is_nan;
        bool nan = false, infinite = false;
        const auto look = [&](T x) {
            nan = nan || std::isnan(x);
            infinite = infinite || std::isinf(x);
        };
        for_each_source(i, e, look);
        return !nan && (is_nan || !infinite);
    }
    /// Calls f for the elements from which an element was computed; for operations unknown here, for all of the
    /// operands.
    template <class F>
    void for_each_source(int i, long long e, F f) const {
        const sigma::detail::Node& n = tape_[i];
        const Extents to = extents(i);
        const Index index = to.index(e);
        if (is_map(n.operation))
            return for_each_operand(n, [&](int o) { f(values(o)[extents(o).broadcast_position(index, to.rank)]); });
        if (is_reduction(n.operation)) {
            const Extents from = extents(n.a);
            for (long long s = 0; s < from.count(); ++s)
                if (static_cast<long long>(to.broadcast_position(from.index(s), from.rank)) == e) f(values(n.a)[at(s)]);
            return;
        }
        if (is_product(n.operation)) return for_each_factor(n, e, f);
        for_each_operand(n, [&](int o) {
            for (T x : values(o)) f(x);
        });
    }
    /// Calls f for the elements of the row and the column of a product, see Interpreter::product.
    template <class F>
    void for_each_factor(const sigma::detail::Node& n, long long e, F f) const {
        const Extents a = extents(n.a), b = extents(n.b);
        long long count = 1;
        for (int i = 0; n.attribute != 0 && i < a.rank - 2; ++i) count *= a[i];
        const long long columns_a = a[a.rank - 1], rows_a = a.count() / count / columns_a;
        const long long columns_b = b[b.rank - 1], rows_b = b.count() / count / columns_b;
        const bool transposed = n.operation == sigma::detail::Operation::transposed_dot;
        const long long rows = transposed ? columns_a : rows_a, depth = transposed ? rows_a : columns_a;
        const long long j = e % columns_b, i = e / columns_b % rows, p = e / columns_b / rows;
        for (long long l = 0; l < depth; ++l) {
            f(values(n.a)[at((p * rows_a + (transposed ? l : i)) * columns_a + (transposed ? i : l))]);
            f(values(n.b)[at((p * rows_b + l) * columns_b + j)]);
        }
    }

    bool needed(int i, long long e) {
        if (needed_.empty()) find_needed();
        return needed_[at(i)][at(e)] != 0;
    }
    void find_needed() {
        for (int i = 0; i < tape_.size(); ++i) needed_.emplace_back(values(i).size(), char{0});
        const auto all = [&](int i) { std::ranges::fill(needed_[at(i)], char{1}); };
        if (!step_) {
            for (const Variable& v : program_.outputs) all(v.id);
            for (const Variable& v : program_.assignments) all(tape_[v.id].b);
        }
        for (int i = tape_.size() - 1; i >= 0; --i) {
            const sigma::detail::Node& n = tape_[i];
            if (n.operation == sigma::detail::Operation::advance ||
                (step_ && n.operation == sigma::detail::Operation::stack)) {
                if (!step_ || loop_of(n) == step_->loop)
                    all(n.operation == sigma::detail::Operation::advance ? n.b : n.a);
                continue;
            }
            if (step_ && members_.of(i) != step_->loop) continue;
            if (n.operation == sigma::detail::Operation::assign ||
                std::ranges::find(needed_[at(i)], char{1}) == needed_[at(i)].end())
                continue;
            const Extents to = extents(i);
            if (!step_ && members_.of(i) >= 0) {
                for_each_operand(n, all);  // the last step alone does not show what the other steps need
            } else if (is_map(n.operation)) {
                for (long long e = 0; e < to.count(); ++e) {
                    if (!needed_[at(i)][at(e)]) continue;
                    const Index index = to.index(e);
                    const auto need = [&](int o) { needed_[at(o)][extents(o).broadcast_position(index, to.rank)] = 1; };
                    if (n.operation == sigma::detail::Operation::where) {
                        need(n.a);
                        need(values(n.a)[extents(n.a).broadcast_position(index, to.rank)] != 0 ? n.b : n.c);
                    } else {
                        for_each_operand(n, need);
                    }
                }
            } else if (n.operation == sigma::detail::Operation::reshape) {
                for (std::size_t e = 0; e < needed_[at(i)].size(); ++e) needed_[at(n.a)][e] |= needed_[at(i)][e];
            } else if (is_reduction(n.operation)) {
                const Extents from = extents(n.a);
                for (long long s = 0; s < from.count(); ++s)
                    needed_[at(n.a)][at(s)] |= needed_[at(i)][to.broadcast_position(from.index(s), from.rank)];
            } else {
                for_each_operand(n, all);
            }
        }
    }

    NonFiniteOrigin describe(int i, long long e) const {
        const sigma::detail::Node& n = tape_[i];
        const Extents to = extents(i);
        const Index index = to.index(e);
        NonFiniteOrigin o;
        o.node = i;
        o.operation = name(n.operation);
        o.value = static_cast<double>(values(i)[at(e)]);
        if (step_) o.position = step_->position;
        std::vector<long long> element;
        const int batch_axis = n.shape.batch_axis();
        for (int x = 0; x < to.rank; ++x) {
            o.shape.push_back(to[x]);
            o.index.push_back(index[at(x)]);
            if (x == batch_axis) o.record = index[at(x)] / -n.shape[x];  // axes of k rows a record count rows
            if (x != batch_axis || n.shape[x] != batch) element.push_back(index[at(x)]);
        }
        if (is_map(n.operation)) for_each_source(i, e, [&](T x) { o.operands.push_back(static_cast<double>(x)); });
        o.text = sentence(o.operation, is_leaf(n.operation) ? sentence(" ", n.attribute) : "",
                          to.rank > 0 ? " of shape " + sigma::detail::shape_text(o.shape) : "",
                          is_leaf(n.operation) ? " holds " : " gave ", number_text(o.value));
        if (o.record >= 0) o.text += sentence(" at record ", o.record);
        if (!element.empty())
            o.text += sentence(o.record >= 0 ? ", element " : " at ", sigma::detail::shape_text(element));
        if (o.position >= 0)
            o.text += sentence(o.record >= 0 || !element.empty() ? ", time " : " at time ", o.position);
        if (is_leaf(n.operation)) return o;
        std::string from;
        const auto add = [&](const std::string& part) { from += sentence(from.empty() ? ", from " : " and ", part); };
        for (double x : o.operands) add(number_text(x));
        if (o.operands.empty()) for_each_operand(n, [&](int x) { add(range_of(x)); });
        o.text += from;
        return o;
    }
    static std::string number_text(double x) { return std::isnan(x) ? "NaN" : sigma::detail::rounded_text(x); }
    /// Returns the shape and range of a node's values: "(4, 3) numbers from -2 to 1e+30".
    std::string range_of(int i) const {
        std::vector<long long> shape;
        const Extents all = extents(i);
        for (int x = 0; x < all.rank; ++x) shape.push_back(all[x]);
        T least = std::numeric_limits<T>::infinity(), most = -least;
        for (T x : values(i)) {
            least = x < least ? x : least;
            most = most < x ? x : most;
        }
        return sentence(sigma::detail::shape_text(shape), " numbers from ", number_text(static_cast<double>(least)),
                        " to ", number_text(static_cast<double>(most)));
    }
};

}  // namespace sigma::debugging

namespace sigma {

/// A program of the debug device: its operations on bound tensors.
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
        device_.issue([this] { run_now(); });
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
    /// Calls f(element of the dense tensor, its place) for each element. Tensors from outside have no padding.
    template <class F>
    void each(const Shape& shape, detail::Buffer::Where where, F f) const {
        const bool padded = where == detail::Buffer::Where::parameter || where == detail::Buffer::Where::state;
        const auto count = static_cast<std::size_t>(debugging::Extents(shape, records_).count());
        const std::size_t columns = shape.rank ? static_cast<std::size_t>(shape.last()) : 1,
                          row = padded ? static_cast<std::size_t>(detail::row_pitch(shape, lanes_)) : columns;
        for (std::size_t i = 0; i < count; ++i) f(i, padded ? i / columns * row + i % columns : i);
    }
    /// Returns the values of every tensor of a kind that the operations read.
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
