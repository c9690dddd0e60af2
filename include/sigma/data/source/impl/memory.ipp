// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/memory.hpp>

namespace sigma::data {

SIGMA_IMPL Source memory(std::string text, std::string name) {
    return Source(std::make_shared<MemorySource<std::string>>(std::move(text), std::move(name)));
}

SIGMA_IMPL Source memory(std::vector<std::byte> bytes, std::string name) {
    return Source(std::make_shared<MemorySource<std::vector<std::byte>>>(std::move(bytes), std::move(name)));
}

SIGMA_IMPL Source memory(std::span<const std::byte> bytes, std::string name) {
    return memory(std::vector<std::byte>(bytes.begin(), bytes.end()), std::move(name));
}

}  // namespace sigma::data
