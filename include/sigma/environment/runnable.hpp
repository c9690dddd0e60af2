// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/registry/registry.hpp>
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/trainer_registry.hpp>

#include <concepts>
#include <exception>

namespace sigma::detail {

/// What an environment runs: something with a Control that `start(arguments...)` sets going on a thread of its own
/// (`Control::start`). Its name, state and commands are those of the Control.
template <class T, class... Arguments>
concept Runnable = requires(T& trainer, const Arguments&... arguments) {
    { trainer.control() } -> std::convertible_to<const Remote&>;
    trainer.start(arguments...);
};

template <class T>
concept HasRegistry = requires(T& trainer) {
    { trainer.registry() } -> std::convertible_to<const Registry&>;
};
template <class T>
std::optional<Registry> registry_of(T& trainer) {
    if constexpr (HasRegistry<T>) return trainer.registry();
    else return std::nullopt;
}

// A trainer without its type. `trainer` keeps alive one that the environment shares.
struct Member {
    Remote remote;
    std::function<void()> begin;
    std::shared_ptr<void> trainer{};
    bool listed = false;  // in the environment's registry
    std::shared_ptr<std::exception_ptr> logged = std::make_shared<std::exception_ptr>();  // the last failure that was
};

std::string exception_text(const std::exception_ptr& thrown);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/runnable.ipp>
#endif
