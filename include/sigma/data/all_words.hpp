// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::data::detail {

/// All words of namespace data are known: the first thing that `data.hpp` says, since the answer to "are they?" is
/// given once (names.hpp).
template <class>
struct WordsIncluded {};

}  // namespace sigma::data::detail
