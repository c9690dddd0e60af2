// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/file.hpp>
#include <sigma/data/text.hpp>

#include <string>
#include <vector>

namespace sigma::data {

/// Scenes of Shakespeare, as collected by A. Karpathy (char-rnn, 2015): the 1,115,394 characters of input.txt in
/// `directory`, or else in tinyshakespeare/ of the directory that the environment variable SIGMA_DATA names. Without either,
/// the first 99,844 characters, which come with this library.
///   auto [dataset, vocabulary] = data::text_sequences(data::tiny_shakespeare(), 64);
inline std::string tiny_shakespeare(const std::string& directory = "") {
    auto directories = search_directories("tinyshakespeare", directory, true);
    const bool full = names_directory(directory);
    if (full && directory.empty()) directories.resize(1);  // another data set may have an input.txt beside it
    return read_text(require_file(directories, full ? "input.txt" : "beginning.txt"));
}

}  // namespace sigma::data
