// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/tiny_shakespeare.hpp>

#include <cstdio>

namespace sigma::data {

SIGMA_IMPL std::string tiny_shakespeare_beginning() {
    return read_text(file(require_file("tinyshakespeare", "beginning.txt")));
}

SIGMA_IMPL std::string tiny_shakespeare(const std::string& directory) {
    const PublishedFile input{"tinyshakespeare",
                              "input.txt",
                              "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
                              {"https://raw.githubusercontent.com/karpathy/char-rnn/"
                               "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/input.txt"}};
    const Source source = published(input, directory);
    std::string why;
    if (directory.empty() && !is_available(source, why)) {
        std::string part = tiny_shakespeare_beginning();
        terminal::print(stderr, sentence("tiny-shakespeare: ", why, "; so here are its first ", part.size(),
                                         " characters, which come with the library"));
        return part;
    }
    return read_text(unpacked(source));
}

}  // namespace sigma::data
