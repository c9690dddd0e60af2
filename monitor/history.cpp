// SPDX-License-Identifier: BSL-1.0
#include "history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sigma::monitor {

Json history_answer(std::string_view name, const std::vector<Bucket>& buckets, double last, bool held) {
    Json result{{"name", name},
                {"x", Json::array()},
                {"y", Json::array()},
                {"seconds", Json::array()},
                {"last", buckets.empty() && std::isnan(last) ? Json(nullptr) : number_or_word(last)},
                {"held", held}};
    const bool merged = std::ranges::any_of(buckets, [](const Bucket& b) { return b.count > 1; });
    for (const Bucket& bucket : buckets) {
        result["x"].push_back(bucket.last);
        result["y"].push_back(number_or_null(bucket.mean()));
        result["seconds"].push_back(number_or_null(bucket.seconds));
        constexpr std::pair<Bucket::Odd, const char*> words[] = {
            {Bucket::nan, "nan"}, {Bucket::above, "inf"}, {Bucket::below, "-inf"}};
        for (const auto& [bit, word] : words)
            if (bucket.odd & bit) result["odd"].push_back({bucket.last, word});
        if (!merged) continue;
        result["low"].push_back(bucket.finite > 0 ? Json(bucket.low) : Json(nullptr));
        result["high"].push_back(bucket.finite > 0 ? Json(bucket.high) : Json(nullptr));
    }
    return result;
}

Json histogram_answer() { return {{"names", Json::array()}, {"name", nullptr}, {"distributions", Json::array()}}; }

Json distributions_answer(const std::deque<Distribution>& distributions) {
    Json result = Json::array();
    for (const Distribution& one : distributions)
        result.push_back({{"iteration", one.iteration},
                          {"low", number_or_null(one.low)},
                          {"high", number_or_null(one.high)},
                          {"counts", one.counts}});
    return result;
}

}  // namespace sigma::monitor
