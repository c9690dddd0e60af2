// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>
#include <sigma/layer/context.hpp>

/// How a loss becomes one number. With l(i) the loss of an element (or of a row of classes, where the loss compares
/// rows), c(i) = 0 where its target is the ignored value and 1 elsewhere:
///   over_elements  Σ c·l / max(Σ c, 1)                  mean over what counts
///   over_batch     Σ c·l / max(records with any c, 1)   sum over a record, mean over the records that count
///   total          Σ c·l
/// What does not count gets a gradient of exactly 0; where nothing counts, the loss is 0.
namespace sigma {

inline constexpr Fault error_loss_needs_rows{"the loss compares rows, the last of at least two axes"};

enum class Reduction { over_elements, over_batch, total };

/// `MeanSquaredError({.reduction = Reduction::total, .ignore = -1})`
template <Reduction standard>
struct ReductionOptions {
    Reduction reduction = standard;
    detail::Ignored ignore{};
};
namespace takes {
using Reduction = options_are<struct reduction, struct ignore>;
}

namespace detail {

/// How a loss with any such options reduces.
struct Reducing {
    Reduction reduction;
    Ignored ignore;

    template <class Options>
    constexpr Reducing(const Options& o) : reduction(o.reduction), ignore(o.ignore) {}
};

constexpr Tensor not_equal_to(Tensor y, double value) { return 1.0 - equal(y, value); }
/// 1 where a record has any element that counts: (batch, …) -> (batch).
constexpr Tensor any_in_record(Tensor counted) {
    return counted.shape().rank == 1 ? counted : max(flatten(counted), axis(1));
}
/// What is multiplied with the share or weight q, 0 where that is: of a class that cannot be a logarithm is -inf.
constexpr Tensor chosen(Tensor q, Tensor l) { return where(equal(q, 0.0), 0.0, l); }

/// A reduction that weighs records: `weighted_records` puts it into a loss, with the place of the weights on the tape.
constexpr Reduction weighing(Reduction reduction, Tensor weights) {
    return static_cast<Reduction>(static_cast<int>(reduction) + 8 * (weights.variable.id + 1));
}
constexpr bool weighs(Reduction reduction) { return static_cast<int>(reduction) >= 8; }
/// What a reduction is beyond that.
constexpr Reduction plain(Reduction reduction) { return static_cast<Reduction>(static_cast<int>(reduction) % 8); }

/// Losses (batch, …) as they are or, where records are weighed, Σ c·l of each record times its weight: (batch).
constexpr Tensor weighed(Reduction reduction, Tensor l) {
    if (!weighs(reduction)) return l;
    const Tensor weights{{l.variable.tape, static_cast<int>(reduction) / 8 - 1}};
    return weights * chosen(weights, l.shape().rank == 1 ? l : sum(flatten(l), axis(1)));
}

/// Losses of which all count, of shape (batch, …).
constexpr Tensor reduced(Reduction reduction, Tensor l) {
    const auto count = static_cast<double>(l.shape().count());
    const Tensor each = weighed(reduction, l);
    if (plain(reduction) == Reduction::total) return sum(each);
    const Tensor average = mean(each);
    if (count == 1 || (plain(reduction) == Reduction::over_batch) == weighs(reduction)) return average;
    return weighs(reduction) ? average / count : count * average;
}
/// Losses of which those count where `counted`, of the same shape, is 1.
constexpr Tensor reduced(Reduction reduction, Tensor l, Tensor counted) {
    const Tensor all = sum(weighed(reduction, where(counted, l, 0.0)));
    if (plain(reduction) == Reduction::total) return all;
    return all / max(sum(plain(reduction) == Reduction::over_elements ? counted : any_in_record(counted)), 1.0);
}

/// 1 where a row of the targets `y`, (…, n), has any element that is not ignored: (…, 1).
constexpr Tensor rows_that_count(Ignored ignore, Tensor y) {
    return max(not_equal_to(y, ignore.value), axis(-1), keep);
}
/// The outputs, with 0 in rows that do not count: an infinity or NaN there must not reach the gradient, since 0 times
/// it is no 0.
constexpr Tensor counted_rows(const Reducing& how, Tensor z, Tensor y) {
    return how.ignore.given ? where(rows_that_count(how.ignore, y), z, 0.0) : z;
}

/// Reduces the loss `l` of each element of the targets `y`.
constexpr Tensor reduced_elements(const Reducing& how, Tensor l, Tensor y) {
    return how.ignore.given ? reduced(how.reduction, l, not_equal_to(y, how.ignore.value)) : reduced(how.reduction, l);
}
/// Reduces the loss `l`, (…, 1), of each row of the targets `y`, (…, n). A row does not count if all of it is ignored.
constexpr Tensor reduced_rows(const Reducing& how, Tensor l, Tensor y) {
    return how.ignore.given ? reduced(how.reduction, l, rows_that_count(how.ignore, y)) : reduced(how.reduction, l);
}

/// Which share of the answers, where the targets `y` are not ignored, is what it should be.
constexpr Tensor share_right(const Reducing& how, Tensor answers, Tensor wanted, Tensor y) {
    const Tensor right = equal(answers, wanted);
    if (!how.ignore.given) return mean(right);
    return reduced(Reduction::over_elements, right, not_equal_to(y, how.ignore.value));
}

/// The targets, with 0 in place of what is ignored: the marking value may be far from any sensible target, and what a
/// formula makes of it must stay finite, since 0 times infinity is no 0.
constexpr Tensor without_ignored(const Reducing& how, Tensor y) {
    return how.ignore.given ? where(equal(y, how.ignore.value), 0.0, y) : y;
}

}  // namespace detail

/// What losses have in common that compare each element of the outputs with one of the targets: the loss `L` derives
/// from this and says that of an element, `term(z, y)`. What is ignored of y is 0 there.
template <class L, Reduction standard, class Of = ReductionOptions<standard>>
struct ElementLoss : Loss {
    using Options = Of;
    Options options;

    constexpr explicit ElementLoss(Options o = {}) : options(o) {}

    static constexpr bool classifies = false;
    static constexpr bool reduces_records = true;

    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const {
        const Tensor wanted = detail::without_ignored(options, y);
        const Tensor given = options.ignore.given ? where(detail::not_equal_to(y, options.ignore.value), z, 0.0) : z;
        return detail::reduced_elements(options, static_cast<const L&>(*this).term(given, wanted), y);
    }
};

/// What losses have in common that compare rows: the last of at least two axes.
struct RowLoss : Loss {
    static constexpr bool classifies = false;
    static constexpr bool reduces_records = true;

    constexpr void check_output(Tensor z) const {
        if (z.shape().rank < 2) z.refused(error_loss_needs_rows, {output_is, z.shape()});
    }
    constexpr Shape target(const Shape& output) const { return output; }
};

}  // namespace sigma
