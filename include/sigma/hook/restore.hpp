// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>

#include <string>

namespace sigma {

/// Reads a checkpoint when all hooks of the moment are through.
struct RestoreFile : detail::MadeAction<> {
    static constexpr bool in_background = false;
    using MadeAction::MadeAction;
};

/// Everything is again as it was when the file was written, also the count of epochs: where nothing else differs, a run
/// that goes on comes to the same place again. At the end of a run: at(stop).then(restore("best.sigma")).
RestoreFile restore(std::string file);
/// The parameters whose names match are again what they were; all else goes on.
RestoreFile restore_parameters(std::string file, std::string pattern = "*");

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/restore.ipp>
#endif
