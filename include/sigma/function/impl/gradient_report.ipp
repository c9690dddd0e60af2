// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/function/gradient_report.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sigma::detail::gradient_check {

/// Differences of the function over a step to either side.
struct Quotient {
    double slope = 0;  ///< central difference
    double jump = 0;   ///< slope above minus slope below
    double noise = 0;  ///< error of the slope by rounding of the values
};

class CentralDifferences {
public:
    CentralDifferences(const AnyFunction<double()>& value, double at_rest) : value_(value), at_rest_(at_rest) {}

    /// Returns the central difference in x. `kink`: slopes differ on the two sides. `lost`: rounding explains that.
    /// Steps get shorter until slopes differ by no more than that. The gradient only saves work: if the first slope
    /// agrees, kinks are not searched.
    enum class Found { slope, kink, lost };
    struct Answer {
        Quotient at;
        Found what;
    };
    Answer in(double& x, double gradient, double floor) const {
        const double longest = 0x1p-17 * std::max(1.0, std::abs(x));
        double step = longest;
        Quotient at = quotient(x, step);
        if (std::abs(at.slope - gradient) <= at.noise + precision * size(at.slope, gradient, floor))
            return {at, Found::slope};
        double apart = 0;  // difference of slopes that are equal for a smooth function
        for (int shorter = 0; shorter < 3; ++shorter) {
            const Quotient before = at;
            step /= 8;
            at = quotient(x, step);
            const double some = precision * size(before.slope, at.slope, floor);
            apart = std::abs(before.slope - at.slope);
            if (!(apart <= before.noise + at.noise + some)) continue;
            // The jump of a smooth function is in proportion to the step.
            apart = std::abs(at.jump);
            if (!(apart > 4 * at.noise && apart > some && apart > std::abs(before.jump) / 3)) return {at, Found::slope};
            break;
        }
        if (!std::isfinite(at.slope)) return {at, Found::slope};
        return {at, apart <= 8 * std::max(wobble(x, step), wobble(x, longest)) / step ? Found::lost : Found::kink};
    }

private:
    static constexpr double precision = 1e-7;
    const AnyFunction<double()>& value_;
    double at_rest_;

    /// Returns the effect of rounding on values within a step: the distance of three values on one side of x from a
    /// line, which a kink or a jump in x does not change. The estimate in `Quotient` contains the last rounding only.
    double wobble(double& x, double step) const {
        const double middle = x;
        double most = 0;
        for (const double reach : {step, -step, step / 2, -step / 2}) {
            double value[3];
            for (int i = 0; i < 3; ++i) {
                x = middle + reach * (0.5 + 0.25 * i);
                value[i] = value_();
            }
            most = std::max(most, std::abs(value[0] - 2 * value[1] + value[2]));
        }
        x = middle;
        return most;
    }
    static double size(double a, double b, double floor) { return std::max({std::abs(a), std::abs(b), floor}); }
    Quotient quotient(double& x, double step) const {
        const double middle = x;
        x = middle + step;
        const double above = value_(), up = x - middle;
        x = middle - step;
        const double below = value_(), down = middle - x;
        x = middle;
        const double greatest = std::max({std::abs(above), std::abs(below), std::abs(at_rest_)});
        return {(above - below) / (up + down), (above - at_rest_) / up - (at_rest_ - below) / down,
                32 * std::numeric_limits<double>::epsilon() * greatest / step};
    }
};

/// Returns `most` of the numbers below `count`, in order.
SIGMA_IMPL std::vector<std::size_t> sample(std::size_t count, int most, std::uint64_t seed, std::uint64_t number) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (count <= static_cast<std::size_t>(most)) return all;
    shuffle(std::span(all), Philox(seed, RandomUse::user, 2 * number));
    all.resize(static_cast<std::size_t>(most));
    std::sort(all.begin(), all.end());
    return all;
}

SIGMA_IMPL std::vector<std::size_t> index_of(std::size_t element, const std::vector<std::size_t>& extents) {
    std::vector<std::size_t> index(extents.size());
    for (std::size_t a = extents.size(); a-- > 0; element /= extents[a]) index[a] = element % extents[a];
    return index;
}

SIGMA_IMPL ComparedGradient compare(const CheckedTensor& tensor, const CentralDifferences& differences, double floor,
                                    std::span<const std::size_t> which) {
    ComparedGradient result;
    result.name = tensor.name;
    result.elements = tensor.gradient.size();
    const std::size_t columns = tensor.extents.empty() ? 1 : tensor.extents.back();
    for (const std::size_t i : which) {
        double& x = tensor.data[i / columns * tensor.stride + i % columns];
        const double found = tensor.gradient[i];
        const auto [at, what] = differences.in(x, found, floor);
        const double size = std::max({std::abs(found), std::abs(at.slope), floor});
        if (what != CentralDifferences::Found::slope) {
            ++(what == CentralDifferences::Found::lost ? result.lost : result.kinks);
            continue;
        }
        const double distance = std::max(0.0, std::abs(found - at.slope) - at.noise);
        double error = 0;
        if (!std::isfinite(found) || !std::isfinite(at.slope)) error = std::numeric_limits<double>::infinity();
        else if (distance > 0) error = distance / size;
        if (++result.compared > 1 && !(error > result.error)) continue;
        result.error = error;
        result.index = index_of(i, tensor.extents);
        result.expected = at.slope;
        result.found = found;
    }
    return result;
}

/// Numbers of elements left out, by reason.
struct LeftOut {
    std::size_t kinks = 0, lost = 0;

    LeftOut(std::size_t at_kinks, std::size_t in_rounding) : kinks(at_kinks), lost(in_rounding) {}
    explicit LeftOut(const std::vector<ComparedGradient>& gradients) {
        for (const ComparedGradient& g : gradients) kinks += g.kinks, lost += g.lost;
    }
};
SIGMA_IMPL std::string counts_text(std::size_t compared, std::size_t elements, const LeftOut& left_out) {
    std::string text = sentence(compared, " of ", elements, " elements compared");
    if (left_out.kinks > 0) text += sentence(", ", left_out.kinks, " left out at kinks");
    if (left_out.lost > 0) text += sentence(", ", left_out.lost, " lost in rounding");
    return text;
}

}  // namespace sigma::detail::gradient_check

namespace sigma::detail {

SIGMA_IMPL GradientReport compare_gradients(std::span<const CheckedTensor> tensors, const AnyFunction<double()>& value,
                                            const GradientCheckOptions& options) {
    if (options.elements < 1) throw ArgumentError("check_gradients", "1 element or more", sentence(options.elements));
    double greatest = 0;
    for (const CheckedTensor& tensor : tensors)
        for (const double g : tensor.gradient)
            if (std::isfinite(g)) greatest = std::max(greatest, std::abs(g));
    const double at_rest = value();
    if (!std::isfinite(at_rest))
        throw ArgumentError("check_gradients", "a finite value of the function", sentence(at_rest));
    const gradient_check::CentralDifferences differences(value, at_rest);
    GradientReport report;
    std::uint64_t number = 0;
    for (const CheckedTensor& tensor : tensors)
        report.gradients.push_back(gradient_check::compare(
            tensor, differences, greatest / 1000,
            gradient_check::sample(tensor.gradient.size(), options.elements, options.seed, number++)));
    return report;
}

SIGMA_IMPL std::vector<double> upstream_gradient(std::size_t count, std::uint64_t seed, std::uint64_t number) {
    const Philox random(seed, RandomUse::user, 2 * number + 1);
    std::vector<double> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double drawn = 2 * random.uniform<double>(i) - 1;
        all[i] = drawn < 0 ? drawn - 0.5 : drawn + 0.5;
    }
    return all;
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL std::string ComparedGradient::place() const {
    std::string text = sentence("'", name, "'");
    if (index.empty()) return text;
    text += "[";
    for (std::size_t i = 0; i < index.size(); ++i) text += sentence(i > 0 ? ", " : "", index[i]);
    return text + "]";
}

SIGMA_IMPL const ComparedGradient& GradientReport::worst() const& {
    if (gradients.empty()) throw ArgumentError("check_gradients", "1 parameter or argument or more", "0");
    const ComparedGradient* greatest = &gradients.front();
    for (const ComparedGradient& g : gradients)
        if (g.error > greatest->error || (greatest->compared == 0 && g.compared > 0)) greatest = &g;
    return *greatest;
}

SIGMA_IMPL void GradientReport::require(double tolerance) const {
    const ComparedGradient& at = worst();
    if (at.compared == 0) {
        const detail::gradient_check::LeftOut all(gradients);
        throw GradientError("gradients", "elements comparable with central differences",
                            all.lost > 0 && all.kinks > 0
                                ? sentence(all.kinks, " at kinks or jumps, and ", all.lost, " lost in rounding")
                            : all.lost > 0  ? "differences lost in rounding at all elements"
                            : all.kinks > 0 ? "kinks or jumps at all elements"
                                            : "0 elements");
    }
    if (!(at.error <= tolerance))
        throw GradientError(sentence("gradient of ", at.place()), sentence(at.expected, " (central difference)"),
                            sentence(at.found));
}

SIGMA_IMPL std::string GradientReport::text() const {
    std::string all;
    for (const ComparedGradient& g : gradients) {
        all += sentence("'", g.name,
                        "': ", detail::gradient_check::counts_text(g.compared, g.elements, {g.kinks, g.lost}));
        if (g.error > 0)
            all += sentence(", greatest relative error ", detail::rounded_text(g.error), " at ", g.place());
        else if (g.compared > 0) all += ", equal up to rounding";
        all += "\n";
    }
    if (gradients.size() > 1)
        all += sentence(
            "all: ",
            detail::gradient_check::counts_text(compared(), elements(), detail::gradient_check::LeftOut(gradients)),
            "\n");
    return all;
}

SIGMA_IMPL std::size_t GradientReport::compared() const {
    std::size_t all = 0;
    for (const ComparedGradient& g : gradients) all += g.compared;
    return all;
}
SIGMA_IMPL std::size_t GradientReport::elements() const {
    std::size_t all = 0;
    for (const ComparedGradient& g : gradients) all += g.elements;
    return all;
}

}  // namespace sigma
