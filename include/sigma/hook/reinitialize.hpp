// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/by_pattern.hpp>
#include <sigma/initializer/initializer.hpp>

namespace sigma {

namespace detail {
/// "gaussian(0, 0.1)"
std::string initializer_text(const Initializer& i);
}  // namespace detail

/// Draws parameters anew each time its hook fires.
template <class I>
class Reinitialize : public detail::ActionByPattern<Reinitialize<I>> {
public:
    static constexpr const char* word = "reinitialize";
    static constexpr bool draws = true;

    Reinitialize(std::string pattern, I initializer)
        : detail::ActionByPattern<Reinitialize>(std::move(pattern)), initializer_(std::move(initializer)) {}

    void change(auto& trainer, int p) const {
        auto& model = trainer.model();
        using Model = std::remove_cvref_t<decltype(model)>;
        const auto stream = trainer.iteration() * Model::parameter_count + static_cast<std::uint64_t>(p);
        detail::fill(initializer_, Model::records.parameters[p].shape,
                     Philox(model.seed(), RandomUse::initialize, stream), model.parameter_data(p),
                     static_cast<std::size_t>(Model::pitch(p)));
    }
    std::string options() const {
        if constexpr (std::is_same_v<I, detail::Initializer>)
            if (initializer_.kind != detail::Initializer::Kind::custom) return detail::initializer_text(initializer_);
        return "";
    }

private:
    I initializer_;
};

/// The matching parameters that are not frozen get new random numbers, which the seed and the iteration decide:
/// when(error.exceeds(2)).then(reinitialize("2-*.weights", gaussian(0.1))). Statistics match under their full names
/// only; states of the optimizer stay. A pattern that matches none throws ArgumentError when the hook is added.
template <class I>
auto reinitialize(std::string pattern, I initializer) {
    return Reinitialize<I>(std::move(pattern), std::move(initializer));
}
error_pattern_stands_before_what_is_done<write_the_pattern_first> reinitialize(const detail::Initializer&,
                                                                               std::string_view);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/reinitialize.ipp>
#endif
