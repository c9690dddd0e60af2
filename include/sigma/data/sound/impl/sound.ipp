// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/sound/sound.hpp>

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

namespace sigma::data {

namespace detail {

/// Bytes in memory as a file of libsndfile.
struct SoundBytes {
    std::span<const std::byte> bytes;
    sf_count_t at = 0;

    static SoundBytes& of(void* self) { return *static_cast<SoundBytes*>(self); }
    static sf_count_t length(void* self) { return std::ssize(of(self).bytes); }
    static sf_count_t seek(sf_count_t offset, int from, void* self) {
        SoundBytes& s = of(self);
        const sf_count_t end = length(self), base = from == SEEK_SET ? 0 : from == SEEK_CUR ? s.at : end;
        if (offset < -base || offset > end - base) return -1;
        return s.at = base + offset;
    }
    static sf_count_t read(void* to, sf_count_t count, void* self) {
        SoundBytes& s = of(self);
        count = std::clamp<sf_count_t>(count, 0, length(self) - s.at);
        if (count > 0) std::memcpy(to, s.bytes.data() + s.at, static_cast<std::size_t>(count));
        s.at += count;
        return count;
    }
    static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
    static sf_count_t tell(void* self) { return of(self).at; }
};

/// Returns how many bytes a WAV file lacks. libsndfile reads those that are there. A stream has sizes near 2³².
SIGMA_IMPL std::size_t missing_of_wav(std::span<const std::byte> bytes) {
    const auto is = [&](std::size_t at, std::string_view id) {
        return std::memcmp(bytes.data() + at, id.data(), 4) == 0;
    };
    if (bytes.size() < 12 || !is(0, "RIFF") || !is(8, "WAVE")) return 0;
    for (std::size_t at = 12; at <= bytes.size() - 8;) {
        std::size_t length = 0;
        for (std::size_t i = 4; i > 0; --i) length = length * 256 + std::to_integer<std::size_t>(bytes[at + 3 + i]);
        const bool data = is(at, "data");
        at += 8;
        if (data) return length < 0xFFFFFF00 && length > bytes.size() - at ? length - (bytes.size() - at) : 0;
        if (length > bytes.size() - at) return 0;
        at += length + length % 2;
    }
    return 0;
}

}  // namespace detail

SIGMA_IMPL Sound decode_sound(std::span<const std::byte> bytes, std::size_t max_samples, const std::string& name) {
    using detail::SoundBytes;
    SoundBytes memory{bytes};
    SF_VIRTUAL_IO functions{SoundBytes::length, SoundBytes::seek, SoundBytes::read, SoundBytes::write,
                            SoundBytes::tell};
    SF_INFO info{};
    const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(sf_open_virtual(&functions, SFM_READ, &info, &memory),
                                                           sf_close);
    if (!file) throw DataError(name, "", "a sound that libsndfile can read", sf_strerror(nullptr));
    const auto channels = static_cast<std::size_t>(std::max(1, info.channels));
    const auto refuse = [&](const std::string& expected, const std::string& found) {
        throw DataError(name, "", expected, found);
    };
    if (const std::size_t missing = detail::missing_of_wav(bytes))
        refuse(sentence(bytes.size() + missing, " bytes"), sentence(bytes.size()));
    Sound sound{static_cast<std::size_t>(info.samplerate), channels};
    // The header may promise any number: memory grows with what is there.
    std::vector<float> part(channels * 16384);
    for (;;) {
        const auto frames = static_cast<std::size_t>(sf_readf_float(file.get(), part.data(), 16384));
        if (frames == 0) break;
        if (sound.samples.size() + frames * channels > max_samples)
            refuse(sentence("at most ", max_samples, " samples"), "more");
        sound.samples.insert(sound.samples.end(), part.begin(),
                             part.begin() + static_cast<std::ptrdiff_t>(frames * channels));
    }
    if (const int code = sf_error(file.get())) refuse("a sound that can be decoded", sf_error_number(code));
    const std::size_t read = sound.samples.size() / channels;
    if (info.frames > 0 && info.frames < SF_COUNT_MAX && std::cmp_less(read, info.frames))
        refuse(sentence(info.frames, " samples of each channel"), sentence(read));
    for (std::size_t i = 0; i < sound.samples.size(); ++i)
        if (!std::isfinite(sound.samples[i]))
            throw DataError(name, sentence("sample ", i / channels), "a finite number", sentence(sound.samples[i]));
    return sound;
}

SIGMA_IMPL Sound resampled(const Sound& sound, std::size_t sample_rate) {
    for (const std::size_t rate : {sound.sample_rate, sample_rate})
        if (rate < 1 || rate > detail::most_samples_per_second)
            throw ArgumentError("resampled", "rates of 1 to 2^30", sentence(rate));
    if (sound.sample_rate == sample_rate || sound.channels == 0) return sound;
    constexpr double crossings = 6, rolloff = 0.99;
    const std::size_t common = std::gcd(sound.sample_rate, sample_rate), from = sound.sample_rate / common,
                      to = sample_rate / common, count = sound.samples.size() / sound.channels;
    const double cutoff = rolloff * std::min(1.0, static_cast<double>(to) / static_cast<double>(from));
    const auto reach = static_cast<std::ptrdiff_t>(std::ceil(crossings / cutoff));
    Sound result{sample_rate, sound.channels};
    const std::size_t wanted = (count * to + from - 1) / from;
    result.samples.resize(wanted * sound.channels);
    std::vector<double> weights(static_cast<std::size_t>(2 * reach + 1));
    for (std::size_t phase = 0; phase < std::min(to, wanted); ++phase) {  // samples with the same weights
        const double offset = static_cast<double>(phase * from % to) / static_cast<double>(to);
        for (std::ptrdiff_t i = -reach; i <= reach; ++i) {
            const double t = cutoff * (static_cast<double>(i) - offset), angle = std::numbers::pi * t;
            const double window = std::abs(t) < crossings ? std::pow(std::cos(angle / (2 * crossings)), 2) : 0;
            weights[static_cast<std::size_t>(i + reach)] = cutoff * window * (angle == 0 ? 1 : std::sin(angle) / angle);
        }
        for (std::size_t at = phase; at < wanted; at += to) {
            const auto middle = static_cast<std::ptrdiff_t>(at / to * from + phase * from / to);
            const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, middle - reach),
                                 end = std::min(static_cast<std::ptrdiff_t>(count), middle + reach + 1);
            for (std::size_t c = 0; c < sound.channels; ++c) {
                double sum = 0;
                for (std::ptrdiff_t i = first; i < end; ++i)
                    sum += weights[static_cast<std::size_t>(i - middle + reach)] *
                           static_cast<double>(sound.samples[static_cast<std::size_t>(i) * sound.channels + c]);
                result.samples[at * sound.channels + c] = static_cast<float>(sum);
            }
        }
    }
    return result;
}

}  // namespace sigma::data
