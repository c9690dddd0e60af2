// SPDX-License-Identifier: BSL-1.0
// A transformer with an encoder and a decoder (Vaswani et al. 2017) learns to translate dates, such as
// "12 September 1984", "Sep 12, 1984" or "12.9.1984", to "1984-09-12", letter by letter. A beam search then translates
// dates that it has not seen. At least 95 % must be right.
//   54_translate_dates [EPOCHS]     default: 8
#include <sigma/core/philox.hpp>
#include <sigma/core/run_main.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/sigma.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace sigma;

namespace {

constexpr int written_length = 10, source_length = 18, width = 32, tokens = 64;

// [network]
constexpr auto source = Embedding(tokens, width) + LearnedPositions() + TransformerBlock(4, 2 * width);
constexpr auto written = Embedding(tokens, width) + LearnedPositions();
struct Translator : Network<(named("written", Input(written_length)) & named("source", Input(source_length))) +
                            Parallel(written, source) + TransformerBlock(4, 2 * width, {.causal = true}) +
                            Linear(tokens) + SoftmaxCE()> {};
// [network]

constexpr std::array<const char*, 12> months{"January", "February", "March",     "April",   "May",      "June",
                                             "July",    "August",   "September", "October", "November", "December"};

struct Date {
    std::string text, iso;
};
Date draw(PhiloxSequence& random) {
    const auto below = [&](unsigned n) { return static_cast<int>(random.below(n)); };
    const int year = 1900 + below(200), month = 1 + below(12), day = 1 + below(28);
    const std::string name = months[static_cast<std::size_t>(month - 1)], d = std::to_string(day),
                      y = std::to_string(year);
    const std::array<std::string, 4> forms{d + " " + name + " " + y, name + " " + d + ", " + y,
                                           name.substr(0, 3) + " " + d + " " + y,
                                           d + "." + std::to_string(month) + "." + y};
    const auto two = [](int n) { return sentence(n < 10 ? "0" : "", n); };
    return {forms[static_cast<std::size_t>(below(4))], y + "-" + two(month) + "-" + two(day)};
}

/// Numbers of the letters, then of <pad>, which is 0.
std::vector<float> numbers(const data::Vocabulary& letters, std::string_view text, std::size_t length) {
    std::vector<float> ids(length, 0.0f);
    for (std::size_t i = 0; i < text.size(); ++i) ids[i] = static_cast<float>(letters.id(text[i]));
    return ids;
}

}  // namespace

int main(int argc, char** argv) {
    return run_main([&] {
        PhiloxSequence random{Philox(1)};
        std::vector<Date> dates;
        std::string all;
        for (int i = 0; i < 10'000; ++i) {
            dates.push_back(draw(random));
            all += dates.back().text + dates.back().iso;
        }
        const data::Vocabulary letters(all, {.special = {"<pad>", "<start>"}});
        const std::size_t start_id = letters.id("<start>"), training_dates = 9'800;

        // [data]
        // The decoder reads the start token and the letters before the one that it predicts.
        auto before = Array<float>::from_shape({training_dates, written_length}), after = before,
             sources = Array<float>::from_shape({training_dates, source_length});
        for (std::size_t i = 0; i < training_dates; ++i) {
            const auto from = numbers(letters, dates[i].text, source_length), to = numbers(letters, dates[i].iso, 10);
            for (std::size_t k = 0; k < source_length; ++k) sources(i, k) = from[k];
            for (std::size_t k = 0; k < written_length; ++k) {
                before(i, k) = k == 0 ? static_cast<float>(start_id) : to[k - 1];
                after(i, k) = to[k];
            }
        }
        const Dataset training({{"written", before}, {"source", sources}}, {{"", after}}, "dates");
        // [data]

        Trainer trainer("dates", Translator{}, Adam{.learning_rate = 0.002}, minibatches(training, 32));
        trainer.add(every(1, epoch).then(report(epoch, error)));
        trainer.run(cpu(2), argc > 1 ? std::atoi(argv[1]) : 8);

        // [translate]
        const Model<Translator>& model = trainer.model();
        std::size_t right = 0;
        for (std::size_t i = training_dates; i < dates.size(); ++i) {
            const auto translator = conditioned(model, numbers(letters, dates[i].text, source_length));
            auto next = log_probabilities_after(translator, {start_id});
            const std::string text = letters.decode(beam_search(next, {.width = 3, .length = 10}).at(0).ids);
            right += text == dates[i].iso ? 1 : 0;
            if (i < training_dates + 5) std::printf("%-18s -> %s\n", dates[i].text.c_str(), text.c_str());
        }
        // [translate]
        const std::size_t seen = dates.size() - training_dates;
        std::printf("%zu of %zu new dates are right\n", right, seen);
        return right * 20 >= seen * 19 ? EXIT_SUCCESS : EXIT_FAILURE;
    });
}
