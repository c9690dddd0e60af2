// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/network/library_layers.hpp>

#ifdef SIGMA_COMPILED
namespace sigma::detail {
#define SIGMA_LIBRARY_PART(L) template SharedOwner<const AnyPart> kept_part(const L&);
#define SIGMA_LIBRARY_LOSS(L) \
    SIGMA_LIBRARY_PART(L)     \
    template void show(const LossView<L>&, LossVisitor&);
SIGMA_EACH_LAYER(SIGMA_LIBRARY_PART)
SIGMA_EACH_LOSS(SIGMA_LIBRARY_LOSS)
#undef SIGMA_LIBRARY_PART
#undef SIGMA_LIBRARY_LOSS
}  // namespace sigma::detail
#endif
