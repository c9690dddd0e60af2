// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/blocks/transformed.hpp>
#include <sigma/data/transform/transform.hpp>
#include <sigma/storage/hash.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL std::string key_of(const Preprocessing& preprocessing) {
    std::string text;
    for (const Preprocessing::Step& step : preprocessing.steps()) {
        text += sentence("; ", step.section, " >> ", step.transform->kind(), '(');
        for (const TransformValue& value : step.transform->state())
            text +=
                sentence(value.name, ' ', value.values.size(), ' ',
                         sigma::detail::hexadecimal(storage::checksum(std::as_bytes(std::span(value.values)))), ' ');
        text += ')';
    }
    return text;
}

SIGMA_IMPL TransformedBlocks::TransformedBlocks(sigma::detail::SharedOwner<const Blocks> blocks,
                                                Preprocessing preprocessing)
    : blocks_(std::move(blocks)), preprocessing_(std::move(preprocessing)),
      sections_(preprocessing_.sections(blocks_->sections())) {}

SIGMA_IMPL void TransformedBlocks::load(std::size_t number, Block& to) const {
    blocks_->load(number, to);
    preprocessing_.apply(to, blocks_->sections());
}

}  // namespace sigma::data
