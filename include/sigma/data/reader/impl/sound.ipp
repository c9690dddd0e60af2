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

SIGMA_IMPL std::vector<float> record_of(const Sound& sound, const SoundOptions& options, const std::string& name) {
    const std::size_t channels = sound.channels, given = channels > 0 ? sound.samples.size() / channels : 0;
    const auto refuse = [&](const std::string& expected, std::size_t found) {
        throw DataError(name, "", expected, sentence(found));
    };
    if (given == 0) refuse("at least one sample", 0);
    const std::size_t from = sound.sample_rate, to = options.sample_rate > 0 ? options.sample_rate : from;
    if (from != to && !options.resample) refuse(sentence(to, " samples per second (or .resample = true)"), from);
    if (from != to && (from < 1 || from > detail::most_samples_per_second))
        refuse(sentence("1 to ", detail::most_samples_per_second, " samples per second"), from);
    const std::size_t count = from == to ? given : (given * to + from - 1) / from;
    if (from != to && count > options.max_samples)
        refuse(sentence("at most ", options.max_samples, " samples at ", to, " per second"), count);
    const std::size_t wanted = options.samples > 0 ? options.samples : count;
    if (count < wanted && !options.pad) refuse(sentence(wanted, " samples (or .pad = true)"), count);
    if (count > wanted && !options.cut) refuse(sentence(wanted, " samples (or .cut = true)"), count);
    // Of a sound that is cut, only what the first samples depend on is converted.
    const std::size_t used = from == to ? wanted : wanted * from / to + 8 * (from / to + 2);
    Sound mono{from, 1, std::vector<float>(std::min(given, used))};
    for (std::size_t i = 0; i < mono.samples.size(); ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < channels; ++c) sum += sound.samples[i * channels + c];
        mono.samples[i] = sum / static_cast<float>(channels);
    }
    std::vector<float> record = from == to ? std::move(mono.samples) : std::move(resampled(mono, to).samples);
    record.resize(wanted);
    return record;
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
                                 options_.resample ? "resample" : "", ";", options_.max_samples));
    }

private:
    bool knows_extents() const override { return options_.samples > 0 && options_.sample_rate > 0; }
    std::vector<std::size_t> extents() const override { return {options_.samples}; }
    void look_at(std::span<const std::byte> bytes, const std::string& path) override {
        const Sound first = decode_sound(bytes, options_.max_samples, path);
        const std::size_t samples =
            record_of(first, {.sample_rate = options_.sample_rate, .resample = options_.resample}, path).size();
        if (options_.samples == 0) options_.samples = samples;
        if (options_.sample_rate == 0) options_.sample_rate = first.sample_rate;
    }
    void decode(std::span<const std::byte> bytes, const std::string& path, std::span<float> to) const override {
        std::ranges::copy(record_of(decode_sound(bytes, options_.max_samples, path), options_, path), to.begin());
    }

    SoundOptions options_;
    std::string wanted_;  // the requested length and sample rate
};

SIGMA_IMPL std::shared_ptr<RecordReader> sound_reader(ClassFiles files, SoundOptions options) {
    return std::make_shared<SoundReader>(std::move(files), std::move(options));
}

}  // namespace detail

}  // namespace sigma::data
