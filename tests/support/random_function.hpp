// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/function/function.hpp>

#include <array>
#include <tuple>
#include <utility>

/// Random functions for `evaluate` and `gradient`: types made of a seed. They write operations of any kind over
/// arguments of any rank, and their results leave as what the last operation made, so that kernels of every kind write
/// into arrays that end with their last element. A function is planned and compiled, about a second each: few and
/// small.
namespace sigma::test {

class RandomFunction {
public:
    static constexpr int arguments = 3, results = 4;

    constexpr explicit RandomFunction(unsigned seed) : state_(seed * 2654435761u + 12345u) {
        for (int i = 0; i < 8; ++i) below(2);
        for (Shape& s : shapes_) s = random_shape();
    }
    constexpr const Shape& shape(int argument) const { return shapes_[argument]; }

    /// The results, from arguments that stand on a tape.
    constexpr sigma::detail::List<Variable> write(const sigma::detail::List<Variable>& given) {
        tape_ = given[0].tape;
        pool_ = given;
        for (int tries = 0, written = 0; tries < 40 && written < operations(); ++tries) {
            const Variable y = operation(pick());
            if (!fits(y.shape()) || pool_has(y)) continue;
            pool_.push(y);
            ++written;
        }
        sigma::detail::List<Variable> result;
        for (int i = 0; i < results; ++i) result.push(pool_[pool_.size() - 1 - i]);
        return result;
    }
    /// A number that depends on all of them.
    static constexpr Variable loss(const sigma::detail::List<Variable>& values) {
        Variable total = constant(values[0].tape, 0.25);
        for (const Variable& v : values) {
            const Variable part =
                sigma::detail::reduce(sigma::detail::Operation::sum, sin(v), Shape{}.aligned(v.shape().rank));
            total = total + reshape(part, Shape{});
        }
        return total;
    }

private:
    unsigned state_;
    Shape shapes_[arguments]{};
    sigma::detail::Tape* tape_ = nullptr;
    sigma::detail::List<Variable> pool_{};

    static constexpr int operations() { return 5; }
    constexpr int below(int n) {  // xorshift of 32 bits
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return static_cast<int>(state_ >> 3) % n;
    }
    constexpr bool chance(int percent) { return below(100) < percent; }
    constexpr int extent() {
        constexpr int usual[] = {1, 1, 2, 3, 3, 4, 5, 7, 9, 11, 16, 17, 19, 33};
        return usual[below(14)];
    }
    constexpr Shape random_shape() {
        while (true) {
            Shape s;
            const int rank = below(6);
            for (int i = 0; i < rank; ++i) s.extent[s.rank++] = extent();
            if (s.rank > 0 && chance(40)) s.extent[0] = batch;
            if (fits(s)) return s;
        }
    }
    static constexpr bool fits(const Shape& s) {
        int batches = 0;
        for (int i = 0; i < s.rank; ++i) batches += s[i] < 0;
        return s.rank <= sigma::detail::max_rank && s.count() <= 600 && batches <= 1;
    }
    constexpr Variable pick() { return pool_[chance(70) ? pool_.size() - 1 - below(2) : below(pool_.size())]; }
    constexpr bool pool_has(Variable v) const {
        for (const Variable& x : pool_)
            if (x.same(v)) return true;
        return false;
    }
    /// Another value that broadcasts with `x`, or none.
    constexpr Variable partner(const Shape& s) {
        for (int i = pool_.size() - 1; i >= 0; --i)
            if (sigma::detail::broadcastable(pool_[i].shape(), s) &&
                fits(sigma::detail::broadcast(pool_[i].shape(), s)) && chance(70))
                return pool_[i];
        return constant(tape_, 0.5 + below(3));
    }

    constexpr Variable operation(Variable x) {
        const Shape s = x.shape();
        const int kind = below(20);
        if (kind < 3) return unary(x);
        if (kind < 6) return binary(x);
        if (kind < 8) return reduced(x);
        if (kind < 10) return multiplied(x);
        if (kind == 10) return looked_up(x);
        if (kind == 11) return image(x);
        if (kind == 12) return looped(x);
        if (s.rank == 0) {
            const int rows = extent(), columns = extent();  // one after the other on every compiler
            return sigma::detail::expand(x, Shape(rows, columns));
        }
        return moved(x);
    }
    constexpr Variable unary(Variable x) {
        switch (below(6)) {
            case 0: return tanh(x);
            case 1: return exp(sin(x));
            case 2: return log1p(x * x);
            case 3: return sigmoid(x) - 0.5 * x;
            case 4: return sqrt(1.5 + sin(x));
            default: return cos(x);
        }
    }
    constexpr Variable binary(Variable x) {
        const Variable y = partner(x.shape());
        switch (below(6)) {
            case 0: return x + y;
            case 1: return x * y;
            case 2: return y - x;
            case 3: return x / (2.0 + sin(y));
            case 4: return max(x, y);
            default: return where(less(x, y), sin(y), x);
        }
    }
    constexpr Variable reduced(Variable x) {
        const Shape from = x.shape();
        Shape s = from;
        for (int i = 0; i < s.rank; ++i)
            if (chance(50)) s.extent[i] = 1;
        const sigma::detail::Operation o =
            chance(60) ? sigma::detail::Operation::sum : sigma::detail::Operation::reduce_maximum;
        Variable r = sigma::detail::reduce(o, x, s);
        if (s.rank > 0 && chance(20)) r = argmax(x, below(s.rank));
        for (int i = s.rank - 1; i >= 0; --i)
            if (s[i] == 1 && r.shape() == s && chance(60)) s = s.without(i), r = reshape(r, s);
        return r;
    }
    constexpr Variable moved(Variable x) {
        const Shape s = x.shape();
        const int axis = below(s.rank);
        switch (below(6)) {
            case 0:
            case 1: {
                if (s[axis] < 2) return x;
                const int first = below(s[axis]);
                return slice(x, axis, first, 1 + below(s[axis] - first));
            }
            case 2: {
                if (s[axis] < 0) return x;
                const int to = s[axis] + 1 + below(5);
                return pad(x, axis, below(to - s[axis] + 1), to);
            }
            case 3: {
                if (s[axis] < 0) return x;
                for (const Variable& y : pool_)
                    if (y.shape().rank == s.rank && y.shape()[axis] > 0 && y.shape().with(axis, 1) == s.with(axis, 1) &&
                        !y.same(x))
                        return concatenate(x, y, axis);
                return concatenate(x, x, axis);
            }
            case 4: {
                std::uint64_t order = 0;
                const int turn = 1 + below(s.rank);
                for (int i = 0; i < s.rank; ++i) order |= static_cast<std::uint64_t>((i + turn) % s.rank) << (4 * i);
                return chance(50) && s.rank > 1 ? sigma::detail::transpose_last(x) : permute(x, order);
            }
            default: {
                if (s.rank < 2 || chance(30))
                    return s.rank < sigma::detail::max_rank ? reshape(x, s.inserted(below(s.rank + 1), 1)) : x;
                const int at = below(s.rank - 1);
                const int both = (s[at] < 0 ? -s[at] : s[at]) * (s[at + 1] < 0 ? -s[at + 1] : s[at + 1]);
                return reshape(x, s.with(at, s[at] < 0 || s[at + 1] < 0 ? -both : both).without(at + 1));
            }
        }
    }
    constexpr Variable multiplied(Variable x) {
        const Shape a = x.shape();
        if (a.rank < 2 || a.last() < 0) return x;
        for (int i = 0; i < pool_.size(); ++i) {
            const Variable y = pool_[i];
            const Shape b = y.shape();
            if (b.rank == 2 && a.last() == b[0] && b[1] > 0)
                return 0.5 * sigma::detail::product(sigma::detail::Operation::dot, x, y, false);
            const bool alike = a.rank == b.rank && b.last() > 0 && a.with(a.rank - 1, 1) == b.with(b.rank - 1, 1);
            if (alike && chance(50))
                return sigma::detail::product(sigma::detail::Operation::transposed_dot, x, y,
                                              a.rank > 2 && a[a.rank - 2] > 0 && chance(50));
        }
        return sigma::detail::product(sigma::detail::Operation::transposed_dot, x, x, false);
    }
    constexpr Variable looked_up(Variable x) {
        const Shape s = x.shape();
        if (s.rank == 0 || s.rank > 4) return x;
        const Variable ids = 1.0 + stop_gradient(sign(sin(5.0 * partner(s))));  // 0 or 2
        if (s.rank == 2 && s[0] > 2) return gather(x, ids);
        if (ids.shape() == s.without(s.rank - 1)) return sigma::detail::scatter_add(x, ids, 3 + below(3));
        return x;
    }
    /// As an image with one channel, convolved or pooled.
    constexpr Variable image(Variable x) {
        const Shape s = x.shape();
        if (s.rank != 3 || s[1] < 3 || s[2] < 3) return x;
        const Variable y = reshape(x, s.inserted(3, 1));
        if (chance(40)) return sigma::detail::pool_max(y, Shape(s[0], s[1] / 2, s[2] / 2, 1), sigma::detail::Pooling{});
        const int outputs = 1 + below(9);
        Variable w = sigma::detail::expand(constant(tape_, 0.125), Shape(3, 2, 1, outputs));
        for (int i = 0; i < pool_.size(); ++i)
            if (sigma::detail::broadcastable(pool_[i].shape(), w.shape()) &&
                sigma::detail::broadcast(pool_[i].shape(), w.shape()) == w.shape())
                w = w * pool_[i];
        return convolve(y, w, sigma::detail::Convolution{});
    }
    constexpr Variable looped(Variable x) {
        const Shape s = x.shape();
        if (s.rank < 2 || s.rank > 4 || s[0] != batch || s[1] > 5) return x;
        const int loop = tape_->add_loop({s[1], chance(40)});
        const Variable now = sigma::detail::step(x, loop);
        const Variable h = carry(sigma::detail::expand(constant(tape_, 0), now.shape()), loop, 0);
        const Variable next = tanh(now + 0.5 * h);
        const Variable all = sigma::detail::stack(next, loop);
        sigma::detail::advance(h, next);
        return all;
    }
};

namespace detail {

template <unsigned seed>
struct Random {
    struct Shapes {
        Shape argument[RandomFunction::arguments]{}, result[RandomFunction::results]{};
    };
    static constexpr Shapes make() {
        RandomFunction f(seed);
        sigma::detail::Program p;
        sigma::detail::List<Variable> x;
        Shapes s;
        for (int i = 0; i < RandomFunction::arguments; ++i) {
            s.argument[i] = f.shape(i);
            x.push({&p.tape, p.tape.leaf(sigma::detail::Operation::input, f.shape(i), static_cast<std::uint64_t>(i))});
        }
        const sigma::detail::List<Variable> y = f.write(x);
        for (int i = 0; i < RandomFunction::results; ++i) s.result[i] = y[i].shape();
        return s;
    }
    static constexpr Shapes shapes = make();
    template <class... X>
    static constexpr sigma::detail::List<Variable> written(X... x) {
        RandomFunction f(seed);
        sigma::detail::List<Variable> given;
        (given.push(x.variable), ...);
        return f.write(given);
    }
};

}  // namespace detail

/// All results.
template <unsigned seed>
struct RandomResults {
    constexpr auto operator()(auto... x) const {
        const sigma::detail::List<Variable> y = detail::Random<seed>::written(x...);
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return std::tuple{Tensor{y[static_cast<int>(i)]}...};
        }(std::make_index_sequence<RandomFunction::results>{});
    }
};
/// One number.
template <unsigned seed>
struct RandomLoss {
    constexpr auto operator()(auto... x) const {
        return Tensor{RandomFunction::loss(detail::Random<seed>::written(x...))};
    }
};

/// The program of a random function, or of the gradients of its loss, without a type of its own.
constexpr sigma::detail::Program program_of(unsigned seed, bool gradients) {
    RandomFunction f(seed);
    sigma::detail::Program p;
    p.sequential = true;
    sigma::detail::List<Variable> x;
    for (int i = 0; i < RandomFunction::arguments; ++i)
        x.push(sigma::detail::copy(
            {&p.tape, p.tape.leaf(sigma::detail::Operation::input, f.shape(i), static_cast<std::uint64_t>(i))}));
    const sigma::detail::List<Variable> y = f.write(x);
    if (!gradients)
        for (const Variable& v : y) sigma::detail::add_output(p, v);
    else
        for (const Variable& g : sigma::detail::differentiate(RandomFunction::loss(y), constant(&p.tape, 1), x))
            sigma::detail::add_output(p, g);
    return p;
}

}  // namespace sigma::test
