// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/hash.hpp>

#include "run_records.hpp"

#include <algorithm>
#include <span>

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
    if (payload.empty() || payload[0] != 'n') return std::nullopt;
    payload.remove_prefix(1);
    if (!take(payload, found.number) || !take_text(payload, found.trainer) || !take_text(payload, found.series))
        return std::nullopt;
    return found;
}

std::optional<Points> points_of(std::string_view payload) {
    Points found;
    if (payload.empty() || payload[0] != 'p') return std::nullopt;
    payload.remove_prefix(1);
    if (!take(payload, found.number) || !take(payload, found.count) || payload.size() != std::size_t{24} * found.count)
        return std::nullopt;
    found.bytes = payload;
    return found;
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
    for (Line& line : lines_) line.series = {};
}

bool RunReading::take(std::string_view payload) {
    if (payload.empty() || (payload[0] != 'n' && payload[0] != 'p')) return true;  // of a version to come
    if (auto name = records::name_of(payload)) {
        cut(name->trainer);
        cut(name->series);
        const auto same = [&](const Line& line) { return line.name == name->series && line.trainer == name->trainer; };
        const auto found = std::ranges::find_if(lines_, same);
        const bool new_number = !by_number_.contains(name->number);
        if ((found == lines_.end() && lines_.size() == most_series) ||
            (new_number && by_number_.size() == most_numbers)) {
            by_number_.erase(name->number);
            ++left_out_;
            return true;
        }
        by_number_[name->number] = static_cast<std::size_t>(found - lines_.begin());
        if (found == lines_.end())
            lines_.push_back({.trainer = std::move(name->trainer), .name = std::move(name->series)});
        return true;
    }
    const auto points = records::points_of(payload);
    if (!points) return false;
    const auto at = by_number_.find(points->number);
    if (at == by_number_.end()) return left_out_ > 0;  // of one that was left out
    if (points->count == 0) return true;
    Line& line = lines_[at->second];
    line.last = (*points)[points->count - 1];
    if (!keep_) {
        line.points += points->count;
        return true;
    }
    const std::size_t before = line.series.size();
    for (std::uint32_t i = 0; i < points->count; ++i) line.series.append((*points)[i]);
    held_ += line.series.size() - before;
    line.points = line.series.points();
    return true;
}

}  // namespace sigma::monitor
