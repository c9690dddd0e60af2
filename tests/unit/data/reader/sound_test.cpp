// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/sound.hpp>
#include <sigma/data/source/source.hpp>

#include "../support.hpp"
#include "class_files_support.hpp"

#include <sndfile.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::data;
namespace fs = std::filesystem;

namespace {

std::string little(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 255));
    return text;
}
/// A WAV file of 16-bit samples. `promised` is the length in its header; -1: that of the samples.
std::string wav(const std::vector<int>& samples, std::uint32_t rate = 8000, std::uint32_t channels = 1,
                long long promised = -1) {
    std::string data;
    for (const int sample : samples) data += little(static_cast<std::uint32_t>(sample), 2);
    const auto length = static_cast<std::uint32_t>(promised < 0 ? std::ssize(data) : promised);
    return sentence("RIFF", little(36 + length, 4), "WAVEfmt ", little(16, 4), little(1, 2), little(channels, 2),
                    little(rate, 4), little(rate * channels * 2, 4), little(channels * 2, 2), little(16, 2), "data",
                    little(length, 4)) +
           data;
}
/// A file that libsndfile writes.
void write_with(const std::string& path, int format, const std::vector<float>& samples, int channels) {
    SF_INFO info{};
    info.samplerate = 44100, info.channels = channels, info.format = format;
    SNDFILE* const file = sf_open(path.c_str(), SFM_WRITE, &info);
    REQUIRE(file != nullptr);
    CHECK(sf_write_float(file, samples.data(), std::ssize(samples)) == std::ssize(samples));
    sf_close(file);
}
Sound decoded(const std::string& bytes, std::size_t most = 1000) {
    return decode_sound(std::as_bytes(std::span(bytes)), most);
}
std::string refusal_of(const std::string& bytes, std::size_t most = 1000) {
    return error_text([&] { decoded(bytes, most); });
}

}  // namespace

TEST_CASE("WAV files of one and two channels are decoded") {
    const Sound mono = decoded(wav({0, 16384, -32768, 1}));
    CHECK(mono.sample_rate == 8000);
    CHECK(mono.channels == 1);
    CHECK(mono.samples == std::vector<float>{0, 0.5f, -1, 1 / 32768.0f});
    const Sound stereo = decoded(wav({1, 2, 3, 4}, 44100, 2));
    CHECK(stereo.sample_rate == 44100);
    CHECK(stereo.channels == 2);
    CHECK(stereo.samples == std::vector<float>{1 / 32768.0f, 2 / 32768.0f, 3 / 32768.0f, 4 / 32768.0f});
    CHECK(decoded(wav({})).samples.empty());
    CHECK(decoded(wav({7, 8}, 8000, 1, 0xFFFFFFFF)).samples.size() == 2);  // of a stream, whose length is not known
    std::vector<int> many(100'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(i % 30000);
    const Sound larger = decoded(wav(many), 100'000);  // more than one part
    REQUIRE(larger.samples.size() == many.size());
    CHECK(larger.samples[99'999] == static_cast<float>(many[99'999]) / 32768);
}
TEST_CASE("FLAC, AIFF and floats are decoded") {
    const Scratch scratch;
    const std::vector<float> samples{0, 0.25f, -0.5f, 0.125f, 0.75f, -1};
    const auto check = [&](const std::string& name, int format, int channels) {
        const std::string path = (scratch.path / name).string();
        write_with(path, format, samples, channels);
        const Sound sound = decode_sound(read_all(file(path)));
        CHECK(sound.sample_rate == 44100);
        CHECK(sound.channels == static_cast<std::size_t>(channels));
        REQUIRE(sound.samples.size() == samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i)  // libsndfile writes x·32767 as an integer
            CHECK(std::abs(sound.samples[i] - samples[i]) < 1e-4f);
    };
    check("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2);
    check("a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 1);
    check("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 3);
}
TEST_CASE("Bytes that are no whole sound are refused") {
    CHECK(refusal_of("") == "file 'sound': expected a sound that libsndfile can read, found Format not recognised.");
    CHECK(refusal_of("RIFFxxxxWAVEjunk").find("expected a sound that libsndfile can read") != std::string::npos);
    CHECK(refusal_of(wav({1, 2, 3}, 8000, 1, 10)) == "file 'sound': expected 54 bytes, found 50");
    CHECK(refusal_of(wav({1, 2, 3}), 2) == "file 'sound': expected at most 2 samples, found more");
    const Scratch scratch;
    const std::string path = (scratch.path / "a.flac").string();
    std::vector<float> noise(20'000);
    Philox(1, RandomUse::user, 0).fill_normal(std::span<float>(noise), 0.0f, 0.1f);
    write_with(path, SF_FORMAT_FLAC | SF_FORMAT_PCM_16, noise, 1);
    const std::string complete = read_text(file(path), std::size_t{1} << 20);
    for (const std::size_t length : {complete.size() / 2, complete.size() - 10})
        CHECK_THROWS_AS(decoded(complete.substr(0, length), 100'000), DataError);
    write_with(path, SF_FORMAT_WAV | SF_FORMAT_FLOAT, {0, 1, std::numeric_limits<float>::infinity(), 0}, 2);
    CHECK(error_text([&] { decode_sound(read_all(file(path))); }) ==
          "file 'sound', sample 1: expected a finite number, found inf");
}
TEST_CASE("A directory of sounds is a data set") {
    const Scratch scratch;
    fs::create_directories(scratch.path / "yes");
    fs::create_directories(scratch.path / "no");
    scratch.write("yes/b.wav", wav({1 << 13, 1 << 14}));
    scratch.write("no/c.wav", wav({0, 1 << 14, 1 << 13, 1 << 13, -1 << 14, 1 << 14}, 8000, 2));
    scratch.write("no/d.wav", wav({1 << 12, 1 << 13, 1 << 14}));
    const std::string directory = scratch.path.string();
    // [sounds]
    const auto words = sounds<3>(directory, {.sample_rate = 8000, .pad = true});  // of no/c.wav, no/d.wav, yes/b.wav
    const auto first = sounds(directory, {.pad = true, .cut = true});  // 3 samples and 8000 Hz, as the first sound
    const auto list = sounds<3>(ClassFiles{"mine", {{directory + "/no/d.wav", 1}}, {"quiet", "loud"}});
    // [sounds]
    static_assert(std::is_same_v<decltype(words)::Schema, Schema<SectionField<"inputs", Role::input, Extents<3>>,
                                                                 SectionField<"targets", Role::target, Extents<>>>>);
    CHECK(words.reader->sections() == std::vector<SectionInfo>{{"inputs", {3}, false}, {"targets", {}, true}});
    CHECK(words.reader->classes() == std::vector<std::string>{"no", "yes"});
    CHECK(words.reader->size() == 3);
    for (const std::size_t most : std::vector<std::size_t>{1, 2, 10}) {
        const Block all = all_of(words, most);
        CHECK(all.values[0].floats() == std::vector<float>{0.25f, 0.25f, 0, 0.125f, 0.25f, 0.5f, 0.25f, 0.5f, 0});
        CHECK(all.values[1].floats() == std::vector<float>{0, 0, 1});
    }
    CHECK(first.reader->sections()[0].shape == std::vector<std::size_t>{3});
    CHECK(all_of(first).values == all_of(words).values);
    CHECK(all_of(sounds<1>(directory, {.cut = true})).values[0].floats() == std::vector<float>{0.25f, 0.125f, 0.25f});
    CHECK(all_of(list).values[1].floats() == std::vector<float>{1});
    CHECK((words >> dataset("words")).size() == 3);
    const auto faster = sounds(directory, {.sample_rate = 16000, .resample = true, .pad = true});
    CHECK(faster.reader->sections()[0].shape == std::vector<std::size_t>{6});
    const Sound one = resampled(decoded(wav({1 << 13, 1 << 14})), 16000);
    const std::vector<float> all = all_of(faster).values[0].floats();
    CHECK(std::vector<float>(all.end() - 6, all.end() - 2) == one.samples);
    CHECK(sounds<3>(directory, {.pad = true}).reader->key() != sounds<3>(directory, {.cut = true}).reader->key());
    CHECK(sounds<3>(directory).reader->key() != sounds<4>(directory).reader->key());
}
TEST_CASE("A sound becomes the record that a data set has of it") {
    const Sound stereo{8000, 2, {0.5f, 0.25f, -1, 0, 0.125f, 0.125f}};
    CHECK(record_of(stereo) == std::vector<float>{0.375f, -0.5f, 0.125f});
    CHECK(record_of(stereo, {.samples = 4, .pad = true}) == std::vector<float>{0.375f, -0.5f, 0.125f, 0});
    CHECK(record_of(stereo, {.samples = 2, .sample_rate = 8000, .cut = true}) == std::vector<float>{0.375f, -0.5f});
    CHECK(error_text([&] { record_of(stereo, {.sample_rate = 16000}, "word"); }) ==
          "file 'word': expected 16000 samples per second (or .resample = true), found 8000");
    CHECK(error_text([&] { record_of(Sound{8000, 1, {}}, {.samples = 4, .pad = true}); }) ==
          "file 'sound': expected at least one sample, found 0");
}
TEST_CASE("The last samples of a microphone are a record") {
    std::vector<std::int16_t> heard{9, 9, 9, 9}, arrived{16384, -32768};
    // [microphone]
    // heard: the last second. arrived: the samples since the last prediction, at most a second.
    std::copy(heard.begin() + std::ssize(arrived), heard.end(), heard.begin());
    std::copy(arrived.begin(), arrived.end(), heard.end() - std::ssize(arrived));
    std::vector<float> record(heard.begin(), heard.end());
    for (float& sample : record) sample /= 32768;
    // [microphone]
    CHECK(record == std::vector<float>{9 / 32768.0f, 9 / 32768.0f, 0.5f, -1});
}
TEST_CASE("Sounds of another length or rate are refused, or left out") {
    const Scratch scratch;
    fs::create_directories(scratch.path / "a");
    scratch.write("a/1.wav", wav({1, 2}));
    scratch.write("a/2.wav", wav({1, 2, 3}));
    scratch.write("a/3.wav", wav({1, 2, 3}, 16000));
    scratch.write("a/4.wav", wav({1, 2, 3, 4}));
    scratch.write("a/5.txt", std::string("no sound"));
    const std::string directory = scratch.path.string();
    const auto refused = [&](std::size_t i, SoundOptions options) {
        ClassFiles one = sound_files(directory);
        one.files = {one.files[i]};
        return data_error([&] { all_of(sounds<3>(one, std::move(options))); });
    };
    CHECK(refused(0, {}).expected == "3 samples (or .pad = true)");
    CHECK(refused(0, {}).found == "2");
    CHECK(refused(3, {}).expected == "3 samples (or .cut = true)");
    CHECK(refused(2, {.sample_rate = 8000}).expected == "8000 samples per second (or .resample = true)");
    CHECK(refused(2, {.sample_rate = 8000}).found == "16000");
    std::vector<std::string> left_out;
    const auto rest = sounds<3>(directory, {.unreadable = [&](const DataError& e) { left_out.push_back(e.what()); }});
    CHECK(all_of(rest).records == 1);
    CHECK(left_out.size() == 4);
    CHECK_FALSE(rest.reader->size().has_value());
    CHECK(error_text([&] { sounds(ClassFiles{"none", {}}); }) ==
          "file 'none': expected at least one sound, found none");
}

TEST_CASE("Resampled sounds have the numbers of torchaudio") {
    // torchaudio.functional.resample of version 0.13.1; samples 0, 1, 5, the middle and the last
    struct Case {
        std::size_t from, to, count;
        std::vector<double> wanted;
    };
    Sound sound{0, 2};
    for (int i = 0; i < 40; ++i)
        for (const float factor : {1.0F, -0.5F})
            sound.samples.push_back(factor * static_cast<float>(std::sin(0.09 * i * i + 0.3 * i)));
    for (const Case& c : {Case{8000, 16000, 80, {0.000737, 0.14762, 0.963967, -0.902072, -0.473158}},
                          Case{16000, 8000, 20, {-0.003131, 0.918454, -0.205521, 0.119242, -0.091388}},
                          Case{44100, 16000, 15, {0.172492, 0.740021, 0.024445, 0.013152, -0.187449}},
                          Case{8000, 11025, 56, {0.000737, 0.246413, 0.761552, -0.53161, -0.074194}},
                          Case{3, 7, 94, {0.000737, 0.119811, 0.868669, -0.796637, -0.118516}}}) {
        sound.sample_rate = c.from;
        const Sound found = resampled(sound, c.to);
        CAPTURE(c.from, c.to);
        CHECK(found.sample_rate == c.to);
        REQUIRE(found.samples.size() == 2 * c.count);
        const std::size_t places[] = {0, 1, 5, c.count / 2, c.count - 1};
        for (std::size_t i = 0; i < 5; ++i) {
            CHECK(found.samples[2 * places[i]] == Approx(c.wanted[i]).margin(2e-6));
            CHECK(found.samples[2 * places[i] + 1] == Approx(-0.5 * c.wanted[i]).margin(2e-6));
        }
    }
    sound.sample_rate = 8000;
    CHECK(resampled(sound, 8000).samples == sound.samples);
    CHECK(resampled({8000, 1, {}}, 16000).samples.empty());
    CHECK_THROWS_AS(resampled(sound, 0), ArgumentError);
    const auto record = record_of(sound, {.samples = 90, .sample_rate = 16000, .resample = true, .pad = true});
    CHECK(record[5] == Approx(0.25 * 0.963967).margin(2e-6));
    CHECK(record[80] == 0);
    const auto entire = record_of(sound, {.sample_rate = 11025, .resample = true});
    for (const std::size_t first : std::vector<std::size_t>{1, 7, 40, 55}) {
        const auto cut = record_of(sound, {.samples = first, .sample_rate = 11025, .resample = true, .cut = true});
        CHECK(cut == std::vector<float>(entire.begin(), entire.begin() + static_cast<std::ptrdiff_t>(first)));
    }
    const SoundOptions few{.sample_rate = 16000, .resample = true, .max_samples = 1000};
    CHECK(error_text([&] { record_of(Sound{1, 1, {0, 1}}, few, "slow"); }) ==
          "file 'slow': expected at most 1000 samples at 16000 per second, found 32000");
    CHECK(error_text([&] { record_of(Sound{0, 1, {0, 1}}, few, "still"); }) ==
          "file 'still': expected 1 to 1073741824 samples per second, found 0");
}
