// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/series.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::monitor {

/// The records of series.bin, see docs/design/monitor-protocol.md.
namespace records {

inline constexpr std::string_view magic = "sigma-run 1\n";
// First letters of payloads. Tensors have separate names and numbers, so that readers that know only series ignore
// them.
namespace letter {
inline constexpr char series = 'n', points = 'p', buckets = 'b', tensor = 't', distribution = 'h', status = 's',
                      mark = 'm';
}
inline constexpr std::size_t most_points = 4096;    ///< maximum in a record that is written
inline constexpr std::size_t most_bytes = 1 << 20;  ///< maximum size of a record that is read

std::uint32_t sum_of(std::string_view bytes);

template <class X>
void put(std::string& to, X x) {
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof(X)];
    std::memcpy(bytes, &x, sizeof(X));
    to.append(bytes, sizeof(X));
}
template <class X>
bool take(std::string_view& from, X& x) {
    if (from.size() < sizeof(X)) return false;
    std::memcpy(&x, from.data(), sizeof(X));
    from.remove_prefix(sizeof(X));
    return true;
}

struct Name {
    std::uint32_t number = 0;
    std::string trainer{}, name{};
    bool holds = false;  ///< the points are changes
};
std::string payload_of(char letter, const Name& name);
/// Returns nothing if a payload is not the name of a series or a tensor.
std::optional<Name> name_of(std::string_view payload);

/// The points of a payload, which are read from its bytes.
struct Points {
    std::uint32_t number = 0, count = 0;
    std::string_view bytes{};

    Point operator[](std::uint32_t i) const {
        std::string_view from = bytes.substr(std::size_t{24} * i);
        Point point;
        take(from, point.x);
        take(from, point.y);
        take(from, point.seconds);
        return point;
    }
};
/// Returns nothing if the payload has no points or another number than it states.
std::optional<Points> points_of(std::string_view payload);

std::string payload_of(std::uint32_t number, std::span<const Point> points);

/// Merged points.
struct Buckets {
    std::uint32_t number = 0;
    std::vector<Bucket> all{};
};
/// Returns nothing if the payload has no valid buckets or another number than it states.
std::optional<Buckets> buckets_of(std::string_view payload);
std::string payload_of(std::uint32_t number, std::span<const Bucket> buckets);

/// The name of a trainer and the state of its run.
struct Status {
    std::string trainer{};
    RunStatus status{};
};
std::optional<Status> status_of(std::string_view payload);
std::string payload_of(std::string_view trainer, const RunStatus& status);

/// The name of a trainer and a change by a user.
struct Marked {
    std::string trainer{};
    RunMark mark{};
};
std::optional<Marked> mark_of(std::string_view payload);
std::string payload_of(std::string_view trainer, const RunMark& mark);
/// Returns whether a mark is that of a checkpoint which the program itself has saved.
inline bool is_by_program(const RunMark& mark) { return mark.kind == "save" && mark.client.empty(); }
/// Adds a mark to a trainer's list of at most 1000. If the run has returned to an earlier iteration, a value or a
/// checkpoint that was loaded removes the marks after it. A checkpoint by the program replaces the one of its name.
void append(std::vector<RunMark>& marks, RunMark mark);

/// Returns whether a distribution has 1 to 48 bins over a range, or counts nothing.
bool is_sound(const Distribution& found);
/// Writes a sound distribution.
std::string payload_of(std::uint32_t number, const Distribution& distribution);

struct Numbered {
    std::uint32_t number = 0;
    Distribution distribution{};
};
/// Returns nothing if the payload has no sound distribution.
std::optional<Numbered> distribution_of(std::string_view payload);

}  // namespace records

/// A reader of a run's series and distributions while its file grows. Bytes can be fed in any pieces; a record counts
/// when it is complete.
class RunReading {
public:
    static constexpr std::size_t most_series =
        256;  ///< maximum of series, and of tensors; further ones are only counted
    static constexpr std::size_t most_numbers =
        16 * most_series;                           ///< maximum of series numbers: a series may have several
    static constexpr std::size_t most_name = 1000;  ///< maximum bytes of a name
    static constexpr std::size_t as_points = 20;    ///< memory of a distribution, counted in points

    struct Line {
        std::string trainer, name;
        std::uint64_t points = 0;
        Point last{};
        bool holds = false;  ///< the points are changes
        Series series{};     ///< empty unless they are kept
    };
    struct Tensor {
        std::string trainer, name;
        Distributions distributions{};  ///< empty unless they are kept
    };

    explicit RunReading(bool keep = false) : keep_(keep) {}

    /// Reads the next bytes and returns how many it has used. Feed the rest again, with more bytes.
    std::size_t feed(std::string_view bytes);
    bool keeps() const { return keep_; }
    /// Frees the series; keeps only the last points from now on.
    void let_go();
    std::uint64_t taken() const { return taken_; }
    /// Returns whether the file is not a run.
    bool foreign() const { return foreign_; }
    /// Returns whether the next record is complete but invalid.
    bool damaged() const { return damaged_; }
    const std::vector<Line>& lines() const { return lines_.all; }
    const std::vector<Tensor>& tensors() const { return tensors_.all; }
    /// Returns the last state of each trainer's run.
    const std::map<std::string, RunStatus>& status() const { return status_; }
    /// Returns the changes by users, by trainer.
    const std::map<std::string, std::vector<RunMark>>& marks() const { return marks_; }
    /// Returns the number of series beyond the maximum.
    std::uint64_t left_out() const { return lines_.left_out; }
    /// Returns the number of points and buckets in memory, with distributions counted as points.
    std::size_t held() const { return held_; }

private:
    /// Series or tensors, by name and by number.
    template <class One>
    struct Named {
        std::vector<One> all{};
        std::map<std::uint32_t, std::size_t> by_number{};
        std::uint64_t left_out = 0;

        One* meet(records::Name name);
        One* at(std::uint32_t number);
    };
    bool take(std::string_view payload);
    bool take_points(std::string_view payload);
    bool take_buckets(std::string_view payload);
    bool take_status(std::string_view payload);
    bool take_distribution(std::string_view payload);
    bool take_mark(std::string_view payload);

    bool keep_, foreign_ = false, damaged_ = false;
    std::uint64_t taken_ = 0;
    std::size_t held_ = 0;
    Named<Line> lines_;
    Named<Tensor> tensors_;
    std::map<std::string, RunStatus> status_;
    std::map<std::string, std::vector<RunMark>> marks_;
};

}  // namespace sigma::monitor
