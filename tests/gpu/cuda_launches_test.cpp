// SPDX-License-Identifier: BSL-1.0
#include "cuda_step_launches.hpp"

TEST_CASE("launches of a training step on CUDA") {
    if (const auto device = sigma::test::cuda_device()) step_launches::check_all_launches(device, false);
}
