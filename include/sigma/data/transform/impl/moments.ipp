// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/moments.hpp>

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

}  // namespace sigma::data
