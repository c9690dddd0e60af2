// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/hook/score_metrics.hpp>

#include <utility>

/// Words of hooks that were called otherwise; see core/words.hpp.
namespace sigma {

template <int... tops>
    requires(sizeof...(tops) > 0)
[[deprecated("write score(data, top<1, 3>)")]] auto score_top(Dataset data) {
    return score(std::move(data), top<tops...>);
}
template <Text key, int... tops>
    requires(sizeof...(tops) > 0)
[[deprecated("write score<\"test\">(data, top<1, 3>)")]] auto score_top(Dataset data) {
    return score<key>(std::move(data), top<tops...>);
}
template <Text key = "">
[[deprecated("write score(data, regression)")]] auto score_regression(Dataset data) {
    return score<key>(std::move(data), regression);
}
template <Text key = "">
[[deprecated("write score(data, binary)")]] auto score_binary(Dataset data) {
    return score<key>(std::move(data), binary);
}
template <Text key = "", class... Bounds>
[[deprecated("write score(data, binary(0.4))")]] auto score_binary(Dataset data, double bound, Bounds... upper) {
    return score<key>(std::move(data), binary(bound, upper...));
}
struct write_score_of_data_and_a_Confusion;
template <Text key = "">
error_word_is_written_otherwise<write_score_of_data_and_a_Confusion> score_confusion(const Dataset&);

}  // namespace sigma
