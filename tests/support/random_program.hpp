// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/program.hpp>

#include "support/reference.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

/// Random programs: any operation over random shapes, gradients of a scalar by the real differentiator, and assignments
/// in the manner of optimizers. The same seed gives the same program everywhere (no std distributions).
namespace sigma::test {

class RandomProgram {
public:
    /// With `passes`, equal nodes are shared and identities applied while the program is recorded.
    explicit RandomProgram(unsigned seed, bool passes = true) : random_(seed) {
        tape_ = &program_->tape;
        tape_->sharing = tape_->identities = passes;
        leaves();
        const int operations = below(5) == 0 ? 2 + below(4) : 6 + below(30);
        for (int i = 0; i < operations; ++i) grow();
        finish();
    }
    const sigma::detail::Program& program() const { return *program_; }

    /// Values for everything the program reads, small and away from zero as often as not.
    Bindings bindings(long long records, unsigned seed) const {
        std::mt19937 random(seed);
        Bindings b;
        const auto fill = [&](const Shape& s) {
            Values v(static_cast<std::size_t>(Extents(s, records).count()));
            for (double& x : v) x = static_cast<double>(random() % 4001) / 1000 - 2;
            return v;
        };
        for (const Shape& s : input_shapes_) b.inputs.push_back(fill(s));
        for (const Shape& s : parameter_shapes_) b.parameters.push_back(fill(s));
        for (const Shape& s : state_shapes_) b.states.push_back(fill(s));
        b.uniform = [seed](std::uint64_t stream, long long row, long long column) {
            std::mt19937 one(static_cast<unsigned>(stream * 7919 + static_cast<std::uint64_t>(row * 104729 + column)) ^
                             seed);
            one.discard(3);
            return static_cast<double>(one() >> 8) / 16777216.0;
        };
        return b;
    }

private:
    std::unique_ptr<sigma::detail::Program> program_ =
        std::make_unique<sigma::detail::Program>();  // variables point at its tape
    sigma::detail::Tape* tape_ = nullptr;
    std::mt19937 random_;
    std::vector<Variable> pool_{}, parameters_{};
    std::vector<Shape> input_shapes_{}, parameter_shapes_{}, state_shapes_{};

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    int extent() {
        constexpr int usual[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17};
        return usual[below(11)];
    }
    static Shape shape_of(const std::vector<int>& extents) {
        Shape s;
        for (int e : extents) s.extent[s.rank++] = e;
        return s;
    }
    Shape random_shape() {
        std::vector<int> e;
        const int rank = below(5);
        for (int i = 0; i < rank; ++i) e.push_back(extent());
        return shape_of(e);
    }
    Shape random_batched_shape() {
        std::vector<int> e;
        const int rank = 1 + below(4);
        for (int i = 0; i < rank; ++i) e.push_back(extent());
        e[chance(85) ? 0 : static_cast<std::size_t>(below(rank))] = chance(92) ? batch : -2;
        return shape_of(e);
    }

    // ---- leaves ----

    Variable leaf(sigma::detail::Operation o, const Shape& s, std::vector<Shape>& list) {
        list.push_back(s);
        return {tape_, tape_->leaf(o, s, list.size() - 1)};
    }
    Variable new_parameter(const Shape& s) {
        parameters_.push_back(leaf(sigma::detail::Operation::parameter, s, parameter_shapes_));
        return parameters_.back();
    }
    void leaves() {
        const int inputs = 1 + below(3), parameters = 1 + below(3);
        for (int i = 0; i < inputs; ++i)
            pool_.push_back(leaf(sigma::detail::Operation::input, chance(80) ? random_batched_shape() : random_shape(),
                                 input_shapes_));
        for (int i = 0; i < parameters; ++i) pool_.push_back(new_parameter(random_shape()));
        if (chance(25)) pool_.push_back(leaf(sigma::detail::Operation::state, random_shape(), state_shapes_));
        if (chance(30)) {
            const Shape s = chance(10)   ? Shape(1 + below(3), batch)
                            : chance(70) ? random_batched_shape()
                                         : random_shape();
            pool_.push_back(
                {tape_, tape_->leaf(sigma::detail::Operation::uniform, s, static_cast<std::uint64_t>(below(9)))});
        }
        if (chance(20)) keep(reshaped(parameters_[0]));
        if (chance(20))
            pool_.push_back({tape_, tape_->put({sigma::detail::Operation::iota, -1, -1, -1, Shape(2 + below(9))})});
        if (chance(15)) pool_.push_back(sigma::detail::reciprocal_batch(tape_));
        if (chance(25)) pool_.push_back(constant(tape_, below(7) - 3));
    }

    // ---- operations ----

    Variable pick() {  // recent values rather than old ones
        const int n = static_cast<int>(pool_.size());
        return pool_[static_cast<std::size_t>(chance(60) ? n - 1 - below(std::min(n, 5)) : below(n))];
    }
    /// A value that broadcasts with `x` to something small, now and then a new parameter made to fit.
    Variable partner(Variable x) {
        if (chance(10)) return x;
        return partner(x.shape());
    }
    Variable partner(Shape s) {
        for (int attempt = 0; attempt < 8; ++attempt) {
            const Variable y = pick();
            if (sigma::detail::broadcastable(s, y.shape()) && small(sigma::detail::broadcast(s, y.shape()))) return y;
        }
        for (int i = 0; i < s.rank; ++i)
            if (s[i] < 0 || chance(30)) s.extent[i] = 1;
        while (s.rank > 0 && s[0] == 1 && chance(60)) s = s.without(0);
        return new_parameter(s);
    }
    static bool small(const Shape& s) { return s.count() <= 1500 && s.rank <= 5 && batch_axes(s) <= 1; }
    static int batch_axes(const Shape& s) {
        int n = 0;
        for (int i = 0; i < s.rank; ++i) n += s[i] < 0;
        return n;
    }
    void keep(Variable v) {
        if (small(v.shape())) pool_.push_back(v);
    }
    static Variable square(Variable x) { return x * x; }

    Variable elementwise(Variable x) {
        switch (below(25)) {
            case 0: return -x;
            case 1: return abs(x);
            case 2: return sign(x);
            case 3: return exp(sin(x));
            case 4: return log(1.5 + square(tanh(x)));
            case 5: return log1p(square(sin(x)));
            case 6: return expm1(cos(x));
            case 7: return sqrt(0.5 + abs(tanh(x)));
            case 8: return rsqrt(1.0 + square(tanh(x)));
            case 9: return tanh(x);
            case 10: return sigmoid(x);
            case 11: return sin(x);
            case 12: return cos(x);
            case 13: return stop_gradient(x);
            case 14: return max(x, constant(tape_, 0));
            case 15: return pow(1.2 + tanh(x), constant(tape_, 1 + below(3)));
            case 16: return sigma::detail::copy(x);
            case 17: return tan(sin(x));
            case 18: return asin(0.9 * sin(x));
            case 19: return acos(0.9 * tanh(x));
            case 20: return atan(x);
            case 21: return erf(x);
            case 22: return floor(1.7 * x);
            case 23: return round(1.3 * x);
            default: return x * constant(tape_, 0.5 * (below(5) - 2));
        }
    }
    Variable pairwise(Variable x) {
        const Variable y = partner(x);
        const Shape both = sigma::detail::broadcast(x.shape(), y.shape());
        switch (below(13)) {
            case 0: return x + y;
            case 1: return x - y;
            case 2: return y - x;
            case 3: return tanh(x) * y;
            case 4: return x / (1.5 + square(tanh(y)));
            case 5: return y / (0.5 + sigmoid(x));
            case 6: return max(x, y);
            case 7: return min(x, y);
            case 8: return pow(1.5 + sin(x), sin(y));
            case 9: return where(less(x, y), x, sin(y));
            case 10: return where(less_equal(y, x), partner(both), x);
            case 11: return mod(x, y);
            default: return where(equal(sign(x), sign(y)), x, y + partner(both));
        }
    }
    Variable reduced(Variable x) {
        Shape s = x.shape();
        double size = 1;
        bool over_batch = false;
        const int style = below(3);  // random axes, trailing axes, leading axes
        const int cut = s.rank ? below(s.rank) : 0;
        for (int i = 0; i < s.rank; ++i)
            if (style == 0 ? chance(45) : style == 1 ? i >= cut : i <= cut) {
                size *= s[i] < 0 ? -s[i] : s[i];
                over_batch = over_batch || s[i] < 0;
                s.extent[i] = 1;
            }
        if (chance(30))
            return sigma::detail::reduce(
                chance(50) ? sigma::detail::Operation::reduce_maximum : sigma::detail::Operation::reduce_minimum, x, s);
        Variable r = sigma::detail::reduce(sigma::detail::Operation::sum, x, s) * (1 / size);
        if (over_batch) r = r * sigma::detail::reciprocal_batch(tape_);
        return chance(50) ? r : dropped(r);
    }
    Variable dropped(Variable x) {
        Shape s = x.shape();
        for (int i = s.rank - 1; i >= 0; --i)
            if (s[i] == 1 && chance(70)) s = s.without(i);
        return reshape(x, s);
    }
    /// softmax along the last axis, the way it is composed.
    Variable softmax(Variable x) {
        if (x.shape().rank == 0) return x;
        const Shape s = x.shape().with(x.shape().rank - 1, 1);
        const Variable e =
            exp(sin(x) - stop_gradient(sigma::detail::reduce(sigma::detail::Operation::reduce_maximum, sin(x), s)));
        return e / sigma::detail::reduce(sigma::detail::Operation::sum, e, s);
    }
    Variable normalized(Variable x) {  // over the last or the first axis
        if (x.shape().rank == 0) return x;
        const int axis = chance(60) ? x.shape().rank - 1 : 0;
        const Shape s = x.shape().with(axis, 1);
        const int n = x.shape()[axis];
        const auto mean = [&](Variable v) {
            const Variable total =
                sigma::detail::reduce(sigma::detail::Operation::sum, v, s) * (1.0 / (n < 0 ? -n : n));
            return n < 0 ? total * sigma::detail::reciprocal_batch(tape_) : total;
        };
        const Variable centred = x - mean(x);
        return centred * rsqrt(0.1 + mean(square(centred)));
    }
    Variable moved(Variable x) {
        const Shape s = x.shape();
        if (s.rank == 0) return sigma::detail::expand(x, Shape(2, 3));
        switch (below(6)) {
            case 0: {
                std::vector<std::uint64_t> order(static_cast<std::size_t>(s.rank));
                for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
                for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random_() % (i + 1)]);
                std::uint64_t packed = 0;
                for (std::size_t i = 0; i < order.size(); ++i) packed |= order[i] << (4 * i);
                return permute(x, packed);
            }
            case 1: return s.rank >= 2 ? sigma::detail::transpose_last(x) : x;
            case 2: {
                const int axis = below(s.rank);
                if (s[axis] < 2) return x;
                const int first = below(s[axis]), extent = 1 + below(s[axis] - first);
                return slice(x, axis, first, extent);
            }
            case 3: {
                const int axis = below(s.rank);
                if (s[axis] < 0) return x;
                const int extent = s[axis] + 1 + below(5);
                return pad(x, axis, below(extent - s[axis] + 1), extent);
            }
            case 4: {
                const int axis = below(s.rank);
                if (s[axis] < 0) return x;
                for (const Variable& y : pool_)
                    if (y.shape().rank == s.rank && y.shape()[axis] > 0 && y.shape().with(axis, 1) == s.with(axis, 1) &&
                        chance(60))
                        return concatenate(x, y, axis);
                return concatenate(x, x, axis);
            }
            default: return reshaped(x);
        }
    }
    Variable reshaped(Variable x) {
        Shape s = x.shape();
        switch (below(4)) {
            case 0:  // two neighbours become one
                if (s.rank < 2) return reshape(x, s.aligned(s.rank + 1));
                {
                    const int axis = below(s.rank - 1);
                    const int both = s[axis] * s[axis + 1];
                    const bool batched = s[axis] < 0 || s[axis + 1] < 0;
                    s = s.with(axis, batched && both > 0 ? -both : both).without(axis + 1);
                }
                return reshape(x, s);
            case 1:  // one becomes two
                for (int axis = 0; axis < s.rank && s.rank < 5; ++axis)
                    for (int factor : {2, 3, 5})
                        if (s[axis] % factor == 0 && chance(70)) {
                            Shape t;
                            for (int i = 0; i < s.rank; ++i) {
                                const int outer = i != axis ? s[i] : s[i] < 0 && chance(50) ? factor : s[i] / factor;
                                t.extent[t.rank++] = outer;
                                if (i == axis) t.extent[t.rank++] = s[i] / outer;
                            }
                            return reshape(x, t);
                        }
                return x;
            case 2: return s.rank < 5 ? reshape(x, s.aligned(s.rank + 1)) : x;
            default:  // all that is not the batch in one
                if (s.rank < 2 || s[0] > 0)
                    return reshape(x, Shape(static_cast<int>(s.batched() ? -s.count() : s.count())));
                return reshape(x, Shape(s[0], static_cast<int>(s.count() / -s[0])));
        }
    }
    Variable multiplied(Variable x) {
        if (x.shape().rank == 0) return x;
        if (x.shape().rank == 1) x = reshape(x, Shape(1, x.shape()[0]));
        const Shape a = x.shape();
        if (a.rank < 4 && a.last() > 0 && a.last() < 10 && chance(10)) {  // summed over what may be the batch
            const Variable y = reshape(x, a.aligned(a.rank + 1));
            return sigma::detail::product(sigma::detail::Operation::transposed_dot, y, y, true) * 0.1;
        }
        for (const Variable& y : pool_) {
            const Shape b = y.shape();
            if (b.rank < 2 || !chance(70)) continue;
            const auto fits = [&](const Shape& result) { return small(result) && result.count() <= 600; };
            const bool same_leading = a.rank == b.rank && a.with(a.rank - 1, 1) == b.with(b.rank - 1, 1);
            if (same_leading && chance(50)) {
                const Shape result(a.last(), b.last());
                if (fits(result))
                    return sigma::detail::product(sigma::detail::Operation::transposed_dot, x, y, false) * 0.1;
            }
            bool leading = a.rank == b.rank && a.rank > 2;
            for (int i = 0; i < a.rank - 2 && leading; ++i) leading = a[i] == b[i];
            if (leading && a.last() == b[b.rank - 2] && fits(a.with(a.rank - 1, b.last())))
                return sigma::detail::product(sigma::detail::Operation::dot, x, y, true) * 0.3;
            if (leading && a[a.rank - 2] == b[b.rank - 2]) {
                const Shape result = a.with(a.rank - 2, a.last()).with(a.rank - 1, b.last());
                if (fits(result))
                    return sigma::detail::product(sigma::detail::Operation::transposed_dot, x, y, true) * 0.3;
            }
            if (b.rank == 2 && a.last() == b[0] && fits(a.with(a.rank - 1, b[1])))
                return sigma::detail::product(sigma::detail::Operation::dot, x, y, false) * 0.3;
        }
        if (a.last() < 0) return x;
        return sigma::detail::product(sigma::detail::Operation::dot, x, new_parameter(Shape(a.last(), extent())),
                                      false) *
               0.3;
    }
    /// Along the last axis.
    Variable along(Variable x) {
        const Variable y = partner(x);
        const Shape s = x.shape(), both = sigma::detail::broadcast(s, y.shape());
        if (both.last() < 0 || s.last() < 0) return x;
        const int count = 1 + below(s.last());
        const bool option = chance(50);
        switch (below(5)) {
            case 0: return linear_recurrence(sin(y), x, option);
            case 1: return linear_recurrence(constant(tape_, 1), x, option);
            case 2: return 0.1 * argsort(x, count, option);
            case 3: return sigma::detail::gather_along(x, argsort(x, count, option));
            default: {
                const Variable ids = less(y, x);  // 0 or 1
                if (s.last() > 1 && chance(50)) return sigma::detail::gather_along(x, ids);
                return both.last() == s.last() ? sigma::detail::scatter_add_along(x, ids, 2 + below(3)) : x;
            }
        }
    }
    /// Systems of equations that are far from singular.
    Variable solved(Variable x) {
        const Shape s = x.shape();
        if (s.rank < 2 || s.last() < 0 || s[s.rank - 2] < 0 || s[s.rank - 2] > 5) return x;
        const Variable bounded = sin(x);
        const Variable squares = sigma::detail::product(sigma::detail::Operation::dot, bounded,
                                                        sigma::detail::transpose_last(bounded), s.rank > 2);
        const Variable unit = sigma::detail::identity_matrix(tape_, s[s.rank - 2]);
        const Variable a = 0.1 * squares + unit;
        switch (below(5)) {
            case 4:
                return reshape(sigma::detail::log_determinant(a, sigma::detail::lu(a), chance(50)),
                               s.without(s.rank - 1).without(s.rank - 2));
            case 0: return reshape(determinant(a, sigma::detail::lu(a)), s.without(s.rank - 1).without(s.rank - 2));
            case 1: return sigma::detail::cofactors(a, sigma::detail::lu(a));
            case 2: return solve(a, unit, sigma::detail::lu(a), chance(50));
            default: return solve(a, x, sigma::detail::lu(a), chance(50));
        }
    }
    /// A loop over some sequence with one or two states, or over a value made into one.
    Variable scanned(Variable x) {
        const Shape s = x.shape();
        if (s.batch_axis() != 0 || s.rank > 4) return x;
        if (s.rank < 2 || chance(30))
            x = sigma::detail::expand(reshape(x, s.inserted(1, 1)), s.inserted(1, 1 + below(4)));
        const int loop = tape_->add_loop({x.shape()[1], chance(40)});
        const Variable now = sigma::detail::step(x, loop);
        const Shape state = now.shape();
        const auto weighted = [&](Variable v) {
            if (v.shape().rank < 2) return 0.5 * v;
            const Variable w = new_parameter(Shape(v.shape().last(), v.shape().last()));
            return sigma::detail::product(sigma::detail::Operation::dot, v, w, false) * 0.3;
        };
        const Variable zero = sigma::detail::expand(constant(tape_, 0), state);
        const Variable h = carry(chance(50) ? zero : tanh(now.operand(0).shape() == state ? x : zero), loop, 0);
        const Variable c = carry(sigma::detail::expand(new_parameter(Shape{}), state), loop, 1);
        const Variable next_c = 0.5 * c * sigmoid(weighted(h)) + tanh(now) * sin(h);
        const Variable next_h = chance(30) ? tanh(next_c) : tanh(weighted(h) + next_c * partner_in_loop(state));
        const Variable all = sigma::detail::stack(next_h, loop);
        if (chance(60)) keep(sigma::detail::stack(chance(50) ? next_c : h, loop));
        sigma::detail::advance(h, next_h);
        sigma::detail::advance(c, chance(20) ? sigma::detail::copy(h) : next_c);
        if (!chance(30)) return all;
        return reshape(slice(all, 1, x.shape()[1] - 1, 1), state);
    }
    /// A parameter that broadcasts with the values of a loop.
    Variable partner_in_loop(const Shape& s) { return new_parameter(s.rank > 1 ? Shape(s.last()) : Shape{}); }
    void grow() {
        const Variable x = pick();
        const int kind = below(114);
        if (kind >= 110) return keep(solved(x));
        if (kind >= 106) return keep(along(x));
        if (kind >= 100) return keep(scanned(x));
        if (kind < 24) keep(elementwise(x));
        else if (kind < 50) keep(pairwise(x));
        else if (kind < 62) keep(reduced(x));
        else if (kind < 66) keep(softmax(x));
        else if (kind < 70) keep(normalized(x));
        else if (kind < 83) keep(moved(x));
        else if (kind < 97) keep(multiplied(x));
        else if (x.shape().rank > 0) keep(0.1 * argmax(x, below(x.shape().rank)));
    }

    // ---- what leaves ----

    Variable total(Variable x) {
        Variable r = sigma::detail::reduce(sigma::detail::Operation::sum, tanh(x), Shape{}.aligned(x.shape().rank)) *
                     (1.0 / static_cast<double>(x.shape().count()));
        if (x.shape().batched()) r = r * sigma::detail::reciprocal_batch(tape_);
        return reshape(r, Shape{});
    }
    void assign(Variable target, Variable value) {
        value = sigma::detail::expand(value, target.shape());
        program_->assignments.push(
            {tape_, tape_->put({sigma::detail::Operation::assign, target.id, value.id, -1, target.shape()})});
    }
    Variable new_state(const Shape& s) { return leaf(sigma::detail::Operation::state, s, state_shapes_); }

    void update(Variable w, Variable g, Variable rate) {
        switch (below(7)) {
            case 0: return assign(w, w - 0.05 * g);
            case 1: return assign(w, w - rate * g);
            case 2: {  // momentum
                const Variable v = new_state(w.shape()), next = 0.9 * v + g;
                assign(v, next);
                return assign(w, w - rate * next);
            }
            case 3: {  // Adam
                const Variable m = new_state(w.shape()), v = new_state(w.shape()), t = new_state(Shape{});
                const Variable next_m = 0.9 * m + 0.1 * g, next_v = 0.99 * v + 0.01 * square(g), step = t + 1.0;
                assign(m, next_m);
                assign(v, next_v);
                assign(t, step);
                return assign(w, w - rate * next_m / (sqrt(abs(next_v)) + 0.1) / (1.0 + exp(sin(step))));
            }
            case 4: return assign(w, w + g);
            case 5: {  // clipped by the norm, a reduction between gradient and update
                const Variable norm =
                    sigma::detail::reduce(sigma::detail::Operation::sum, square(g), Shape{}.aligned(w.shape().rank));
                return assign(w, w - g * rsqrt(1.0 + norm));
            }
            default: return assign(w, 0.5 * w + 0.5 * sin(g));
        }
    }
    /// Every other output is the node itself, computed into memory that ends where it ends, if that can be (see
    /// `add_output`).
    void leave(Variable v) {
        const sigma::detail::Operation o = v.operation();
        bool own = program_->outputs.size() % 2 == 0 && !is_leaf(o) && o != sigma::detail::Operation::reshape &&
                   o != sigma::detail::Operation::stop_gradient;
        for (const Variable& other : program_->outputs) own = own && !other.same(v);
        program_->outputs.push(own ? v : sigma::detail::copy(v));
    }
    void finish() {
        Variable loss = total(pool_.back());
        for (int i = 0, n = 1 + below(3); i < n; ++i) loss = loss + total(pick());
        sigma::detail::List<Variable> wrt;
        for (const Variable& p : parameters_) wrt.push(p);
        const sigma::detail::List<Variable> gradients = differentiate(loss, constant(tape_, 0.7), wrt);
        if (chance(60)) leave(loss);
        for (int i = 0, n = below(4); i < n; ++i) leave(pick());
        for (const Variable& g : gradients)
            if (chance(25)) leave(g);
        if (chance(75)) {
            const Variable rate =
                chance(50) ? leaf(sigma::detail::Operation::input, Shape{}, input_shapes_) : new_state(Shape{});
            for (int i = 0; i < wrt.size(); ++i)
                if (chance(85)) update(wrt[i], gradients[i], rate);
            if (rate.operation() == sigma::detail::Operation::state && chance(60)) assign(rate, rate * 0.99);
            if (chance(20)) {  // old values of each other
                const Shape s = random_shape();
                const Variable x = new_state(s), y = new_state(s);
                assign(x, x + 0.5 * sin(y));
                assign(y, y - 0.5 * sin(x));
            }
            if (chance(10)) {
                const int n = extent();
                const Variable x = new_state(Shape(n, n)), y = new_parameter(Shape(n, n));
                assign(x, x + sigma::detail::product(sigma::detail::Operation::dot, x, y, false));
            }
            if (chance(20)) {  // every row by its own, or all by the same row
                const int m = extent(), n = extent(), k = extent();
                const Variable x = new_state(Shape(m, n)), y = new_state(Shape(chance(50) ? m : 1, k));
                const Variable z = new_state(Shape(k, n));
                assign(x, x - rate * sigma::detail::product(sigma::detail::Operation::dot, y, z, false));
                assign(y, y * 0.5);
            }
            for (int i = program_->assignments.size() - 1; i > 0; --i)
                std::swap(program_->assignments[i], program_->assignments[below(i + 1)]);
        }
        if (program_->outputs.empty() && program_->assignments.empty())
            program_->outputs.push(sigma::detail::copy(pool_.back()));
    }
};

}  // namespace sigma::test
