// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/dataset.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace sigma::test {

inline float first_input(std::size_t record) { return static_cast<float>(record % 17) / 17.0f; }

/// Record r has the inputs (r % 17 / 17, -r / 100) and the target r.
inline Dataset counted_dataset(std::size_t records) {
    Numbers x{{records, 2}, {}}, y{{records, 1}, {}};
    for (std::size_t r = 0; r < records; ++r) {
        x.values.insert(x.values.end(), {first_input(r), -static_cast<float>(r) / 100});
        y.values.push_back(static_cast<float>(r));
    }
    return {std::move(x), std::move(y), "counted"};
}

/// The same in blocks, with a count of how often each was loaded; loading may be slow, and one block may be damaged.
class CountedBlocks : public data::Blocks {
public:
    CountedBlocks(std::size_t records, std::size_t block_records)
        : loads((records + block_records - 1) / block_records), records_(records), block_records_(block_records) {}

    mutable std::vector<std::atomic<int>> loads;
    std::atomic<int> damaged{-1};
    std::chrono::microseconds delay{0};

    const std::vector<data::SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    void load(std::size_t number, data::Block& to) const override {
        if (delay.count() > 0) std::this_thread::sleep_for(delay);
        ++loads[number];
        if (damaged == static_cast<int>(number))
            throw DataError("counted.bin", sentence("block ", number), "records", "damage");
        const std::size_t first = number * block_records_;
        to.records = std::min(block_records_, records_ - first);
        to.values.resize(2);
        to.values[0].floats().clear();
        to.values[1].floats().clear();
        for (std::size_t r = first; r < first + to.records; ++r) {
            to.values[0].floats().insert(to.values[0].floats().end(), {first_input(r), -static_cast<float>(r) / 100});
            to.values[1].floats().push_back(static_cast<float>(r));
        }
    }
    std::string key() const override { return sentence("counted ", records_, " ", block_records_); }
    /// Each block so many times?
    bool all_loaded(int times) const {
        for (const auto& n : loads)
            if (n != times) return false;
        return true;
    }

private:
    std::size_t records_, block_records_;
    std::vector<data::SectionInfo> sections_{{"inputs", {2}, false}, {"targets", {1}, true}};
};

inline Dataset block_dataset(std::shared_ptr<const CountedBlocks> blocks, std::size_t active) {
    return Dataset(
        std::make_shared<data::ActiveBlocks>(std::move(blocks), "counted", data::BlockLimits{.blocks = active}));
}

}  // namespace sigma::test
