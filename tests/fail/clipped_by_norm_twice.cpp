// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_gradients_are_clipped_by_norm_already<.*optimizer_is<.*ClipByValue<
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/clip.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = clip_gradient_norm(clip_gradients(Adam{}, 0.5), 1);
#else
const auto optimizer = clip_gradient_norm(clip_gradients(clip_gradient_norm(Adam{}, 0.5), 1), 1);
#endif
