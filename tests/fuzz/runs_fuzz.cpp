// SPDX-License-Identifier: BSL-1.0
// Any bytes as the series of a run: read up to what is no record, the same in whatever pieces they come.
#include "run_records.hpp"
#include "target.hpp"

#include <algorithm>
#include <cmath>

namespace {

using namespace sigma::monitor;
using fuzz::require;

bool same(const RunReading::Line& a, const RunReading::Line& b) {
    const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return a.trainer == b.trainer && a.name == b.name && equal(a.last.x, b.last.x) && equal(a.last.y, b.last.y);
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    RunReading whole(true), pieces(true), counted;
    require(whole.feed(bytes) == whole.taken());
    require(counted.feed(bytes) == whole.taken());
    require(whole.taken() <= size && whole.lines().size() <= RunReading::most_series);
    const std::size_t step = 1 + size / 50;
    for (std::size_t there = 0; there < size; there += step)
        pieces.feed(bytes.substr(pieces.taken(), std::min(there + step, size) - pieces.taken()));
    require(pieces.taken() == whole.taken() && pieces.lines().size() == whole.lines().size());
    std::size_t held = 0;
    for (std::size_t i = 0; i < whole.lines().size(); ++i) {
        const auto& line = whole.lines()[i];
        require(same(line, pieces.lines()[i]) && same(line, counted.lines()[i]));
        require(line.points == pieces.lines()[i].points && line.points <= counted.lines()[i].points);
        require(counted.lines()[i].series.empty());
        held += line.series.size();
        const auto buckets = line.series.history(-1e300, 1e300, 100);
        require(buckets.size() <= 100);
        for (std::size_t k = 1; k < buckets.size(); ++k) require(buckets[k - 1].last < buckets[k].first);
    }
    require(whole.status().size() <= RunReading::most_series && whole.status().size() == counted.status().size());
    for (const auto& [trainer, status] : whole.status()) require(pieces.status().at(trainer).state == status.state);
    require(whole.tensors().size() <= RunReading::most_series);
    require(pieces.tensors().size() == whole.tensors().size() && counted.tensors().size() == whole.tensors().size());
    for (std::size_t i = 0; i < whole.tensors().size(); ++i) {
        const auto& tensor = whole.tensors()[i];
        const auto& all = tensor.distributions.all();
        require(tensor.name == pieces.tensors()[i].name && tensor.trainer == counted.tensors()[i].trainer);
        require(counted.tensors()[i].distributions.all().empty());
        require(all.size() <= Distributions::most && all.size() == pieces.tensors()[i].distributions.all().size());
        for (std::size_t k = 0; k < all.size(); ++k) {
            require(k == 0 || all[k - 1].iteration < all[k].iteration);
            require(records::is_sound(all[k]) && all[k].counts == pieces.tensors()[i].distributions.all()[k].counts);
            const auto again = records::distribution_of(records::payload_of(7, all[k]));
            require(again && again->number == 7 && again->distribution.iteration == all[k].iteration);
            require(again->distribution.counts == all[k].counts && again->distribution.high == all[k].high);
        }
        held += RunReading::as_points * all.size();
    }
    require(held == whole.held() && counted.held() == 0);
    // A torn end is waited for; it is none where a record is whole.
    return whole.taken() == size && size > 0 && !whole.damaged();
}

void fuzz_repair(std::string& bytes) {
    for (std::size_t at = records::magic.size(); at + 8 <= bytes.size();) {
        std::uint32_t length = 0;
        std::string_view head = std::string_view(bytes).substr(at);
        records::take(head, length);
        length = static_cast<std::uint32_t>(std::min<std::size_t>(length, bytes.size() - at - 8));
        std::string right;
        records::put(right, length);
        records::put(right, records::sum_of(std::string_view(bytes).substr(at + 8, length)));
        bytes.replace(at, 8, right);
        at += 8 + std::size_t{length};
    }
}
