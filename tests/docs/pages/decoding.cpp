// SPDX-License-Identifier: BSL-1.0
// Blocks of the page about decoding, compiled only.
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/decoding/ctc.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/decoding/sample.hpp>
#include <sigma/layer/ctc.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/model.hpp>

#include <cstdio>

namespace {

using namespace sigma;

struct Reader : Network<Input(64) + Embedding(65, 24) + LSTM(128) + Linear(65) + SoftmaxCE()> {};
struct Listener : Network<Input(100, 13) + LSTM(64) + Linear(30) + CTC(12)> {};

[[maybe_unused]] void text_of(const Model<Reader>& model, const data::Vocabulary& vocabulary,
                              const Array<float>& probabilities) {
    {
        // [decoding-generate]
        const std::string text =
            generate(model, vocabulary, "ROMEO:\n", {.length = 400, .temperature = 0.8, .top_k = 20, .seed = 1});
        // [decoding-generate]
    }
    // [decoding-sample]
    PhiloxSequence random{Philox(7)};
    const std::size_t drawn = sample(probabilities, random, {.temperature = 0.8, .top_k = 40, .top_p = 0.95});
    // [decoding-sample]
    static_cast<void>(drawn);
    // [decoding-beam]
    const auto found = beam_search(model, vocabulary, "ROMEO:\n",
                                   {.width = 8, .length = 60, .stop = vocabulary.id('\n'), .length_penalty = 0.6});
    for (const Hypothesis& h : found) std::printf("%8.2f %s\n", h.score, vocabulary.decode(h.ids).c_str());
    // [decoding-beam]
}
[[maybe_unused]] void spelled(const Model<Listener>& model, const Array<float>& sounds, const Array<float>& spellings) {
    // [decoding-ctc]
    const auto said = model.predict(sounds);            // (records, time, classes)
    const auto quick = ctc_greedy(said);                // the labels of each record
    const auto better = ctc_beam(said, {.width = 16});  // more accurate, with a beam of 16
    const double rate = label_error_rate(better, spellings);
    // [decoding-ctc]
    static_cast<void>(quick);
    static_cast<void>(rate);
}

}  // namespace
