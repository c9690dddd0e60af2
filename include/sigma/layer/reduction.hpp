// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Reductions of losses to one number, and bases of losses of your own: Reduction, ElementLoss, RowLoss. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/data/classes.hpp>
#include <sigma/layer/context.hpp>

namespace sigma {

inline constexpr Fault error_loss_needs_rows{"the loss needs rows: outputs of at least two axes"};

/// Ways to turn losses of elements (or of rows, in losses that compare rows) into one number.
///
/// Let l be the loss of an element, and c = 0 if its target is the ignored value, else 1. Elements with c = 0 have a
/// gradient of exactly 0. If no element counts, the loss is 0.
///
/// @par Example
/// @code
/// struct Prices : Network<Input(13) + Dense(1) + SquaredDiff({.reduction = Reduction::total})> {};
/// @endcode
///
/// @see docs/losses.md
enum class Reduction {
    over_elements,  ///< Σ c·l / max(Σ c, 1): the mean over all elements that count.
    over_batch,  ///< Σ c·l / max(records with any c, 1): the sum over a record, and the mean over records that count.
    total        ///< Σ c·l: the sum.
};

/// Options of a loss.
/// @tparam standard  default of `reduction`
///
/// @par Example
/// @code
/// struct Tagger : Network<Input(20, 8) + Linear(5) + MulticlassHinge({.ignore = -1})> {};
/// @endcode
template <Reduction standard>
struct ReductionOptions {
    Reduction reduction = standard;  ///< Turns the losses of elements or rows into one number.
    detail::Ignored ignore{};        ///< Target that does not count. Default: all targets count.
};
namespace takes {
using Reduction = options_are<struct reduction, struct ignore>;
}

namespace detail {

/// Reduction and ignored target of a loss with any such options.
struct Reducing {
    Reduction reduction;
    Ignored ignore;

    template <class Options>
    constexpr Reducing(const Options& o) : reduction(o.reduction), ignore(o.ignore) {}
};

constexpr Tensor not_equal_to(Tensor y, double value) { return 1.0 - equal(y, value); }
/// Returns 1 for records with any element that counts, else 0: (batch, …) -> (batch).
constexpr Tensor any_in_record(Tensor counted) {
    return counted.shape().rank == 1 ? counted : max(flatten(counted), axis(1));
}
/// Returns l, or 0 if its factor q (a share or weight) is 0. The logarithm of an impossible class is -inf.
constexpr Tensor chosen(Tensor q, Tensor l) { return where(equal(q, 0.0), 0.0, l); }

/// Returns a reduction that weights records. `weighted_records` sets it in a loss, with the weights' place on the tape.
constexpr Reduction weighing(Reduction reduction, Tensor weights) {
    return static_cast<Reduction>(static_cast<int>(reduction) + 8 * (weights.variable.id + 1));
}
constexpr bool weighs(Reduction reduction) { return static_cast<int>(reduction) >= 8; }
/// Returns the reduction without the weights.
constexpr Reduction plain(Reduction reduction) { return static_cast<Reduction>(static_cast<int>(reduction) % 8); }

/// Returns losses (batch, …) unchanged or, with weights of records, Σ c·l of each record times its weight: (batch).
constexpr Tensor weighed(Reduction reduction, Tensor l) {
    if (!weighs(reduction)) return l;
    const Tensor weights{{l.variable.tape, static_cast<int>(reduction) / 8 - 1}};
    return weights * chosen(weights, l.shape().rank == 1 ? l : sum(flatten(l), axis(1)));
}

/// Reduces losses (batch, …) that all count.
constexpr Tensor reduced(Reduction reduction, Tensor l) {
    const auto count = static_cast<double>(l.shape().count());
    const Tensor each = weighed(reduction, l);
    if (plain(reduction) == Reduction::total) return sum(each);
    const Tensor average = mean(each);
    if (count == 1 || (plain(reduction) == Reduction::over_batch) == weighs(reduction)) return average;
    return weighs(reduction) ? average / count : count * average;
}
/// Reduces losses. Those with 1 in `counted`, of the same shape, count.
constexpr Tensor reduced(Reduction reduction, Tensor l, Tensor counted) {
    const Tensor all = sum(weighed(reduction, where(counted, l, 0.0)));
    if (plain(reduction) == Reduction::total) return all;
    return all / max(sum(plain(reduction) == Reduction::over_elements ? counted : any_in_record(counted)), 1.0);
}

/// Returns 1 for rows of the targets `y`, (…, n), with any element that is not ignored, else 0: (…, 1).
constexpr Tensor rows_that_count(Ignored ignore, Tensor y) {
    return max(not_equal_to(y, ignore.value), axis(-1), keep);
}
/// Returns the outputs, with 0 in rows that do not count. An infinity or NaN there must not reach the gradient: 0 times
/// it is NaN.
constexpr Tensor counted_rows(const Reducing& how, Tensor z, Tensor y) {
    return how.ignore.exists ? where(rows_that_count(how.ignore, y), z, 0.0) : z;
}

/// Reduces the loss `l` of each element of the targets `y`.
constexpr Tensor reduced_elements(const Reducing& how, Tensor l, Tensor y) {
    return how.ignore.exists ? reduced(how.reduction, l, not_equal_to(y, how.ignore.value)) : reduced(how.reduction, l);
}
/// Reduces the loss `l`, (…, 1), of each row of the targets `y`, (…, n). A row does not count if all of it is ignored.
constexpr Tensor reduced_rows(const Reducing& how, Tensor l, Tensor y) {
    return how.ignore.exists ? reduced(how.reduction, l, rows_that_count(how.ignore, y)) : reduced(how.reduction, l);
}

/// Returns the share of right answers among the targets `y` that are not ignored.
constexpr Tensor share_right(const Reducing& how, Tensor answers, Tensor wanted, Tensor y) {
    const Tensor right = equal(answers, wanted);
    if (!how.ignore.exists) return mean(right);
    return reduced(Reduction::over_elements, right, not_equal_to(y, how.ignore.value));
}

/// Returns the targets, with 0 in place of ignored ones. The ignored value may be far from any sensible target, but the
/// formula must stay finite: 0 times infinity is NaN.
constexpr Tensor without_ignored(const Reducing& how, Tensor y) {
    return how.ignore.exists ? where(equal(y, how.ignore.value), 0.0, y) : y;
}

}  // namespace detail

/// The base of losses of your own that compare each output element with a target of the same shape.
///
/// The derived loss has `static constexpr Text kind` and `constexpr Tensor term(Tensor z, Tensor y) const`, the loss of
/// each element. Ignored elements of y are 0 there. The options are `.reduction` and `.ignore`; predictions are z.
/// @tparam L  the derived loss
/// @tparam standard  default of `options.reduction`
/// @tparam Of  type of the options
/// @par Example
/// @code
/// struct Cubic : ElementLoss<Cubic, Reduction::over_elements> {
///     using ElementLoss::ElementLoss;
///     static constexpr Text kind = "cubic";
///     constexpr Tensor term(Tensor z, Tensor y) const {
///         const Tensor d = abs(z - y);
///         return d * d * d;
///     }
/// };
/// @endcode
///
/// @see RowLoss, Loss, check_gradients
template <class L, Reduction standard, class Of = ReductionOptions<standard>>
struct ElementLoss : Loss {
    using Options = Of;  ///< Type of the options.
    Options options;     ///< Reduction and ignored target.

    /// Constructs the loss.
    /// @param options_  reduction and ignored target
    constexpr explicit ElementLoss(Options options_ = {}) : options(options_) {}

    /// @cond internal
    static constexpr bool classifies = false;
    static constexpr bool reduces_records = true;

    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const {
        const Tensor wanted = detail::without_ignored(options, y);
        const Tensor given = options.ignore.exists ? where(detail::not_equal_to(y, options.ignore.value), z, 0.0) : z;
        return detail::reduced_elements(options, static_cast<const L&>(*this).term(given, wanted), y);
    }
    /// @endcond
};

/// The base of losses of your own that compare rows, the last axis of outputs and targets of one shape.
///
/// The derived loss has `kind`, `loss(z, y)` and `predict(z)`.
///
/// @see ElementLoss, CosineLoss, Loss
struct RowLoss : Loss {
    /// @cond internal
    static constexpr bool classifies = false;
    static constexpr bool reduces_records = true;

    constexpr void check_output(Tensor z) const {
        if (z.shape().rank < 2) z.refused(error_loss_needs_rows, {output_is, z.shape()});
    }
    constexpr Shape target(const Shape& output) const { return output; }
    /// @endcond
};

}  // namespace sigma
