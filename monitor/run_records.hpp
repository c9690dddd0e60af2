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

/// What series.bin is made of: docs/monitors.md.
namespace records {

inline constexpr std::string_view magic = "sigma-run 1\n";
// How payloads begin. Tensors have names and numbers of their own, so that readers that know only series show none.
namespace letter {
inline constexpr char series = 'n', points = 'p', buckets = 'b', tensor = 't', distribution = 'h', status = 's';
}
inline constexpr std::size_t most_points = 4096;    ///< of a record that is written
inline constexpr std::size_t most_bytes = 1 << 20;  ///< of a record that is read as it grows

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
    bool holds = false;  ///< its points are changes
};
std::string payload_of(char letter, const Name& name);
/// Nothing where a payload names neither a series nor a tensor.
std::optional<Name> name_of(std::string_view payload);

/// The points of a payload, as they lie there.
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
/// Nothing where it has none, or not as many as it says.
std::optional<Points> points_of(std::string_view payload);

std::string payload_of(std::uint32_t number, std::span<const Point> points);

/// Points that were merged. Nothing where a payload has none, or others than it says.
struct Buckets {
    std::uint32_t number = 0;
    std::vector<Bucket> all{};
};
std::optional<Buckets> buckets_of(std::string_view payload);
std::string payload_of(std::uint32_t number, std::span<const Bucket> buckets);

/// Of which trainer, and how its run is.
struct Status {
    std::string trainer{};
    RunStatus status{};
};
std::optional<Status> status_of(std::string_view payload);
std::string payload_of(std::string_view trainer, const RunStatus& status);

/// Has it bins, not too many, over a range, or over none where it counts nothing?
bool is_sound(const Distribution& found);
/// Of one that is sound.
std::string payload_of(std::uint32_t number, const Distribution& distribution);

struct Numbered {
    std::uint32_t number = 0;
    Distribution distribution{};
};
/// Nothing where it has none, or one that is not sound.
std::optional<Numbered> distribution_of(std::string_view payload);

}  // namespace records

/// The series and distributions of a run, read as its file grows: bytes are fed in any pieces, and a record counts once
/// it is whole.
class RunReading {
public:
    static constexpr std::size_t most_series = 256;                ///< and tensors; further ones are counted only
    static constexpr std::size_t most_numbers = 16 * most_series;  ///< of series: one may come by several
    static constexpr std::size_t most_name = 1000;                 ///< bytes of a name that are kept
    static constexpr std::size_t as_points = 20;                   ///< what a distribution takes, in points

    struct Line {
        std::string trainer, name;
        std::uint64_t points = 0;
        Point last{};
        bool holds = false;  ///< its points are changes
        Series series{};     ///< empty unless they are kept
    };
    struct Tensor {
        std::string trainer, name;
        Distributions distributions{};  ///< empty unless they are kept
    };

    explicit RunReading(bool keep = false) : keep_(keep) {}

    /// The bytes that follow those it has taken. How many of them it takes: the rest is to come again, with more.
    std::size_t feed(std::string_view bytes);
    bool keeps() const { return keep_; }
    /// Keeps the last points only, from now on.
    void let_go();
    std::uint64_t taken() const { return taken_; }
    /// It begins as no run does.
    bool foreign() const { return foreign_; }
    /// The next record is whole, and not what was written.
    bool damaged() const { return damaged_; }
    const std::vector<Line>& lines() const { return lines_.all; }
    const std::vector<Tensor>& tensors() const { return tensors_.all; }
    /// How the run of each trainer was at last.
    const std::map<std::string, RunStatus>& status() const { return status_; }
    /// Of names of series.
    std::uint64_t left_out() const { return lines_.left_out; }
    /// Points and buckets that it holds, and distributions as so many points.
    std::size_t held() const { return held_; }

private:
    /// By names, and by the numbers that stand for them.
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

    bool keep_, foreign_ = false, damaged_ = false;
    std::uint64_t taken_ = 0;
    std::size_t held_ = 0;
    Named<Line> lines_;
    Named<Tensor> tensors_;
    std::map<std::string, RunStatus> status_;
};

}  // namespace sigma::monitor
