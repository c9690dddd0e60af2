// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/accumulate.hpp>

namespace sigma {

namespace detail {

/// Sum of the numbers in a ring, in constant time: a running sum, which is made anew each time the ring has gone round.
class WindowSum {
public:
    void add(double x, std::uint64_t n);
    double total() const { return infinite_ == 0 ? sum_.value() : special(); }
    double mean(std::uint64_t n) const { return total() / static_cast<double>(ring_.count(n)); }
    void clear() { *this = {}; }
    void archive(Archive& a, std::uint64_t n);

private:
    Ring ring_;
    CompensatedSum sum_;
    std::int64_t infinite_ = 0, up_ = 0, down_ = 0;

    void enter(double x, int sign);
    void sum_again();
    double special() const;
};

template <bool divided>
struct SumRule {
    static constexpr bool restarts = true;
    std::uint64_t window = 0;  ///< looks; 0 for all

    struct Memory : WindowSum {
        void add(double x, const SumRule& rule) { WindowSum::add(x, rule.window); }
        double result(const SumRule& rule) const { return divided ? this->mean(rule.window) : this->total(); }
        void archive(Archive& a, const SumRule& rule) { WindowSum::archive(a, rule.window); }
    };
    std::string text(const std::string& source) const {
        return sentence(divided ? "average(" : "sum(", source, window > 0 ? sentence(", ", window, ")") : ")");
    }
    friend bool operator==(const SumRule&, const SumRule&) = default;
};

}  // namespace detail

/// Mean of the last n values: `average(loss, 100)`, `average(accuracy, 3)`. Without n of all, or of a period:
/// `average(loss).per(epoch)`. Throws ArgumentError where n is below 1.
template <AnyValue V>
auto average(V v) {
    return Accumulated<V, detail::SumRule<true>>(v, {});
}
template <AnyValue V>
auto average(V v, std::integral auto n) {
    return Accumulated<V, detail::SumRule<true>>(v, {detail::positive("average", n)});
}
/// Their sum.
template <AnyValue V>
auto sum(V v) {
    return Accumulated<V, detail::SumRule<false>>(v, {});
}
template <AnyValue V>
auto sum(V v, std::integral auto n) {
    return Accumulated<V, detail::SumRule<false>>(v, {detail::positive("sum", n)});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/average.ipp>
#endif
