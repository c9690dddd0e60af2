// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/distributions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sigma::monitor {

Distribution::Distribution(std::uint64_t at, std::span<const double> numbers, std::size_t bins)
    : iteration(at), low(std::numeric_limits<double>::infinity()), high(-std::numeric_limits<double>::infinity()),
      counts(bins, 0) {
    for (const double x : numbers)
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    const auto width = static_cast<double>(bins) / 2;  // halves, since high - low may be beyond all numbers
    const double middle = low / 2 + high / 2, reach = high / 2 - low / 2;
    for (const double x : numbers) {
        if (!std::isfinite(x)) continue;
        const double bin = reach > 0 ? ((x / 2 - middle / 2) / (reach / 2) + 1) * width : 0;
        ++counts[std::min(bins - 1, static_cast<std::size_t>(std::max(bin, 0.0)))];
    }
}

bool Distributions::append(Distribution next) {
    const bool back = forget_from(next.iteration);
    if (back) since_ = 0;
    if (since_ > 0) kept_.pop_back();  // the last stood there until a later one came
    since_ = (since_ + 1) % every_;
    kept_.push_back(std::move(next));
    const bool stays = since_ == 0;
    if (thin()) every_ *= 2;
    return stays || back;
}

void Distributions::restore(Distribution next) {
    forget_from(next.iteration);
    kept_.push_back(std::move(next));
    thin();
}

bool Distributions::forget_from(std::uint64_t iteration) {
    const std::size_t before = kept_.size();
    while (!kept_.empty() && kept_.back().iteration >= iteration) kept_.pop_back();
    return kept_.size() < before;
}

bool Distributions::thin() {
    if (kept_.size() <= most) return false;
    std::deque<Distribution> fewer;
    for (std::size_t i = 0; i < kept_.size(); i += 2) fewer.push_back(std::move(kept_[i]));
    kept_ = std::move(fewer);
    return true;
}

}  // namespace sigma::monitor
