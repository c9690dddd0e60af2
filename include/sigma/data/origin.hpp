// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>

namespace sigma::data {

/// What read records, and from where: {"idx", "data/train-images-idx3-ubyte.gz"}.
struct Origin {
    std::string reader, source;
    friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace sigma::data
