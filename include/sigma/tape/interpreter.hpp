// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/loops.hpp>
#include <sigma/tape/program.hpp>
#include <sigma/tape/scalar_value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

// A naive interpreter of a tape: one loop over the elements of each node, written to be obviously right. The debug
// device runs it, and optimized code is compared with it in double precision.
namespace sigma::debugging {

using sigma::detail::Node;
using sigma::detail::Operation;

using Index = std::array<long long, sigma::detail::max_rank>;

/// The extents of a shape for a number of records.
struct Extents {
    int rank = 0;
    Index extent{};

    constexpr Extents(const Shape& s, long long records) : rank(s.rank) {
        for (int i = 0; i < rank; ++i) extent[static_cast<std::size_t>(i)] = s[i] < 0 ? -s[i] * records : s[i];
    }
    constexpr long long operator[](int axis) const { return extent[static_cast<std::size_t>(axis)]; }
    constexpr long long count() const {
        long long n = 1;
        for (int i = 0; i < rank; ++i) n *= (*this)[i];
        return n;
    }
    /// Returns the index of the element at a row-major position.
    constexpr Index index(long long position) const {
        Index at{};
        for (int i = rank - 1; i >= 0; --i) {
            at[static_cast<std::size_t>(i)] = position % (*this)[i];
            position /= (*this)[i];
        }
        return at;
    }
    constexpr std::size_t position(const Index& at) const {
        long long p = 0;
        for (int i = 0; i < rank; ++i) p = p * (*this)[i] + at[static_cast<std::size_t>(i)];
        return static_cast<std::size_t>(p);
    }
    /// Returns the position of an element of this shape that is broadcast to an element of a result of rank
    /// `result_rank`.
    constexpr std::size_t broadcast_position(const Index& at, int result_rank) const {
        long long p = 0;
        for (int i = 0; i < rank; ++i)
            p = p * (*this)[i] + ((*this)[i] == 1 ? 0 : at[static_cast<std::size_t>(i + result_rank - rank)]);
        return static_cast<std::size_t>(p);
    }
};

template <class T>
constexpr T neutral_value(Operation reduction) {
    constexpr T infinity(std::numeric_limits<float>::infinity());
    return reduction == Operation::sum ? 0 : reduction == Operation::reduce_maximum ? -infinity : infinity;
}
template <class T>
constexpr T combined_value(Operation reduction, T total, T x) {
    return reduction == Operation::sum              ? total + x
           : reduction == Operation::reduce_maximum ? scalar_value<T>(Operation::maximum, total, x, 0)
                                                    : scalar_value<T>(Operation::minimum, total, x, 0);
}

constexpr bool is_nan(auto x) { return x != x; }

/// The data that a program reads, by number, and the random number at a row (all leading axes together) and a column.
template <class T>
struct Bindings {
    std::vector<std::vector<T>> inputs{}, parameters{}, states{};
    detail::AnyFunction<T(std::uint64_t stream, long long row, long long column)> uniform{};
};

/// The values of a loop's nodes at one of its positions; empty for other nodes.
template <class T>
struct LoopStep {
    int loop, position;
    std::vector<std::vector<T>> values;
};

/// The results: the value of every node (in loops that of the last step), the outputs, and parameters and states after
/// the assignments; on request every step of the loops, in order.
template <class T>
struct Interpretation {
    std::vector<std::vector<T>> values{}, outputs{}, parameters{}, states{};
    std::vector<LoopStep<T>> steps{};
};

/// The interpreter. `B` provides the inputs, parameters, states and random numbers, as Bindings.
template <class T, class B = Bindings<T>>
class Interpreter {
public:
    using Values = std::vector<T>;

    constexpr Interpreter(const sigma::detail::Tape& tape, const B& bindings, long long records,
                          std::vector<LoopStep<T>>* steps = nullptr)
        : tape_(tape), bindings_(bindings), records_(records), steps_(steps) {}

    /// Returns the values of all nodes, or of the needed ones only.
    constexpr std::vector<Values> run(const sigma::detail::List<char>* needed = nullptr) {
        values_.resize(at(tape_.size()));
        for (int i = 0; i < tape_.size(); ++i) {
            if (needed && !(*needed)[i]) continue;
            if (members_.of(i) < 0 && members_.computed_in(tape_, i) < 0) values_[at(i)] = evaluate(tape_[i]);
            else if (members_.of(i) >= 0 && members_.last(members_.of(i)) == i) scan(members_.of(i));
        }
        return std::move(values_);
    }

private:
    const sigma::detail::Tape& tape_;
    const B& bindings_;
    long long records_;
    std::vector<Values> values_{};
    sigma::detail::LoopMembers members_{tape_};
    std::vector<LoopStep<T>>* steps_;  // records the steps if not null

    /// Runs every step of a loop: its nodes in order, then the stacks, then the carries.
    constexpr void scan(int loop) {
        const sigma::detail::Loop& l = tape_.loops()[loop];
        std::vector<Values> state(at(tape_.size()));
        for (int i = 0; i < tape_.size(); ++i)
            if (tape_[i].operation == Operation::carry && members_.of(i) == loop) state[at(i)] = values_of(tape_[i].a);
        for (int t = 0; t < l.count; ++t) {
            const int position = l.backwards ? l.count - 1 - t : t;
            for (int i = 0; i < tape_.size(); ++i) {
                const Node& n = tape_[i];
                if (members_.of(i) == loop)
                    values_[at(i)] = n.operation == Operation::carry  ? state[at(i)]
                                     : n.operation == Operation::step ? read_step(n, position)
                                                                      : evaluate(n);
                if (n.operation == Operation::stack && loop_of(n) == loop) write_step(i, position);
            }
            if (steps_) {
                steps_->push_back({loop, position, std::vector<Values>(at(tape_.size()))});
                for (int i = 0; i < tape_.size(); ++i)
                    if (members_.of(i) == loop) steps_->back().values[at(i)] = values_of(i);
            }
            for (int i = 0; i < tape_.size(); ++i)
                if (tape_[i].operation == Operation::advance && loop_of(tape_[i]) == loop)
                    state[at(tape_[i].a)] = values_of(tape_[i].b);
        }
    }
    constexpr Values read_step(const Node& n, int position) const {
        const Extents to(n.shape, records_), from = extents_of(n.a);
        Values v(at(to.count()));
        for (long long i = 0; i < to.count(); ++i)
            v[at(i)] = values_of(n.a)[from.position(with_position(to.index(i), to.rank, position))];
        return v;
    }
    constexpr void write_step(int stack, int position) {
        const Extents from = extents_of(tape_[stack].a), to = extents_of(stack);
        values_[at(stack)].resize(at(to.count()));
        for (long long i = 0; i < from.count(); ++i)
            values_[at(stack)][to.position(with_position(from.index(i), from.rank, position))] =
                values_of(tape_[stack].a)[at(i)];
    }
    static constexpr Index with_position(Index index, int rank, int position) {
        for (int i = rank; i > 1; --i) index[at(i)] = index[at(i - 1)];
        index[1] = position;
        return index;
    }

    static constexpr std::size_t at(long long i) { return static_cast<std::size_t>(i); }
    constexpr Extents extents_of(int node) const { return {tape_[node].shape, records_}; }
    constexpr const Values& values_of(int node) const { return values_[at(node)]; }
    static constexpr const Values& bound(const std::vector<Values>& list, const Node& n, long long count) {
        const Values& v = list.at(at(static_cast<long long>(n.attribute)));
        if (static_cast<long long>(v.size()) != count) throw std::logic_error("a binding of the wrong size");
        return v;
    }

    constexpr Values evaluate(const Node& n) const {
        const Extents to(n.shape, records_);
        const long long count = to.count();
        switch (n.operation) {
            case Operation::input: return bound(bindings_.inputs, n, count);
            case Operation::parameter: return bound(bindings_.parameters, n, count);
            case Operation::state: return bound(bindings_.states, n, count);
            case Operation::dot:
            case Operation::transposed_dot: return product(n);
            case Operation::convolve:
            case Operation::convolve_input:
            case Operation::convolve_weights: return convolution(n);
            case Operation::pool_max:
            case Operation::unpool:
            case Operation::pool_select: return pooling(n);
            case Operation::gather:
            case Operation::scatter_add: return lookup(n);
            case Operation::assign: return values_of(n.b);
            case Operation::reshape: return values_of(n.a);
            default: break;
        }
        Values result(at(count));
        if (is_reduction(n.operation)) return reduce(n);
        if (is_block(n.operation)) return blocks(n);
        for (long long i = 0; i < count; ++i) result[at(i)] = element(n, to, to.index(i));
        if (n.operation == Operation::pad) scatter(n, n.a, first_of(n), result);
        if (n.operation == Operation::concatenate) {
            scatter(n, n.a, 0, result);
            scatter(n, n.b, first_of(n), result);
        }
        return result;
    }

    constexpr T element(const Node& n, const Extents& to, const Index& index) const {
        const auto operand = [&](int o) {
            return o < 0 ? T(0) : values_of(o)[extents_of(o).broadcast_position(index, to.rank)];
        };
        if (is_map(n.operation)) return scalar_value(n.operation, operand(n.a), operand(n.b), operand(n.c));
        Index from{};
        switch (n.operation) {
            case Operation::constant: return static_cast<T>(n.constant);
            case Operation::iota: return static_cast<T>(index[n.attribute]);
            case Operation::reciprocal_batch: return 1 / static_cast<T>(records_);
            case Operation::uniform: {
                const long long columns = to.rank ? to[to.rank - 1] : 1;
                const auto position = static_cast<long long>(to.position(index));
                return bindings_.uniform(n.attribute, position / columns, position % columns);
            }
            case Operation::permute:
                for (int i = 0; i < to.rank; ++i) from[at(source_axis(n, i))] = index[at(i)];
                return values_of(n.a)[extents_of(n.a).position(from)];
            case Operation::slice:
                from = index;
                from[at(axis_of(n))] += first_of(n);
                return values_of(n.a)[extents_of(n.a).position(from)];
            case Operation::argmax: return position_of_greatest(n, index);
            case Operation::pad:
            case Operation::concatenate: return 0;  // filled by scatter
            default: throw std::logic_error(std::string("unknown operation: ") + name(n.operation));
        }
    }

    constexpr T position_of_greatest(const Node& n, Index index) const {
        const Extents from = extents_of(n.a);
        const int axis = static_cast<int>(n.attribute);
        long long best = 0;
        T greatest = 0;
        for (long long i = 0; i < from[axis]; ++i) {
            index[at(axis)] = i;
            const T x = values_of(n.a)[from.position(index)];
            if (i == 0 || x > greatest || (is_nan(x) && !is_nan(greatest))) {
                best = i;
                greatest = x;
            }
        }
        return static_cast<T>(best);
    }

    constexpr void scatter(const Node& n, int operand, int first, Values& result) const {
        const Extents from = extents_of(operand), to(n.shape, records_);
        for (long long i = 0; i < from.count(); ++i) {
            Index index = from.index(i);
            index[at(axis_of(n))] += first;
            result[to.position(index)] = values_of(operand)[at(i)];
        }
    }

    constexpr Values reduce(const Node& n) const {
        const Extents from = extents_of(n.a), to(n.shape, records_);
        Values result(at(to.count()), neutral_value<T>(n.operation));
        for (long long i = 0; i < from.count(); ++i) {
            T& total = result[to.broadcast_position(from.index(i), from.rank)];
            total = combined_value(n.operation, total, values_of(n.a)[at(i)]);
        }
        return result;
    }

    /// Calls f(position in x, in plain weights, in y) for each product in the sum of a convolution.
    template <class F>
    static constexpr void for_each_product(const sigma::detail::Convolution& g, const Extents& x, const Extents& w,
                                           const Extents& y, F f) {
        if (x[0] != y[0] || w[3] != y[3] || w[2] * g.groups != x[3]) throw std::logic_error("shapes of a convolution");
        for (long long i = 0; i < y.count(); ++i)
            for (long long a = 0; a < w[0]; ++a)
                for (long long b = 0; b < w[1]; ++b)
                    for (long long c = 0; c < w[2]; ++c) {
                        const Index to = y.index(i);
                        const long long group = to[3] / (w[3] / g.groups);
                        const Index from{to[0], to[1] * g.stride[0] + a * g.dilation[0],
                                         to[2] * g.stride[1] + b * g.dilation[1], group * w[2] + c};
                        if (from[1] >= x[1] || from[2] >= x[2])
                            throw std::logic_error("a convolution leaves its image");
                        f(x.position(from), w.position({a, b, c, to[3]}), at(i));
                    }
    }
    constexpr Values convolution(const Node& n) const {
        const sigma::detail::Convolution g = sigma::detail::Convolution::unpacked(n.attribute);
        const Extents to(n.shape, records_), a = extents_of(n.a), b = extents_of(n.b);
        Values result(at(to.count()));
        const Values &first = values_of(n.a), &second = values_of(n.b);
        if (n.operation == Operation::convolve)
            for_each_product(g, a, b, to, [&](auto x, auto w, auto y) { result[y] += first[x] * second[w]; });
        else if (n.operation == Operation::convolve_weights)
            for_each_product(g, a, to, b, [&](auto x, auto w, auto y) { result[w] += first[x] * second[y]; });
        else {
            const bool turned = !sigma::detail::Convolution::by_channel(g.groups, n.shape[3]);
            const Shape w = tape_[n.b].shape, plain = turned ? Shape{w[0], w[2], w[3], w[1]} : w;
            const Extents plain_extents(plain, 1);
            for_each_product(g, to, plain_extents, a, [&](auto x, auto p, auto y) {
                const Index i = plain_extents.index(static_cast<long long>(p));
                result[x] += first[y] * second[turned ? b.position({i[0], i[3], i[1], i[2]}) : p];
            });
        }
        return result;
    }
    /// Returns the position of a window's first greatest element, or of its first NaN.
    static constexpr std::size_t greatest_in_window(const sigma::detail::Pooling& p, const Values& values,
                                                    const Extents& x, const Index& window) {
        bool found = false;
        std::size_t best = 0;
        for (long long a = 0; a < p.window[0]; ++a)
            for (long long b = 0; b < p.window[1]; ++b) {
                const Index from{window[0], window[1] * p.stride[0] + a - p.before[0],
                                 window[2] * p.stride[1] + b - p.before[1], window[3]};
                if (from[1] < 0 || from[2] < 0 || from[1] >= x[1] || from[2] >= x[2]) continue;
                const std::size_t here = x.position(from);
                if (!found || values[here] > values[best] || (is_nan(values[here]) && !is_nan(values[best])))
                    best = here;
                found = true;
            }
        if (!found) throw std::logic_error("a window without elements");
        return best;
    }
    constexpr Values pooling(const Node& n) const {
        const sigma::detail::Pooling p = sigma::detail::Pooling::unpacked(n.attribute);
        const bool unpools = n.operation == Operation::unpool;
        const Extents to(n.shape, records_), x = extents_of(n.a), windows = unpools ? extents_of(n.b) : to;
        Values result(at(to.count()));
        for (long long i = 0; i < windows.count(); ++i) {
            const std::size_t from = greatest_in_window(p, values_of(n.a), x, windows.index(i));
            if (n.operation == Operation::pool_max) result[at(i)] = values_of(n.a)[from];
            else if (unpools) result[from] += values_of(n.c)[at(i)];
            else result[at(i)] = values_of(n.c)[from];
        }
        return result;
    }
    constexpr Values lookup(const Node& n) const {
        const bool gathers = n.operation == Operation::gather;
        const Extents to(n.shape, records_), table = gathers ? extents_of(n.a) : to;
        const Values &ids = values_of(n.b), &from = values_of(n.a);
        const std::size_t width = at(table[1]);
        Values result(at(to.count()));
        for (std::size_t i = 0; i < ids.size(); ++i)
            for (std::size_t j = 0; j < width; ++j) {
                const bool exists = ids[i] >= 0 && ids[i] < static_cast<double>(table[0]);
                const std::size_t in_table = exists ? static_cast<std::size_t>(ids[i]) * width + j : 0;
                if (gathers)
                    result[i * width + j] = exists ? from[in_table] : T(std::numeric_limits<float>::quiet_NaN());
                else if (exists) result[in_table] += from[i * width + j];
            }
        return result;
    }

    constexpr Values blocks(const Node& n) const {
        const Extents to(n.shape, records_);
        const int own = block_rank(n.operation);
        long long size = 1;
        for (int i = to.rank - own; i < to.rank; ++i) size *= to[i];
        Values result(at(to.count()));
        for (long long first = 0; first < to.count(); first += size) {
            const auto block = [&](const Values& values, const Extents& e) {
                const long long columns = e.rank > 0 ? e[e.rank - 1] : 1, rows = own == 2 ? e[e.rank - 2] : 1;
                T* const data = const_cast<T*>(values.data()) + e.broadcast_position(to.index(first), to.rank);
                return scalar::Block<T>{data, rows, columns, columns, columns == 1 ? 0 : 1};
            };
            const auto operand = [&](int o) { return o < 0 ? scalar::Block<T>{} : block(values_of(o), extents_of(o)); };
            const auto y = block(result, to), a = operand(n.a), b = operand(n.b), c = operand(n.c);
            if (is_custom(n.operation)) custom_value<T>(n.attribute, y, a, b, c);
            else block_value(n.operation, n.attribute != 0, y, a, b, c);
        }
        return result;
    }

    /// Computes dot: (count, m, k) (count or 1, k, n), or transposed_dot: (count, m, k)^T (count, m, n), summed over m.
    constexpr Values product(const Node& n) const {
        const Extents a = extents_of(n.a), b = extents_of(n.b);
        const bool each = n.attribute != 0;
        long long count = 1;
        for (int i = 0; each && i < a.rank - 2; ++i) count *= a[i];
        const long long columns_a = a[a.rank - 1], rows_a = a.count() / count / columns_a;
        const long long columns_b = b[b.rank - 1], rows_b = b.count() / count / columns_b;
        const bool transposed = n.operation == Operation::transposed_dot;
        if (rows_b != (transposed ? rows_a : columns_a)) throw std::logic_error("extents of a product differ");
        const long long rows = transposed ? columns_a : rows_a, depth = transposed ? rows_a : columns_a;
        Values result(at(count * rows * columns_b));
        if (static_cast<long long>(result.size()) != Extents(n.shape, records_).count())
            throw std::logic_error("wrong shape of a product");
        for (long long p = 0; p < count; ++p)
            for (long long i = 0; i < rows; ++i)
                for (long long j = 0; j < columns_b; ++j) {
                    T total = 0;
                    for (long long l = 0; l < depth; ++l) {
                        const long long row = transposed ? l : i, column = transposed ? i : l;
                        total += values_of(n.a)[at((p * rows_a + row) * columns_a + column)] *
                                 values_of(n.b)[at((p * rows_b + l) * columns_b + j)];
                    }
                    result[at((p * rows + i) * columns_b + j)] = total;
                }
        return result;
    }
};

/// Evaluates every node for a number of records; assignments happen at the end, from the old values.
template <class T>
Interpretation<T> interpret(const sigma::detail::Program& program, const Bindings<T>& bindings, long long records,
                            bool keep_steps = false) {
    Interpretation<T> r{{}, {}, bindings.parameters, bindings.states, {}};
    r.values = Interpreter<T>(program.tape, bindings, records, keep_steps ? &r.steps : nullptr).run();
    for (const Variable& v : program.outputs) r.outputs.push_back(r.values[static_cast<std::size_t>(v.id)]);
    for (const Variable& v : program.assignments) {
        const Node& n = program.tape[v.id];
        const Node& target = program.tape[n.a];
        const Extents to(target.shape, records), from(program.tape[n.b].shape, records);
        auto& list = target.operation == Operation::parameter ? r.parameters : r.states;
        std::vector<T>& result = list.at(target.attribute);
        for (long long i = 0; i < to.count(); ++i)
            result[static_cast<std::size_t>(i)] =
                r.values[static_cast<std::size_t>(n.b)][from.broadcast_position(to.index(i), to.rank)];
    }
    return r;
}

}  // namespace sigma::debugging
