// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/program.hpp>

#include <algorithm>
#include <random>
#include <vector>

/// Random chains of what need not be copied: permutes, reshapes and slices, with many extents of 1, behind and before
/// values of every kind that lie in memory. They are written while the test runs, so thousands are cheap.
namespace sigma::test {

class RandomViews {
public:
    explicit RandomViews(unsigned seed) : random_(seed) {}

    /// A program of chains, or of the gradients of what they sum up to.
    sigma::detail::Program program(bool gradients) {
        sigma::detail::Program p;
        p.sequential = random_() % 2 == 0;
        tape_ = &p.tape;
        const Variable x = value(random_shape());
        const Variable end = chain(x);
        std::vector<Variable> results{read(end)};
        if (below(3) == 0) results.push_back(read(chain(x)));  // two views of one memory
        if (below(3) == 0) results.push_back(sum_of(x));
        if (below(4) == 0) results.push_back(read(chain(results[0])));
        if (!gradients) {
            for (const Variable& r : results) sigma::detail::add_output(p, r);
            return p;
        }
        Variable total = constant(tape_, 0.5);
        for (const Variable& r : results) total = total + sum_of(sin(r));
        sigma::detail::List<Variable> wrt;
        for (const Variable& l : leaves_) wrt.push(l);
        for (const Variable& g : sigma::detail::differentiate(total, constant(tape_, 1), wrt))
            sigma::detail::add_output(p, g);
        return p;
    }
    const std::vector<Shape>& inputs() const { return inputs_; }
    const std::vector<Shape>& parameters() const { return parameters_; }

private:
    std::mt19937 random_;
    sigma::detail::Tape* tape_ = nullptr;
    std::vector<Variable> leaves_{};
    std::vector<Shape> inputs_{}, parameters_{};

    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    int extent() {
        constexpr int usual[]{1, 1, 1, 2, 2, 3, 4, 5, 8, 9};
        return usual[below(10)];
    }
    static bool fits(const Shape& s) { return s.count() <= 400; }
    Shape random_shape() {
        while (true) {
            Shape s;
            for (int rank = 1 + below(5); s.rank < rank;) s.extent[s.rank++] = extent();
            if (below(3) == 0) s.extent[0] = batch;
            if (fits(s)) return s;
        }
    }
    Variable input(const Shape& s) {
        inputs_.push_back(s);
        leaves_.push_back({tape_, tape_->leaf(sigma::detail::Operation::input, s, inputs_.size() - 1)});
        return leaves_.back();
    }
    Variable parameter(const Shape& s) {
        parameters_.push_back(s);
        leaves_.push_back({tape_, tape_->leaf(sigma::detail::Operation::parameter, s, parameters_.size() - 1)});
        return leaves_.back();
    }
    static Variable sum_of(Variable x) {
        const Variable s = sigma::detail::reduce(sigma::detail::Operation::sum, x, Shape{}.aligned(x.shape().rank));
        return reshape(s, Shape{});
    }

    /// A tensor in memory, of any kind.
    Variable value(const Shape& s) {
        const bool batched = s.batched();
        switch (below(7)) {
            case 0: return input(s);
            case 1:
                if (!batched) return parameter(s);
                return input(s);
            case 2: {  // of a product
                const int depth = 1 + below(4);
                const Variable rows = input(s.with(s.rank - 1, depth));
                if (s.rank < 2 || s.last() < 0) break;
                return sigma::detail::product(sigma::detail::Operation::dot, rows, parameter(Shape(depth, s.last())),
                                              false);
            }
            case 3: {  // of parts that are computed where they end up
                const int axis = below(s.rank);
                if (s[axis] < 2) break;
                const int first = 1 + below(s[axis] - 1);
                const Variable left = sin(input(s.with(axis, first)));
                const Variable right = cos(input(s.with(axis, s[axis] - first)));
                return concatenate(left, right, axis);
            }
            case 4: {  // of a reduction
                if (s.rank == sigma::detail::max_rank) break;
                const int axis = below(s.rank + 1);
                if (batched && axis == 0) break;
                const Variable all = input(s.inserted(axis, 1 + below(3)));
                return reshape(sigma::detail::reduce(sigma::detail::Operation::sum, all, all.shape().with(axis, 1)), s);
            }
            default: break;
        }
        return sin(input(s));
    }

    // ---- views ----

    Variable permuted(Variable x) {
        const int rank = x.shape().rank;
        std::vector<int> axes(static_cast<std::size_t>(rank));
        for (int i = 0; i < rank; ++i) axes[static_cast<std::size_t>(i)] = i;
        std::shuffle(axes.begin(), axes.end(), random_);
        std::uint64_t order = 0;
        for (int i = 0; i < rank; ++i)
            order |= static_cast<std::uint64_t>(axes[static_cast<std::size_t>(i)]) << (4 * i);
        return permute(x, order);
    }
    /// The same elements under any other shape: prime factors in their order, grouped anew, with ones between them.
    Variable reshaped(Variable x) {
        std::vector<int> factors;
        for (int i = 0; i < x.shape().rank; ++i) {
            int n = x.shape()[i];
            if (n < 0) factors.push_back(batch), n = -n;
            for (int f = 2; n > 1; ++f)
                for (; n % f == 0; n /= f) factors.push_back(f);
        }
        if (below(4) == 0 && !x.shape().batched()) std::shuffle(factors.begin(), factors.end(), random_);
        Shape s;
        for (std::size_t i = 0; i < factors.size();) {
            if (s.rank + 1 < sigma::detail::max_rank && below(3) == 0) s.extent[s.rank++] = 1;
            int& all = s.extent[s.rank++];
            all = factors[i++];
            while (i < factors.size() && (s.rank == sigma::detail::max_rank || below(2) == 0)) {
                const int f = factors[i++];
                all = (all < 0 || f < 0 ? -1 : 1) * std::abs(all) * std::abs(f);
            }
        }
        while (s.rank < sigma::detail::max_rank && (s.rank == 0 || below(3) == 0)) s.extent[s.rank++] = 1;
        return reshape(x, s);
    }
    Variable sliced(Variable x) {
        const int axis = below(x.shape().rank), n = x.shape()[axis];
        if (n < 2) return x;
        const int first = below(n), extent = 1 + below(n - first);
        return slice(x, axis, first, extent);
    }
    Variable chain(Variable x) {
        for (int i = 1 + below(5); i > 0; --i) {
            const int kind = below(8);
            if (x.shape().rank == 0) x = reshape(x, Shape(1, 1, 1));
            x = kind < 3 ? permuted(x) : kind < 7 ? reshaped(x) : sliced(x);
        }
        return x;
    }

    /// By a kernel of any kind.
    Variable read(Variable x) {
        const Shape s = x.shape();
        if (s.rank == 0) return cos(x);
        switch (below(9)) {
            case 0: return x;
            case 1: return x * sin(input(s));
            case 2: return sum_of(x);
            case 3: {
                const int axis = below(s.rank);
                const auto o = below(2) ? sigma::detail::Operation::sum : sigma::detail::Operation::reduce_maximum;
                return sigma::detail::reduce(o, x, s.with(axis, 1));
            }
            case 4: {
                if (s.rank < 2 || s.last() < 0) return exp(x);
                return sigma::detail::product(sigma::detail::Operation::dot, x, parameter(Shape(s.last(), extent())),
                                              false);
            }
            case 5: {
                if (s.rank < 3 || s.last() < 0 || s[s.rank - 2] < 0) return exp(x);
                return sigma::detail::product(sigma::detail::Operation::transposed_dot, x,
                                              input(s.with(s.rank - 1, extent())), true);
            }
            case 6: {
                if (s.last() < 0) return exp(x);
                return linear_recurrence(constant(tape_, 0.5), x, below(2) == 0);
            }
            case 7: {
                if (s.rank < 2 || s.last() < 0 || s.batched()) return exp(x);
                return sigma::detail::product(sigma::detail::Operation::transposed_dot, x, cos(x), false);
            }
            default: return cos(x);
        }
    }
};

}  // namespace sigma::test
