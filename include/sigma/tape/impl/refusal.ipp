// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/tape/print.hpp>
#include <sigma/tape/refusal.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string given_text(const Given& g) {
    switch (g.kind) {
        case Given::Kind::number: return sentence(g.value[0]);
        case Given::Kind::real: return sentence(g.real);
        case Given::Kind::shape: {
            if (!g.label->numbers) return to_text(g.value);
            std::string text;
            for (int i = 0; i < g.value.rank; ++i) text += sentence(i == 0 ? "(" : ", ", g.value[i]);
            return text + ")";
        }
        default: return sentence("'", g.text.view(), "'");
    }
}

SIGMA_IMPL void throw_mistake(const Refusal& refusal, const Text& place) {
    std::string text = place.size > 0 ? sentence("layer '", place.view(), "': ") : std::string();
    text += refusal.fault->sentence;
    for (int i = 0; i < refusal.given_count(); ++i)
        text += sentence("; ", refusal.given[i].label->words, " ", given_text(refusal.given[i]));
    if (refusal.line > 0) text += sentence("; line ", refusal.line);
    throw MistakeError(text);
}

}  // namespace sigma::detail
