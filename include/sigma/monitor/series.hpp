// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace sigma::monitor {

/// One number of a run as it was at some iteration. `seconds` is the running time then.
struct Point {
    double x = 0, y = 0, seconds = 0;
};

/// What remains of some points that follow each other. Numbers that are not finite count, but are no extremes.
struct Bucket {
    /// Which numbers that are not finite were among them.
    enum Odd : std::uint8_t { nan = 1, above = 2, below = 4 };

    double first = 0, last = 0;  ///< x
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    double sum = 0;                       ///< of the finite numbers
    std::uint64_t count = 0, finite = 0;  ///< points, and those of them that are finite
    double seconds = 0;                   ///< of the last
    std::uint8_t odd = 0;

    Bucket() = default;
    explicit Bucket(const Point& point);
    void add(const Bucket& later);
    /// NaN where no point is finite.
    double mean() const;
};

/// Points over a run of any length in bounded memory: the last 8192 as they are, older ones in buckets of 4, 16, 64, …
/// points, of each size 4096 at most. A bucket keeps the exact least and greatest number of its points. For one thread.
class Series {
public:
    static constexpr std::size_t recent = 8192, kept = 4096, merged = 4;

    /// x should grow. Where it does not, the run has gone back: what was at this x and later is forgotten, with the
    /// whole of a bucket that reaches so far.
    void append(const Point& point);
    /// The run has gone back to x: what was later is forgotten, as above.
    void go_back(double x);
    /// One of those that `visit` gave, in their order. False where it is none that may come next.
    bool restore(const Bucket& bucket);
    /// Its points are changes: a number holds until the next one.
    void hold() { held_ = true; }
    bool held() const { return held_; }
    /// How many points it stands for.
    std::uint64_t points() const { return points_; }
    bool empty() const { return points_ == 0; }
    const Point& last() const { return last_; }
    /// Buckets and points that it holds now.
    std::size_t size() const;

    /// The points with from <= x <= to in `columns` buckets at most, which are as wide as each other, in order; empty
    /// ones are left out. Extremes are those of the points, and of neighbours of the first and last where old points
    /// were merged with them. Of one that holds the change before stands there, too.
    std::vector<Bucket> history(double from, double to, std::size_t columns) const;
    /// many(bucket) for each of several points, then one(point) for each that is as it was, in order.
    template <class Many, class One>
    void visit(Many many, One one) const {
        for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
            for (const Bucket& bucket : *level) many(bucket);
        for (const Point& point : recent_) one(point);
    }

private:
    std::optional<Bucket> before(double x) const;
    void make_room(std::size_t level);
    void forget_from(double x);

    std::deque<Point> recent_;
    std::vector<std::deque<Bucket>> levels_;  ///< of 4, 16, …; the last has the oldest points
    Point last_{};
    std::uint64_t points_ = 0;
    bool held_ = false;
};

}  // namespace sigma::monitor
