// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/by_pattern.hpp>

namespace sigma {

/// Freezes parameters, or lets them move again. Once it has done so, a reset brings back what was when it was added.
template <bool freezes>
class FreezeParameters : public Action<FreezeParameters<freezes>> {
public:
    explicit FreezeParameters(std::string pattern) : pattern_(std::move(pattern)) {}

    void run(auto& context) {
        done_ = true;
        context.change([pattern = pattern_](auto& trainer) {
            if constexpr (freezes) trainer.freeze(pattern);
            else trainer.unfreeze(pattern);
        });
    }
    void restart(auto& context) {
        auto& trainer = context.trainer();
        const bool added = before_.empty();
        std::size_t i = 0;
        detail::check_pattern(word, trainer, pattern_, false, [&](int p) {
            if (added) before_.push_back(trainer.frozen(p));
            if (!done_) return;
            const std::string_view name = std::remove_cvref_t<decltype(trainer.model())>::records.parameters[p].name.view();
            if (before_[i++]) trainer.freeze(name);
            else trainer.unfreeze(name);
        });
        done_ = false;
    }
    void archive(Archive& a) { a(done_); }
    std::string text() const { return sentence(word, "(\"", pattern_, "\")"); }

private:
    static constexpr const char* word = freezes ? "freeze" : "unfreeze";
    std::string pattern_;
    std::vector<char> before_;  ///< was each matching parameter frozen?
    bool done_ = false;
};

/// The matching parameters and their states keep their bits from the next step on: after(10, epoch).then(freeze("1-*")).
/// A pattern that matches none throws ArgumentError when the hook is added.
inline auto freeze(std::string pattern) { return FreezeParameters<true>(std::move(pattern)); }
inline auto unfreeze(std::string pattern) { return FreezeParameters<false>(std::move(pattern)); }

}  // namespace sigma
