// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/hash.hpp>

#include "run_records.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace sigma::monitor {

namespace records {

std::uint32_t sum_of(std::string_view bytes) { return storage::crc32c(std::as_bytes(std::span(bytes))); }

namespace {

bool take_text(std::string_view& from, std::string& text) {
    std::uint16_t size = 0;
    if (!take(from, size) || from.size() < size) return false;
    text = from.substr(0, size);
    from.remove_prefix(size);
    return true;
}
void put_text(std::string& to, std::string_view text) {
    text = text.substr(0, 60'000);
    put(to, static_cast<std::uint16_t>(text.size()));
    to += text;
}

}  // namespace

std::optional<Name> name_of(std::string_view payload) {
    Name found;
    if (payload.empty() || (payload[0] != letter::series && payload[0] != letter::tensor)) return std::nullopt;
    payload.remove_prefix(1);
    if (!take(payload, found.number) || !take_text(payload, found.trainer) || !take_text(payload, found.name))
        return std::nullopt;
    std::uint8_t holds = 0;  // absent in earlier versions
    found.holds = take(payload, holds) && holds == 1;
    return found;
}
std::string payload_of(char letter, const Name& name) {
    std::string payload(1, letter);
    put(payload, name.number);
    put_text(payload, name.trainer);
    put_text(payload, name.name);
    if (name.holds) put(payload, std::uint8_t{1});
    return payload;
}

std::string payload_of(std::uint32_t number, std::span<const Point> points) {
    std::string payload(1, letter::points);
    put(payload, number);
    put(payload, static_cast<std::uint32_t>(points.size()));
    for (const Point& point : points) {
        put(payload, point.x);
        put(payload, point.y);
        put(payload, point.seconds);
    }
    return payload;
}

std::string payload_of(std::uint32_t number, std::span<const Bucket> buckets) {
    std::string payload(1, letter::buckets);
    put(payload, number);
    put(payload, static_cast<std::uint32_t>(buckets.size()));
    for (const Bucket& bucket : buckets) {
        for (const double x : {bucket.first, bucket.last, bucket.low, bucket.high, bucket.sum, bucket.seconds})
            put(payload, x);
        put(payload, bucket.count);
        put(payload, bucket.finite);
        put(payload, bucket.odd);
    }
    return payload;
}
std::optional<Buckets> buckets_of(std::string_view payload) {
    Buckets found;
    std::uint32_t count = 0;
    if (payload.empty() || payload[0] != letter::buckets) return std::nullopt;
    payload.remove_prefix(1);
    constexpr std::size_t each = 65;
    if (!take(payload, found.number) || !take(payload, count) || payload.size() != each * count) return std::nullopt;
    for (std::uint32_t i = 0; i < count; ++i) {
        Bucket bucket;
        for (double* x : {&bucket.first, &bucket.last, &bucket.low, &bucket.high, &bucket.sum, &bucket.seconds})
            take(payload, *x);
        take(payload, bucket.count);
        take(payload, bucket.finite);
        take(payload, bucket.odd);
        const bool sound =
            std::isfinite(bucket.first) && std::isfinite(bucket.last) && bucket.first <= bucket.last &&
            bucket.count > 1 && bucket.finite <= bucket.count &&
            (bucket.finite == 0 ? bucket.low > bucket.high
                                : std::isfinite(bucket.low) && bucket.low <= bucket.high && std::isfinite(bucket.high));
        if (!sound) return std::nullopt;
        found.all.push_back(bucket);
    }
    return found;
}

std::string payload_of(std::string_view trainer, const RunStatus& status) {
    std::string payload(1, letter::status);
    put_text(payload, trainer);
    put_text(payload, status.state);
    put_text(payload, status.reason);
    put(payload, status.iteration);
    put(payload, status.time);
    return payload;
}
std::optional<Status> status_of(std::string_view payload) {
    Status found;
    if (payload.empty() || payload[0] != letter::status) return std::nullopt;
    payload.remove_prefix(1);
    if (!take_text(payload, found.trainer) || !take_text(payload, found.status.state) ||
        !take_text(payload, found.status.reason) || !take(payload, found.status.iteration) ||
        !take(payload, found.status.time))
        return std::nullopt;
    return found;
}

std::string payload_of(std::string_view trainer, const RunMark& mark) {
    std::string payload(1, letter::mark);
    put_text(payload, trainer);
    for (const std::string* text : {&mark.kind, &mark.name, &mark.before, &mark.after, &mark.client})
        put_text(payload, *text);
    for (const double x : {mark.iteration, mark.seconds, mark.time}) put(payload, x);
    return payload;
}
std::optional<Marked> mark_of(std::string_view payload) {
    Marked found;
    if (payload.empty() || payload[0] != letter::mark) return std::nullopt;
    payload.remove_prefix(1);
    RunMark& to = found.mark;
    for (std::string* text : {&found.trainer, &to.kind, &to.name, &to.before, &to.after, &to.client})
        if (!take_text(payload, *text)) return std::nullopt;
    for (double* x : {&to.iteration, &to.seconds, &to.time})
        if (!take(payload, *x)) return std::nullopt;
    return found;
}
void append(std::vector<RunMark>& marks, RunMark mark) {
    constexpr std::size_t most = 1000;
    if (is_by_program(mark))  // replaces the file of this name
        std::erase_if(marks, [&](const RunMark& one) { return is_by_program(one) && one.name == mark.name; });
    // A checkpoint may be reported after later changes.
    while (mark.kind != "save" && !marks.empty() && marks.back().iteration > mark.iteration) marks.pop_back();
    if (marks.size() == most) marks.erase(marks.begin());
    marks.insert(std::ranges::upper_bound(marks, mark.iteration, {}, &RunMark::iteration), std::move(mark));
}

std::optional<Points> points_of(std::string_view payload) {
    Points found;
    if (payload.empty() || payload[0] != letter::points) return std::nullopt;
    payload.remove_prefix(1);
    if (!take(payload, found.number) || !take(payload, found.count) || payload.size() != std::size_t{24} * found.count)
        return std::nullopt;
    found.bytes = payload;
    return found;
}

bool is_sound(const Distribution& found) {
    if (found.counts.empty() || found.counts.size() > Distributions::bins) return false;
    if (std::isfinite(found.low) && std::isfinite(found.high)) return found.low <= found.high;
    const bool none = std::isinf(found.low) && found.low > 0 && std::isinf(found.high) && found.high < 0;
    return none && std::ranges::all_of(found.counts, [](std::uint64_t n) { return n == 0; });
}

namespace {

/// Calls f with an unsigned integer of a size in bytes. Returns false if there is none of this size.
template <class F>
bool with_width(std::size_t bytes, F f) {
    switch (bytes) {
        case 1: f(std::uint8_t{}); return true;
        case 2: f(std::uint16_t{}); return true;
        case 4: f(std::uint32_t{}); return true;
        case 8: f(std::uint64_t{}); return true;
        default: return false;
    }
}

}  // namespace

std::string payload_of(std::uint32_t number, const Distribution& distribution) {
    const std::uint64_t greatest = std::ranges::max(distribution.counts);
    const std::uint8_t width = greatest < 1u << 8 ? 1 : greatest < 1u << 16 ? 2 : greatest <= ~0u ? 4 : 8;
    std::string payload(1, records::letter::distribution);
    put(payload, number);
    put(payload, distribution.iteration);
    put(payload, distribution.low);
    put(payload, distribution.high);
    put(payload, static_cast<std::uint8_t>(distribution.counts.size()));
    put(payload, width);
    with_width(width, [&](auto as) {
        for (const std::uint64_t n : distribution.counts) put(payload, static_cast<decltype(as)>(n));
    });
    return payload;
}

std::optional<Numbered> distribution_of(std::string_view payload) {
    Numbered found;
    Distribution& to = found.distribution;
    std::uint8_t bins = 0, width = 0;
    if (payload.empty() || payload[0] != letter::distribution) return std::nullopt;
    payload.remove_prefix(1);
    if (!take(payload, found.number) || !take(payload, to.iteration) || !take(payload, to.low) ||
        !take(payload, to.high) || !take(payload, bins) || !take(payload, width) || bins > Distributions::bins ||
        payload.size() != std::size_t{bins} * width)
        return std::nullopt;
    const bool known = with_width(width, [&](auto n) {
        to.counts.reserve(bins);
        while (take(payload, n)) to.counts.push_back(n);
    });
    return known && is_sound(to) ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace records

namespace {

/// Shortens a name to whole characters.
void cut(std::string& name) {
    if (name.size() <= RunReading::most_name) return;
    std::size_t size = RunReading::most_name;
    while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0) == 0x80) --size;
    name.resize(size);
}

}  // namespace

std::size_t RunReading::feed(std::string_view bytes) {
    if (foreign_) return 0;
    std::string_view left = bytes;
    damaged_ = false;
    if (taken_ == 0) {
        const std::size_t begun = std::min(left.size(), records::magic.size());
        foreign_ = left.substr(0, begun) != records::magic.substr(0, begun);
        if (foreign_ || begun < records::magic.size()) return 0;
        left.remove_prefix(begun);
    }
    while (true) {
        std::string_view next = left;
        std::uint32_t size = 0, sum = 0;
        if (!records::take(next, size) || !records::take(next, sum)) break;
        if (size <= records::most_bytes && next.size() < size)
            break;  // being written, or incomplete because the program was killed
        damaged_ = size == 0 || size > records::most_bytes || records::sum_of(next.substr(0, size)) != sum ||
                   !take(next.substr(0, size));
        if (damaged_) break;
        left = next.substr(size);
    }
    const std::size_t found = bytes.size() - left.size();
    taken_ += found;
    return found;
}

void RunReading::let_go() {
    keep_ = false;
    held_ = 0;
    for (Line& line : lines_.all) {
        line.series = {};
        if (line.holds) line.series.hold();
    }
    for (Tensor& tensor : tensors_.all) tensor.distributions = {};
}

template <class One>
One* RunReading::Named<One>::meet(records::Name name) {
    cut(name.trainer);
    cut(name.name);
    const auto same = [&](const One& one) { return one.name == name.name && one.trainer == name.trainer; };
    const auto found = std::ranges::find_if(all, same);
    const bool new_number = !by_number.contains(name.number);
    if ((found == all.end() && all.size() == most_series) || (new_number && by_number.size() == most_numbers)) {
        by_number.erase(name.number);
        ++left_out;
        return nullptr;
    }
    const auto at = static_cast<std::size_t>(found - all.begin());
    by_number[name.number] = at;
    if (found == all.end()) all.push_back({.trainer = std::move(name.trainer), .name = std::move(name.name)});
    return &all[at];
}

template <class One>
One* RunReading::Named<One>::at(std::uint32_t number) {
    const auto found = by_number.find(number);
    return found == by_number.end() ? nullptr : &all[found->second];
}

bool RunReading::take(std::string_view payload) {
    switch (payload.empty() ? '\0' : payload[0]) {
        case records::letter::points: return take_points(payload);
        case records::letter::buckets: return take_buckets(payload);
        case records::letter::distribution: return take_distribution(payload);
        case records::letter::status: return take_status(payload);
        case records::letter::mark: return take_mark(payload);
        case records::letter::series:
        case records::letter::tensor: break;
        default: return true;  // a record of a later version
    }
    auto name = records::name_of(payload);
    if (!name) return false;
    const bool holds = name->holds;
    if (payload[0] == records::letter::tensor) {
        tensors_.meet(std::move(*name));
    } else if (Line* const line = lines_.meet(std::move(*name)); line != nullptr && holds) {
        line->holds = true;
        line->series.hold();
    }
    return true;
}

bool RunReading::take_points(std::string_view payload) {
    const auto points = records::points_of(payload);
    if (!points) return false;
    Line* const line = lines_.at(points->number);
    if (line == nullptr) return lines_.left_out > 0;  // points of a series beyond the maximum
    if (points->count == 0) return true;
    line->last = (*points)[points->count - 1];
    if (!keep_) {
        line->points += points->count;
        return true;
    }
    const std::size_t before = line->series.size();
    for (std::uint32_t i = 0; i < points->count; ++i) line->series.append((*points)[i]);
    held_ += line->series.size() - before;
    line->points = line->series.points();
    return true;
}

bool RunReading::take_buckets(std::string_view payload) {
    const auto buckets = records::buckets_of(payload);
    if (!buckets) return false;
    Line* const line = lines_.at(buckets->number);
    if (line == nullptr) return lines_.left_out > 0;
    for (const Bucket& bucket : buckets->all) {
        if (!keep_) {
            line->points += bucket.count;
        } else {
            held_ += line->series.restore(bucket);  // returns false for a bucket that cannot come here
            line->points = line->series.points();
        }
        line->last = {bucket.last, bucket.mean(), bucket.seconds};
    }
    return true;
}

bool RunReading::take_status(std::string_view payload) {
    auto found = records::status_of(payload);
    if (!found) return false;
    cut(found->trainer);
    cut(found->status.reason);
    if (status_.size() < most_series || status_.contains(found->trainer))
        status_[std::move(found->trainer)] = std::move(found->status);
    return true;
}

bool RunReading::take_mark(std::string_view payload) {
    auto found = records::mark_of(payload);
    if (!found) return false;
    RunMark& mark = found->mark;
    for (std::string* text : {&found->trainer, &mark.kind, &mark.name, &mark.before, &mark.after, &mark.client})
        cut(*text);
    if (marks_.size() < most_series || marks_.contains(found->trainer))
        records::append(marks_[std::move(found->trainer)], std::move(mark));
    return true;
}

bool RunReading::take_distribution(std::string_view payload) {
    auto found = records::distribution_of(payload);
    if (!found) return false;
    Tensor* const tensor = tensors_.at(found->number);
    if (tensor == nullptr) return tensors_.left_out > 0;
    if (!keep_) return true;
    const std::size_t before = tensor->distributions.all().size();
    tensor->distributions.restore(std::move(found->distribution));
    held_ += as_points * (tensor->distributions.all().size() - before);
    return true;
}

}  // namespace sigma::monitor
