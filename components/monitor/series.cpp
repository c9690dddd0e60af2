// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/series.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace sigma::monitor {

Bucket::Bucket(const Point& point) : first(point.x), last(point.x), count(1), seconds(point.seconds) {
    if (!std::isfinite(point.y)) {
        odd = std::isnan(point.y) ? nan : point.y > 0 ? above : below;
        return;
    }
    low = high = sum = point.y;
    finite = 1;
}

void Bucket::add(const Bucket& later) {
    last = later.last;
    low = std::min(low, later.low);
    high = std::max(high, later.high);
    sum += later.sum;
    count += later.count;
    finite += later.finite;
    seconds = later.seconds;
    odd |= later.odd;
}

double Bucket::mean() const {
    if (finite == 0) return std::numeric_limits<double>::quiet_NaN();
    const double found = sum / static_cast<double>(finite);
    return std::isfinite(found) ? std::clamp(found, low, high)
                                : low / 2 + high / 2;  // the sum of large numbers overflows
}

void Series::append(const Point& point) {
    if (!std::isfinite(point.x)) return;
    if (points_ > 0 && point.x <= last_.x) forget_from(point.x);
    if (recent_.size() == recent) {
        make_room(0);
        Bucket oldest(recent_.front());
        recent_.pop_front();
        for (std::size_t i = 1; i < merged; ++i, recent_.pop_front()) oldest.add(Bucket(recent_.front()));
        levels_[0].push_back(oldest);
    }
    recent_.push_back(point);
    last_ = point;
    ++points_;
}

bool Series::restore(const Bucket& bucket) {
    constexpr std::size_t most_levels = 13;  // 10¹³ points
    std::size_t level = 0;
    std::uint64_t points = merged;
    for (; points < bucket.count && level < most_levels; points *= merged) ++level;
    const auto finer = [&] {
        for (std::size_t i = 0; i < std::min(level, levels_.size()); ++i)
            if (!levels_[i].empty()) return true;
        return !recent_.empty();
    };
    if (bucket.count != points || !(bucket.first <= bucket.last) || bucket.finite > bucket.count || finer())
        return false;
    if (points_ > 0 && bucket.first <= last_.x) return false;
    if (levels_.size() <= level) levels_.resize(level + 1);
    if (levels_[level].size() == kept) return false;
    levels_[level].push_back(bucket);
    last_ = {bucket.last, bucket.mean(), bucket.seconds};
    points_ += bucket.count;
    return true;
}

void Series::make_room(std::size_t level) {
    if (level == levels_.size()) levels_.emplace_back();
    if (levels_[level].size() < kept) return;
    make_room(level + 1);
    auto& from = levels_[level];
    Bucket oldest = from.front();
    from.pop_front();
    for (std::size_t i = 1; i < merged; ++i, from.pop_front()) oldest.add(from.front());
    levels_[level + 1].push_back(oldest);
}

void Series::forget_from(double x) {
    while (!recent_.empty() && recent_.back().x >= x) recent_.pop_back(), --points_;
    for (auto& level : levels_)
        while (!level.empty() && level.back().last >= x) {
            points_ -= level.back().count;
            level.pop_back();
        }
}

void Series::go_back(double x) {
    if (points_ == 0 || last_.x <= x) return;
    forget_from(std::nextafter(x, std::numeric_limits<double>::infinity()));
    const auto level = std::ranges::find_if(levels_, [](const auto& buckets) { return !buckets.empty(); });
    if (!recent_.empty()) last_ = recent_.back();
    else if (level != levels_.end()) last_ = {level->back().last, level->back().mean(), level->back().seconds};
}

std::size_t Series::size() const {
    std::size_t all = recent_.size();
    for (const auto& level : levels_) all += level.size();
    return all;
}

/// Returns the last point or bucket that ends before x.
std::optional<Bucket> Series::before(double x) const {
    const auto last_of = [&](const auto& all, auto end) {
        const auto at = std::ranges::lower_bound(all, x, {}, end);
        return at == all.begin() ? all.end() : std::prev(at);
    };
    if (const auto at = last_of(recent_, &Point::x); at != recent_.end()) return Bucket(*at);
    for (const auto& level : levels_)
        if (const auto at = last_of(level, &Bucket::last); at != level.end()) return *at;
    return std::nullopt;
}

std::vector<Bucket> Series::history(double from, double to, std::size_t columns) const {
    std::vector<Bucket> result;
    if (points_ == 0 || columns == 0 || !(from <= to)) return result;
    double oldest = recent_.empty() ? 0 : recent_.front().x;
    for (const auto& level : levels_)
        if (!level.empty()) oldest = level.front().first;
    if (held_)
        if (const auto change = before(from)) result.push_back(*change);
    from = std::max(from, oldest);
    to = std::min(to, last_.x);
    if (!(from <= to)) return result;
    const double width = (to - from) / static_cast<double>(columns);
    const auto column = [&](double x) {
        if (!(width > 0)) return std::size_t{0};
        const double at = (std::max(x, from) - from) / width;
        return std::min(columns - 1, static_cast<std::size_t>(at));
    };
    std::size_t present = columns;
    const auto take = [&](const Bucket& next) {
        const std::size_t wanted = column(next.first);
        if (wanted == present) result.back().add(next);
        else result.push_back(next);
        present = wanted;
    };
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
        auto at = std::lower_bound(level->begin(), level->end(), from,
                                   [](const Bucket& bucket, double x) { return bucket.last < x; });
        for (; at != level->end() && at->first <= to; ++at) take(*at);
    }
    auto at = std::lower_bound(recent_.begin(), recent_.end(), from,
                               [](const Point& point, double x) { return point.x < x; });
    for (; at != recent_.end() && at->x <= to; ++at) take(Bucket(*at));
    return result;
}

}  // namespace sigma::monitor
