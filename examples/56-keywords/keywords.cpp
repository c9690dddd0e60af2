// SPDX-License-Identifier: BSL-1.0
// Recognizes spoken words. `keywords DIRECTORY` reads your words: sounds of 8000 samples per second, of which the first
// second counts, in a subdirectory for each of up to ten words. Without it, the program first writes four words as such
// a directory, each by 40 made-up voices: vowels and hisses, made by the resonances of a throat (Klatt 1980). The
// network takes the samples. At least 90 % of the test words are recognized.
#include <sigma/data/data.hpp>
#include <sigma/data/reader/sound.hpp>
#include <sigma/layer/spectrogram.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

using namespace sigma;

// [network]
constexpr int rate = 8000, samples = rate;  // one second

/// Frames of 32 ms, 16 ms apart, in 24 bands; then features of five frames, anywhere in the second.
struct Keywords
    : Network<Input(samples) + MelSpectrogram(24, {.sample_rate = rate, .frame = 256, .hop = 128}) + BatchNorm() +
              Conv1D(24, 5, relu) + MaxPool(2) + Conv1D(32, 5, relu) + GlobalMaxPool() + Dense(10) + SoftmaxCE()> {};
// [network]

namespace {

/// A part of a word: the first two resonances of a vowel in Hz, or a hiss around the first.
struct Part {
    double first, second;
    bool hisses = false;
};
struct Word {
    std::string name;
    std::vector<Part> parts;
};
const std::vector<Word> words{{"aya", {{750, 1200}, {300, 2300}, {750, 1200}}},
                              {"owo", {{450, 900}, {300, 750}, {450, 900}}},
                              {"sea", {{3300, 0, true}, {280, 2250}, {750, 1200}}},
                              {"ash", {{750, 1200}, {700, 1250}, {2400, 0, true}}}};

/// A new voice says one word, with noise around it.
std::vector<float> say(const Word& word, PhiloxSequence& random) {
    const auto between = [&](double low, double high) { return low + (high - low) * random.uniform<double>(); };
    const double pitch = between(90, 230), size = between(0.85, 1.15), level = between(0.1, 0.5);
    const auto length = static_cast<std::size_t>(between(0.5, 0.8) * rate);
    const auto start = static_cast<std::size_t>(between(0, static_cast<double>(samples - length)));
    std::vector<float> sound(samples);
    double phase = 0, before[2]{}, earlier[2]{};
    for (std::size_t i = 0; i < length; ++i) {
        const double at = static_cast<double>(i) / static_cast<double>(length) * static_cast<double>(word.parts.size());
        const Part& part = word.parts[static_cast<std::size_t>(at)];
        phase += pitch * (1 - 0.1 * at) / rate;
        const double pulse = part.hisses ? random.uniform<double>() - 0.5 : std::fmod(phase, 1) < pitch / rate;
        double sum = 0;
        for (int r = 0; r < 2; ++r) {  // a resonance of 100 Hz, or of 600 Hz for a hiss
            const double frequency = size * (r == 0 ? part.first : part.second);
            if (frequency == 0) continue;
            const double radius = std::exp(-std::numbers::pi * (part.hisses ? 600 : 100) / rate);
            const double now = pulse + 2 * radius * std::cos(2 * std::numbers::pi * frequency / rate) * before[r] -
                               radius * radius * earlier[r];
            earlier[r] = before[r], before[r] = now;
            sum += now;
        }
        const double fade = std::sin(std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
        sound[start + i] = static_cast<float>(0.1 * level * fade * sum);
    }
    for (float& sample : sound) sample += 0.01f * (random.uniform<float>() - 0.5f);
    return sound;
}
void write_wav(const std::filesystem::path& path, const std::vector<float>& samples) {
    std::ofstream file(path, std::ios::binary);
    const auto number = [&](std::size_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(value >> (8 * i) & 255));
    };
    file << "RIFF", number(36 + 2 * samples.size(), 4), file << "WAVEfmt ", number(16, 4), number(1, 2), number(1, 2);
    number(rate, 4), number(2 * rate, 4), number(2, 2), number(16, 2), file << "data", number(2 * samples.size(), 4);
    for (const float sample : samples)
        number(static_cast<std::uint16_t>(std::lround(32767 * std::clamp(sample, -1.0f, 1.0f))), 2);
}
void write_words(const std::filesystem::path& directory, int voices, std::uint64_t seed) {
    PhiloxSequence random(Philox(seed, RandomUse::user, 0));
    for (const Word& word : words) {
        std::filesystem::create_directories(directory / word.name);
        for (int i = 0; i < voices; ++i)
            write_wav(directory / word.name / (std::to_string(i) + ".wav"), say(word, random));
    }
}

int run(const std::string& directory) {
    // [data]
    const data::SoundOptions options{.samples = samples, .sample_rate = rate, .pad = true, .cut = true};
    const auto recorded = data::sounds<samples>(directory, options) >> data::dataset("keywords");
    const auto [training, testing] = stratified_split(shuffled(recorded, 1), 0.75, 0.25);
    // [data]
    std::printf("%zu sounds of %zu words\n", recorded.size(), recorded.classes().size());

    // [train]
    Trainer trainer("keywords", Keywords{}, Adam{.learning_rate = 0.003}, minibatches(training, 12));
    trainer.add(every(3, epoch).then(score(testing), report(error, accuracy)));
    trainer.run(cpu(), 12);
    // [train]
    const double accuracy = trainer.evaluate(testing).accuracy;
    std::printf("recognized %.1f %% of the test words\n", 100 * accuracy);

    const std::string path = data::sound_files(directory).files.front().path;
    // [predict]
    const data::Sound sound = data::decode_sound(data::read_all(data::file(path)));
    const Classified word = trainer.model().classify(data::record_of(sound, options));
    std::printf("%s: %s\n", path.c_str(), word.name(0).c_str());
    // [predict]
    return accuracy >= 0.9 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        if (count > 1) return run(arguments[1]);
        const auto directory = std::filesystem::temp_directory_path() / "sigma-example-56";
        std::filesystem::remove_all(directory);
        write_words(directory, 40, 1);
        const int result = run(directory.string());
        std::filesystem::remove_all(directory);
        return result;
    });
}
