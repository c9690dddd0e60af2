// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/comparison.hpp>
#include <sigma/hook/hook.hpp>

#include <limits>

namespace sigma {

/// Which of two values is the better one.
enum class Best {
    usual,  ///< the smaller error or loss, the larger of what should be large: what `improves` means
    largest,
    smallest,
};

namespace detail {
CriterionHandle make_each_look(const ValueHandle& v);
}  // namespace detail

/// A pulse whenever the value is new, also when it is NaN.
template <AnyValue V>
struct EachLook : detail::ValueCriterion<EachLook<V>, V> {
    using detail::ValueCriterion<EachLook, V>::ValueCriterion;
    explicit EachLook(const V& v) : EachLook(detail::make_each_look(detail::value_of(v))) {}
};

namespace detail {

inline bool largest_is_best(const ValueHandle& v, Best best) {
    return best == Best::usual ? v.record().larger_is_better : best == Best::largest;
}

/// The best value so far, and how many looks in a row have not bettered it, by `min_change` or more where that is
/// above 0. A NaN betters nothing.
class Improvement {
public:
    Improvement(const char* what, bool largest, double min_change);

    bool look(double x);
    double best() const { return best_; }
    std::uint64_t waited() const { return waited_; }
    void wait_anew() { waited_ = 0; }
    void restart() { best_ = nan, waited_ = 0; }
    void archive(Archive& a) { a(best_, waited_); }
    /// What is not as usual.
    std::string text(Best best) const;

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    bool largest_;
    double min_change_, best_ = nan;
    std::uint64_t waited_ = 0;
};

/// What actions that wait for a value to improve have in common.
class ImprovementNode : public ActionNode {
public:
    void visit_values(const ValueVisitor& f) override { f(value_); }

protected:
    ImprovementNode(const char* what, const char* with_patience, const ValueHandle& v, Integer patience, Best best,
                    double min_change)
        : value_(v), patience_(positive(with_patience, patience)),
          improvement_(what, largest_is_best(v, best), min_change) {}

    ValueHandle value_;
    std::uint64_t patience_;
    Improvement improvement_;
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/look.ipp>
#endif
