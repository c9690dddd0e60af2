// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>

#include <string>

namespace sigma {

/// Freezes parameters, or lets them move again. Once it has done so, a reset brings back what was when it was added.
struct FreezeParameters : detail::MadeAction<> {
    using MadeAction::MadeAction;
};

/// The matching parameters and their states keep their bits from the next step on: after(10,
/// epoch).then(freeze("1-*")). A pattern that matches none throws ArgumentError when the hook is added.
FreezeParameters freeze(std::string pattern);
FreezeParameters unfreeze(std::string pattern);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/freeze.ipp>
#endif
