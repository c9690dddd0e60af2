// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/not_included.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>

template <class W>
struct sigma::detail::Included<sigma::data::include_sigma_data_tiny_shakespeare_hpp, W> {};

namespace sigma::data {

/// The first 99,844 characters of tiny_shakespeare(), which come with the library.
std::string tiny_shakespeare_beginning();

/// Scenes of Shakespeare, as collected by A. Karpathy (char-rnn, 2015): 1,115,394 characters. From `directory` if
/// given, else as published() says. Where they are nowhere and cannot be downloaded, tiny_shakespeare_beginning() takes
/// their place, and a line on stderr says why.
///   const Source text = memory(tiny_shakespeare());
///   const Vocabulary vocabulary(text);
///   const auto sequences = characters<64>(text, vocabulary) >> dataset("shakespeare");
std::string tiny_shakespeare(const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/tiny_shakespeare.ipp>
#endif
