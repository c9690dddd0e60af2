// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/block.hpp>

#include <catch2/catch.hpp>

#include <cstddef>

namespace sigma::data {

/// Reads all records of files with classes, `most` at a time.
template <class P>
Block all_of(const P& pipeline, std::size_t most = 2) {
    Block all, part;
    all.values.resize(2);
    pipeline.reader->rewind();
    while (pipeline.reader->read(most, part) > 0) {
        CHECK(part.values[0].floats().size() == part.records * pipeline.reader->sections()[0].size());
        all.records += part.records;
        for (std::size_t s = 0; s < 2; ++s)
            all.values[s].floats().insert(all.values[s].floats().end(), part.values[s].floats().begin(),
                                          part.values[s].floats().end());
    }
    return all;
}

}  // namespace sigma::data
