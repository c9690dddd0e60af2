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

}  // namespace

std::optional<Name> name_of(std::string_view payload) {
    Name found;
    if (payload.empty() || (payload[0] != letter::series && payload[0] != letter::tensor)) return std::nullopt;
    payload.remove_prefix(1);
    if (!take(payload, found.number) || !take_text(payload, found.trainer) || !take_text(payload, found.name))
        return std::nullopt;
    return found;
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

/// Calls f with a number of the type whose size a count has. False where no type has it.
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

/// To whole characters.
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
        if (size <= records::most_bytes && next.size() < size) break;  // it is being written, or a kill has torn it
        damaged_ =
            size > records::most_bytes || records::sum_of(next.substr(0, size)) != sum || !take(next.substr(0, size));
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
    for (Line& line : lines_.all) line.series = {};
    for (Tensor& tensor : tensors_.all) tensor.distributions = {};
}

template <class One>
void RunReading::Named<One>::meet(records::Name name) {
    cut(name.trainer);
    cut(name.name);
    const auto same = [&](const One& one) { return one.name == name.name && one.trainer == name.trainer; };
    const auto found = std::ranges::find_if(all, same);
    const bool new_number = !by_number.contains(name.number);
    if ((found == all.end() && all.size() == most_series) || (new_number && by_number.size() == most_numbers)) {
        by_number.erase(name.number);
        ++left_out;
        return;
    }
    by_number[name.number] = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.push_back({.trainer = std::move(name.trainer), .name = std::move(name.name)});
}

template <class One>
One* RunReading::Named<One>::at(std::uint32_t number) {
    const auto found = by_number.find(number);
    return found == by_number.end() ? nullptr : &all[found->second];
}

bool RunReading::take(std::string_view payload) {
    switch (payload.empty() ? '\0' : payload[0]) {
        case records::letter::points: return take_points(payload);
        case records::letter::distribution: return take_distribution(payload);
        case records::letter::series:
        case records::letter::tensor: break;
        default: return true;  // of a version to come
    }
    auto name = records::name_of(payload);
    if (!name) return false;
    if (payload[0] == records::letter::tensor) tensors_.meet(std::move(*name));
    else lines_.meet(std::move(*name));
    return true;
}

bool RunReading::take_points(std::string_view payload) {
    const auto points = records::points_of(payload);
    if (!points) return false;
    Line* const line = lines_.at(points->number);
    if (line == nullptr) return lines_.left_out > 0;  // of one that was left out
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
