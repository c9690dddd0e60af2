// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/reader.hpp>

#include <memory>

namespace sigma::data {

/// A reader of one array under another name.
class RenamedReader final : public RecordReader {
public:
    RenamedReader(std::shared_ptr<RecordReader> reader, std::string section, bool target);

    std::string name() const override { return reader_->name(); }
    const std::vector<SectionInfo>& sections() override;
    std::optional<std::size_t> size() override { return reader_->size(); }
    std::size_t read(std::size_t most, Block& to) override { return reader_->read(most, to); }
    void rewind() override { reader_->rewind(); }
    std::string key() const override { return reader_->key(); }
    std::vector<std::string> classes() const override { return reader_->classes(); }

private:
    std::shared_ptr<RecordReader> reader_;
    std::string section_;
    bool target_;
    std::vector<SectionInfo> sections_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/renamed.ipp>
#endif
