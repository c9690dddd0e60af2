// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/blocks/active.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transform.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Number `feature` of record `record`, and its class: any record can be checked without having seen the others.
inline float generated(std::size_t record, std::size_t feature) {
    return static_cast<float>((record * 7 + feature * 3) % 1000) / 8.0f;
}
inline float generated_label(std::size_t record) { return static_cast<float>(record % 7 % 3); }

/// Records out of nothing, with counts of what was asked of it.
class GeneratingReader final : public sigma::data::RecordReader {
public:
    std::size_t records, features;
    bool knows_size = true;
    std::string version = "1";
    std::vector<std::string> names{};
    std::size_t not_finite = std::numeric_limits<std::size_t>::max();  ///< the record that has a NaN
    std::atomic<std::size_t> records_read{0}, rewinds{0}, opened{0};

    GeneratingReader(std::size_t records_, std::size_t features_)
        : records(records_), features(features_), sections_{{"inputs", {features_}, false}, {"targets", {}, true}} {}

    std::string name() const override { return "generated"; }
    const std::vector<sigma::data::SectionInfo>& sections() override {
        ++opened;
        return sections_;
    }
    std::optional<std::size_t> size() override {
        if (!knows_size) return {};
        return records;
    }
    std::size_t read(std::size_t most, sigma::data::Block& to) override {
        to.records = std::min(most, records - at_);
        to.values.resize(2);
        to.values[0].floats().resize(to.records * features);
        to.values[1].floats().resize(to.records);
        for (std::size_t r = 0; r < to.records; ++r) {
            for (std::size_t f = 0; f < features; ++f) to.values[0].floats()[r * features + f] = generated(at_ + r, f);
            to.values[1].floats()[r] = generated_label(at_ + r);
            if (at_ + r == not_finite) to.values[0].floats()[r * features] = std::numeric_limits<float>::quiet_NaN();
        }
        at_ += to.records;
        records_read += to.records;
        return to.records;
    }
    void rewind() override {
        at_ = 0;
        ++rewinds;
    }
    std::string key() const override { return "generated " + version + " " + std::to_string(features); }
    std::vector<std::string> classes() const override { return names; }

private:
    std::vector<sigma::data::SectionInfo> sections_;
    std::size_t at_ = 0;
};

/// The same without a reader, with counts of loads.
class GeneratedBlocks : public sigma::data::Blocks {
public:
    GeneratedBlocks(std::size_t records, std::size_t block_records, std::size_t features = 2)
        : records_(records), block_records_(block_records), features_(features),
          sections_{{"inputs", {features}, false}, {"targets", {}, true}} {}

    mutable std::atomic<std::size_t> loads{0};
    std::atomic<std::size_t> failing{std::numeric_limits<std::size_t>::max()},
        not_finite{std::numeric_limits<std::size_t>::max()};

    const std::vector<sigma::data::SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override { return "generated blocks"; }
    void load(std::size_t number, sigma::data::Block& to) const override {
        ++loads;
        if (number == failing) throw sigma::DataError("generated", "", "a block", "none");
        const std::size_t first = number * block_records_;
        to.records = std::min(block_records_, records_ - first);
        to.values.resize(2);
        to.values[0].floats().resize(to.records * features_);
        to.values[1].floats().resize(to.records);
        for (std::size_t r = 0; r < to.records; ++r) {
            for (std::size_t f = 0; f < features_; ++f)
                to.values[0].floats()[r * features_ + f] = generated(first + r, f);
            to.values[1].floats()[r] = generated_label(first + r);
            if (first + r == not_finite) to.values[1].floats()[r] = std::numeric_limits<float>::infinity();
        }
    }

private:
    std::size_t records_, block_records_, features_;
    std::vector<sigma::data::SectionInfo> sections_;
};

/// Divides by the largest number, which it learns; by a number that is given.
class ScaleBy final : public sigma::data::Transform {
public:
    explicit ScaleBy(double by = 0) : by_(by) {}

    class Fitted final : public sigma::data::FittedTransform {
    public:
        explicit Fitted(double by) : by_(by) {}
        std::string kind() const override { return "scale"; }
        std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override { return before; }
        void apply(sigma::NumberList& values, std::size_t, const std::vector<std::size_t>&) const override {
            for (float& value : values.floats()) value = static_cast<float>(value / by_);
        }
        std::vector<sigma::data::TransformValue> state() const override { return {{"by", {by_}}}; }

    private:
        double by_;
    };
    struct Fit final : sigma::data::TransformFit {
        double most = 0;
        void observe(const sigma::NumberList& values, std::size_t) override {
            for (const float value : values.floats()) most = std::max<double>(most, value);
        }
        sigma::data::FittedPointer finish() override { return std::make_shared<Fitted>(most); }
    };

    std::string text() const override { return "scale"; }
    sigma::detail::Owned<sigma::data::TransformFit> fit(const sigma::data::SectionInfo&) const override {
        if (by_ != 0) return nullptr;
        return std::make_unique<Fit>();
    }
    sigma::data::FittedPointer fixed(const sigma::data::SectionInfo&) const override {
        return std::make_shared<Fitted>(by_);
    }

private:
    double by_;
};
