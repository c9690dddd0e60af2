// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Lists of files with classes: ClassFiles. Included by `<sigma/data/reader/image.hpp>` and
/// `<sigma/data/reader/sound.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/data/reader/reader.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sigma::data {

/// A file and the number of its class.
///
/// @see ClassFiles
struct ClassFile {
    std::string path;       ///< Path of the file.
    std::size_t label = 0;  ///< Class index.
};

/// A list of files with the names of their classes.
///
/// @see image_files, sound_files
struct ClassFiles {
    std::string name;                    ///< Name in errors and of data sets.
    std::vector<ClassFile> files;        ///< The files, in the order of the records.
    std::vector<std::string> classes{};  ///< Names of classes 0, 1, …; may be empty.
};

namespace detail {

/// Lists the files of a directory with one subdirectory for each class. `kind` is "image" or "sound".
ClassFiles class_files(const std::string& directory, const std::vector<std::string>& classes, const std::string& kind);

/// Reads one file after the other: inputs, and targets, which are class indices. A derived class decodes the files.
class ClassFileReader : public RecordReader {
public:
    /// `kind`: "image" or "sound". `unreadable` may be empty: then errors of files are thrown.
    ClassFileReader(ClassFiles files, std::string kind, std::function<void(const DataError&)> unreadable,
                    std::size_t max_bytes);

    std::string name() const override { return files_.name; }
    std::vector<Origin> origins() const override { return {{kind_ + "s", name()}}; }
    const std::vector<SectionInfo>& sections() override;
    std::optional<std::size_t> size() override;
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override { at_ = given_ = 0; }
    std::vector<std::string> classes() const override { return files_.classes; }

protected:
    /// Returns whether the extents of records are known.
    virtual bool knows_extents() const = 0;
    /// Sets the extents that are not known from the first readable file.
    virtual void look_at(std::span<const std::byte> bytes, const std::string& path) = 0;
    virtual std::vector<std::size_t> extents() const = 0;
    virtual void decode(std::span<const std::byte> bytes, const std::string& path, std::span<float> to) const = 0;
    /// Returns a key by the lengths and times of change of the files, not by their contents.
    std::string key_with(const std::string& options) const;

private:
    std::string contents_of(const ClassFile& file) const;
    [[noreturn]] void refuse_all() const;
    void look_at_first();

    ClassFiles files_;
    std::string kind_;
    std::function<void(const DataError&)> unreadable_;
    std::size_t max_bytes_;
    std::vector<SectionInfo> sections_{};
    std::size_t at_ = 0, given_ = 0;
};

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/class_files.ipp>
#endif
