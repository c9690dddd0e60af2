// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Numbers over a run, in bounded memory. Included by `<sigma/monitor/run_folder.hpp>`.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace sigma::monitor {

/// One number of a run at one iteration.
/// @see Series
struct Point {
    double x = 0;        ///< Iteration.
    double y = 0;        ///< The number.
    double seconds = 0;  ///< Running time in seconds.
};

/// A summary of consecutive points. Values that are not finite are counted, but do not affect minimum, maximum, and
/// sum.
///
/// @par Example
/// @code
/// monitor::Bucket bucket({.x = 1, .y = 0.5});
/// bucket.add(monitor::Bucket({.x = 2, .y = 1.5}));
/// bucket.mean();  // 1
/// @endcode
/// @see Series::history
struct Bucket {
    /// Bits of `Bucket::odd`: kinds of values that are not finite.
    enum Odd : std::uint8_t {
        nan = 1,    ///< A value is NaN.
        above = 2,  ///< A value is +inf.
        below = 4   ///< A value is -inf.
    };

    double first = 0;                                        ///< x of the first point.
    double last = 0;                                         ///< x of the last point.
    double low = std::numeric_limits<double>::infinity();    ///< Smallest finite value; +inf if there is none.
    double high = -std::numeric_limits<double>::infinity();  ///< Largest finite value; -inf if there is none.
    double sum = 0;                                          ///< Sum of the finite values.
    std::uint64_t count = 0;                                 ///< Number of points.
    std::uint64_t finite = 0;                                ///< Number of points with a finite value.
    double seconds = 0;                                      ///< Running time of the last point, in seconds.
    std::uint8_t odd = 0;                                    ///< Kinds of values that are not finite, bits of `Odd`.

    /// Constructs a summary of no points.
    Bucket() = default;
    /// Constructs the summary of one point.
    /// @param point  the point
    explicit Bucket(const Point& point);
    /// Merges the summary of later points into this one.
    /// @param later  the summary of the points that follow
    void add(const Bucket& later);
    /// Returns the mean of the finite values.
    /// @return the mean; NaN if no value is finite
    double mean() const;
};

/// A number over a run of any length, in bounded memory.
///
/// Keeps the last 8192 points unchanged, and merges older ones into buckets of 4, 16, 64, … points, at most 4096 of
/// each size. A bucket keeps the exact minimum and maximum of its points. Not thread-safe.
///
/// @par Example
/// @code
/// monitor::Series losses;
/// for (double i = 1; i <= 100; ++i) losses.append({.x = i, .y = 1 / i});
/// losses.history(1, 100, 10).size();  // 10 buckets for a chart of 10 columns
/// @endcode
/// @see read_run
class Series {
public:
    static constexpr std::size_t recent = 8192;  ///< Number of latest points that are kept unchanged.
    static constexpr std::size_t kept = 4096;    ///< Maximum number of buckets of each size.
    static constexpr std::size_t merged = 4;     ///< Number of points or buckets that are merged into one bucket.

    /// Appends a point.
    ///
    /// If its `x` is not larger than that of the last point, the run was reset to an earlier iteration: all points from
    /// this `x` on are removed first, with the whole bucket that reaches it. A point with an `x` that is not finite is
    /// ignored.
    ///
    /// @param point  the point
    void append(const Point& point);
    /// Removes all points after an iteration, as `append` does.
    /// @param x  iteration to which the run was reset
    void go_back(double x);
    /// @cond internal
    /// Adds a bucket that `visit` gave; call it in their order. Returns false if the bucket cannot come next.
    bool restore(const Bucket& bucket);
    /// @endcond
    /// Declares that the points are changes: a value holds until the next point.
    void hold() { held_ = true; }
    /// Returns whether the points are changes, see `hold`.
    /// @return true after `hold`
    bool held() const { return held_; }
    /// Returns how many points were appended and not removed.
    /// @return the number of points, including merged ones
    std::uint64_t points() const { return points_; }
    /// Returns whether the series has no points.
    /// @return true if `points()` is 0
    bool empty() const { return points_ == 0; }
    /// Returns the last point. After `go_back` into merged points, returns the mean of the last bucket.
    /// @return the point; zeros if the series is empty
    const Point& last() const { return last_; }
    /// Returns how many points and buckets the series holds in memory.
    /// @return the number of objects
    std::size_t size() const;

    /// Returns a part of the series for a chart, in at most `columns` buckets of equal width.
    ///
    /// Empty buckets are omitted. The first and last bucket may include neighbours outside of the part, if old points
    /// were merged with them. If the points are changes, the last change before the part comes first.
    ///
    /// @param from     first iteration
    /// @param to       last iteration
    /// @param columns  maximum number of buckets
    /// @return the buckets, in order; none if `columns` is 0 or `from` is greater than `to`
    std::vector<Bucket> history(double from, double to, std::size_t columns) const;
    /// Calls many(bucket) for each bucket of merged points, then one(point) for each other point, in order.
    /// @tparam Many  callable with a Bucket
    /// @tparam One   callable with a Point
    /// @param many  function for buckets
    /// @param one   function for points
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
    std::vector<std::deque<Bucket>> levels_;  ///< buckets of 4, 16, … points; the last level has the oldest
    Point last_{};
    std::uint64_t points_ = 0;
    bool held_ = false;
};

}  // namespace sigma::monitor
