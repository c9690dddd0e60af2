// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>

#include <concepts>
#include <string_view>
#include <vector>

namespace sigma {

/// Says what the registry of the trainer holds under some names.
class ReportRegistry : public Action<ReportRegistry> {
public:
    static constexpr bool in_background = false;

    explicit ReportRegistry(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}
    void run(auto& context) {
        auto&& registry = context.trainer().registry();
        for (const std::string& pattern : patterns_) {
            const auto names = registry.resolve(pattern);
            if (names.empty())
                throw ArgumentError("report_registry", "a pattern that matches a name", sentence("'", pattern, "'"));
            for (const auto& name : names) context.print(sentence(name, "  ", registry.to_text(name)));
        }
    }
    std::string text() const;

private:
    std::vector<std::string> patterns_;
};

/// `report_registry("network.layers.*.weights", "shared.*")`: a line for each name that matches. Throws ArgumentError
/// when none matches a pattern.
template <std::convertible_to<std::string_view>... Patterns>
    requires(sizeof...(Patterns) > 0)
ReportRegistry report_registry(const Patterns&... patterns) {
    return ReportRegistry({std::string(std::string_view(patterns))...});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report_registry.ipp>
#endif
