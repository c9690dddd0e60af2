// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/costs.hpp>
#include <sigma/tape/mistake.hpp>

/// Words of networks that were called otherwise; see core/words.hpp.
namespace sigma {

template <AnyLayer L>
[[deprecated("write loss_weight")]] constexpr auto importance(double weight, L cost) {
    return loss_weight(weight, cost);
}
template <class Why = void>
using Verdict [[deprecated("write Mistake")]] = Mistake<Why>;

}  // namespace sigma
