// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/sound.hpp>

#include <algorithm>

namespace sigma::data {

SIGMA_IMPL ClassFiles sound_files(const std::string& directory, const std::vector<std::string>& classes) {
    return detail::class_files(directory, classes, "sound");
}

namespace detail {

/// Reads sounds of files: inputs (samples), and targets, class indices. Decodes one sound after the other.
class SoundReader final : public ClassFileReader {
public:
    SoundReader(ClassFiles files, SoundOptions options)
        : ClassFileReader(std::move(files), "sound", options.unreadable, options.max_bytes),
          options_(std::move(options)), wanted_(sentence(options_.samples, ",", options_.sample_rate)) {}

    std::string key() const override {
        return key_with(sentence(wanted_, ";", options_.pad ? "pad" : "", ";", options_.cut ? "cut" : "", ";",
                                 options_.max_samples));
    }

private:
    bool knows_extents() const override { return options_.samples > 0 && options_.sample_rate > 0; }
    std::vector<std::size_t> extents() const override { return {options_.samples}; }
    void look_at(std::span<const std::byte> bytes, const std::string& path) override {
        const Sound first = decode_sound(bytes, options_.max_samples, path);
        if (first.samples.empty()) throw DataError(path, "", "at least one sample", "none");
        if (options_.samples == 0) options_.samples = first.samples.size() / first.channels;
        if (options_.sample_rate == 0) options_.sample_rate = first.sample_rate;
    }
    void decode(std::span<const std::byte> bytes, const std::string& path, std::span<float> to) const override {
        const Sound sound = decode_sound(bytes, options_.max_samples, path);
        if (sound.sample_rate != options_.sample_rate)
            throw DataError(path, "", sentence(options_.sample_rate, " samples per second"),
                            sentence(sound.sample_rate));
        const std::size_t channels = sound.channels, count = sound.samples.size() / channels;
        if (count < to.size() && !options_.pad)
            throw DataError(path, "", sentence(to.size(), " samples (or .pad = true)"), sentence(count));
        if (count > to.size() && !options_.cut)
            throw DataError(path, "", sentence(to.size(), " samples (or .cut = true)"), sentence(count));
        const float share = 1 / static_cast<float>(channels);
        for (std::size_t i = 0; i < to.size(); ++i) {
            float sum = 0;
            for (std::size_t c = 0; i < count && c < channels; ++c) sum += sound.samples[i * channels + c];
            to[i] = channels == 1 ? sum : share * sum;
        }
    }

    SoundOptions options_;
    std::string wanted_;  // the requested length and sample rate
};

SIGMA_IMPL std::shared_ptr<RecordReader> sound_reader(ClassFiles files, SoundOptions options) {
    return std::make_shared<SoundReader>(std::move(files), std::move(options));
}

}  // namespace detail

}  // namespace sigma::data
