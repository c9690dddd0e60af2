// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/statistics.hpp>

#include <bit>
#include <limits>

namespace sigma::data::detail {

/// Returns whole numbers in the order of the floats or doubles.
SIGMA_IMPL std::uint64_t ordered_bits(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
SIGMA_IMPL std::uint64_t ordered_bits(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL void Moments::add(double x) {
    const bool given = !std::isnan(x);
    const double distance = given ? x - mean : 0;
    count += given ? 1 : 0;
    mean += given ? distance / count : 0;
    squares += given ? distance * (x - mean) : 0;
}

SIGMA_IMPL void Moments::add(const Moments& more) {
    if (!(more.count > 0)) return;
    const double both = count + more.count, distance = more.mean - mean;
    mean += distance * (more.count / both);
    squares += more.squares + distance * distance * (count * more.count / both);
    count = both;
}

SIGMA_IMPL void add_records(std::vector<Moments>& features, const NumberList& values, std::size_t records) {
    values.visit([&](const auto& numbers) {
        const auto* x = numbers.data();
        for (std::size_t r = 0; r < records; ++r)
            for (Moments& m : features) m.add(static_cast<double>(*x++));
    });
}

SIGMA_IMPL void Medians::observe(const NumberList& values, std::size_t records) {
    if (values.of_double()) bits_ = 64;
    values.visit([&](const auto& numbers) {
        const auto* x = numbers.data();
        for (std::size_t r = 0; r < records; ++r)
            for (Feature& f : features_) {
                const auto value = *x++;
                if (std::isnan(value)) continue;
                const std::uint64_t bits = detail::ordered_bits(value);
                const std::uint64_t prefix = pass_ == 0 ? 0 : bits >> (shift() + width());
                // If both middles have the same prefix, the counts of the first are valid for both.
                if (prefix == f[0].prefix) ++f[0].counts[bits >> shift() & mask()];
                else if (prefix == f[1].prefix) ++f[1].counts[bits >> shift() & mask()];
            }
    });
}

SIGMA_IMPL bool Medians::again() {
    if (features_.empty()) return false;
    for (Feature& f : features_) {
        if (pass_ == 0) {
            std::uint64_t count = 0;
            for (const std::uint64_t c : f[0].counts) count += c;
            for (Middle& m : f) m.none = count == 0;
            f[0].rank = (count - 1) / 2;
            f[1].rank = count / 2;
        }
        if (f[0].prefix == f[1].prefix) f[1].counts = f[0].counts;
        for (Middle& m : f) m.descend(width());
    }
    return 11 * ++pass_ < bits_;
}

SIGMA_IMPL std::vector<double> Medians::medians() const {
    std::vector<double> all;
    for (const Feature& f : features_)
        all.push_back(f[0].none ? std::numeric_limits<double>::quiet_NaN()
                                : (value_of(f[0].prefix) + value_of(f[1].prefix)) / 2);
    return all;
}

SIGMA_IMPL void Medians::Middle::descend(int bits) {
    std::uint64_t next = 0;
    while (!none && rank >= counts[next]) rank -= counts[next++];
    prefix = prefix << bits | next;
    counts.assign(counts.size(), 0);
}

SIGMA_IMPL double Medians::value_of(std::uint64_t order) const {
    if (bits_ == 64) return std::bit_cast<double>(order >> 63 ? order & ~(std::uint64_t{1} << 63) : ~order);
    const auto bits = static_cast<std::uint32_t>(order);
    return static_cast<double>(std::bit_cast<float>(bits >> 31 ? bits & 0x7fffffffu : ~bits));
}

}  // namespace sigma::data
