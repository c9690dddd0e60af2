// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `sounds`: records from directories of WAV, FLAC and other files. Include it yourself and link `sigma::sound`.

#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/reader/class_files.hpp>
#include <sigma/data/sound/sound.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// Lists the sounds of a directory with one subdirectory for each class.
///
/// Sorts classes by name, or by value if all names are numbers, and the files of a class by name. Skips names that
/// begin with a dot, and files next to the subdirectories. Follows symbolic links.
///
/// @param directory  the directory
/// @param classes    names of classes 0, 1, …, such as `training.classes()`; some may have no subdirectory. Empty (the
///                   default): the names of the subdirectories
/// @return the files
/// @throws DataError  if there is no class, a class has no file or contains a directory, or a class is not in `classes`
///
/// @par Example
/// @code
/// const data::ClassFiles files = data::sound_files("words");
/// @endcode
///
/// @see sounds, docs/sound.md
ClassFiles sound_files(const std::string& directory, const std::vector<std::string>& classes = {});

/// Options of `sounds`. `sounds<samples>` sets the number of samples itself.
///
/// @see sounds
struct SoundOptions {
    std::size_t samples = 0;      ///< Samples of each record; 0: those of the first sound.
    std::size_t sample_rate = 0;  ///< Samples per second; 0: those of the first sound. Others are rejected.
    bool resample = false;        ///< Converts sounds of other rates if true (see `resampled`). Else they are rejected.
    bool pad = false;             ///< Continues shorter sounds with zeros if true. Else they are rejected.
    bool cut = false;             ///< Cuts the end of longer sounds off if true. Else they are rejected.
    /// Called with the error of each sound that cannot be decoded or is rejected, which is then left out. Called again
    /// when the sounds are read again. Without this function, reading throws the error.
    std::function<void(const DataError&)> unreadable{};
    std::size_t max_samples = std::size_t{1} << 28;  ///< Largest number of samples of a sound, of all its channels.
    std::size_t max_bytes = std::size_t{1} << 30;    ///< Largest size of a file, in bytes.
};

/// Returns the record that `sounds` makes of a sound, for predictions.
///
/// @param sound    the sound
/// @param options  the options of `sounds`; `samples` or `sample_rate` of 0: those of the sound
/// @param name     name in errors, default "sound"
/// @return one number for each sample: the mean of the channels
/// @throws DataError      if the sound has no samples, or another length or sample rate than the options allow
/// @throws ArgumentError  if `.resample` is true and `.sample_rate` is greater than 2³⁰
///
/// @par Example
/// @code
/// const data::Sound word = data::decode_sound(data::read_all(data::file("yes.wav")));
/// const std::vector<float> record = data::record_of(word, {.samples = 16000, .sample_rate = 16000, .pad = true});
/// @endcode
///
/// @see sounds, decode_sound, resampled
std::vector<float> record_of(const Sound& sound, const SoundOptions& options = {}, const std::string& name = "sound");

namespace detail {

std::shared_ptr<RecordReader> sound_reader(ClassFiles files, SoundOptions options);

template <class E>
using SoundPipeline =
    Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, Extents<>>>>;
}  // namespace detail

/// Reads sounds and their classes as records. The channels of a sound are averaged.
///
/// @par Shape
/// Inputs (samples), from -1 to 1 if the samples of the file are integers. Targets: class indices.
///
/// @tparam samples  samples of a record, at least 1
/// @param files     the files; see sound_files
/// @param options   sample rate, shorter and longer sounds, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if a class index is too large
/// @throws DataError      if there are no files
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto words = data::sounds<16000>(sound_files("words"), {.sample_rate = 16000, .pad = true}) >> dataset("words");
/// @endcode
///
/// @see MelSpectrogram, MFCC, docs/sound.md
template <int samples>
    requires(samples > 0)
auto sounds(ClassFiles files, SoundOptions options = {}) {
    options.samples = samples;
    return detail::SoundPipeline<Extents<samples>>{detail::sound_reader(std::move(files), std::move(options))};
}
/// Reads the sounds of a directory with one subdirectory for each class: `words/no/a.wav`, `words/yes/b.flac`, ….
/// @tparam samples   samples of a record, at least 1
/// @param directory  the directory; see sound_files
/// @param options    sample rate, shorter and longer sounds, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws DataError  if the directory has no classes or files
template <int samples>
    requires(samples > 0)
auto sounds(const std::string& directory, SoundOptions options = {}) {
    return sounds<samples>(sound_files(directory), std::move(options));
}
/// Reads sounds whose length is known at run time: that of the options, or that of the first sound.
/// @param files    the files; see sound_files
/// @param options  samples, sample rate, shorter and longer sounds, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if a class index is too large
/// @throws DataError      if there are no files
inline auto sounds(ClassFiles files, SoundOptions options = {}) {
    return detail::SoundPipeline<UnknownExtents>{detail::sound_reader(std::move(files), std::move(options))};
}
/// Reads the sounds of a directory, whose length is known at run time.
/// @param directory  the directory; see sound_files
/// @param options    samples, sample rate, shorter and longer sounds, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws DataError  if the directory has no classes or files
inline auto sounds(const std::string& directory, SoundOptions options = {}) {
    return sounds(sound_files(directory), std::move(options));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/sound.ipp>
#endif
