// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Decoding and resampling of sounds. Included by `<sigma/data/reader/sound.hpp>`.

#include <sigma/core/error.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sigma::data {

/// A decoded sound.
///
/// @see decode_sound
struct Sound {
    std::size_t sample_rate = 0;   ///< Samples per second.
    std::size_t channels = 0;      ///< Samples at one time: 1 (mono), 2 (stereo), ….
    std::vector<float> samples{};  ///< (time, channels) numbers, row-major, from -1 to 1 for samples that are integers.
};

/// Decodes a sound in WAV, FLAC, AIFF, Ogg or MP3 format, or in another format that the library libsndfile knows.
///
/// @param bytes        the bytes of the file
/// @param max_samples  largest number of samples of all channels together
/// @param name         name in errors, default "sound"
/// @return the sound
/// @throws DataError  if the bytes are no valid sound, end early, have too many samples, or a sample is not finite
///
/// @par Example
/// @code
/// const data::Sound word = data::decode_sound(data::read_all(data::file("yes.wav")));
/// @endcode
///
/// @see sounds, docs/sound.md
Sound decode_sound(std::span<const std::byte> bytes, std::size_t max_samples = std::size_t{1} << 28,
                   const std::string& name = "sound");

/// Converts a sound to another sample rate.
///
/// Each new sample is a sum of samples around its time, weighted by a sinc function with a cutoff at 0.99 of half of
/// the lower rate and a Hann window of six zero crossings on each side. So higher frequencies are attenuated. These are
/// the defaults of `torchaudio.transforms.Resample` (J. O. Smith, "Digital audio resampling",
/// https://ccrma.stanford.edu/~jos/resample/).
///
/// @param sound        the sound
/// @param sample_rate  samples per second of the result, at least 1
/// @return the sound, with as many channels, and samples · new rate / old rate of each, rounded up
/// @throws ArgumentError  if a rate is 0, or greater than 2³⁰
///
/// @par Example
/// @code
/// const data::Sound at_16_khz = data::resampled(data::decode_sound(data::read_all(data::file("yes.wav"))), 16000);
/// @endcode
///
/// @see decode_sound, SoundOptions
Sound resampled(const Sound& sound, std::size_t sample_rate);

namespace detail {
inline constexpr std::size_t most_samples_per_second = std::size_t{1} << 30;
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/sound/impl/sound.ipp>
#endif
