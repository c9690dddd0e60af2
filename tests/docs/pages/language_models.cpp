// SPDX-License-Identifier: BSL-1.0
// Blocks of the page about language models, compiled only.
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/tokens.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/transfer.hpp>

#include <cstdio>

namespace {

using namespace sigma;

[[maybe_unused]] void tokens_of_texts() {
    // [language-models-tokenizer]
    const auto tokenizer = data::SubwordTokenizer::load("tokenizer.json");
    const auto ids = tokenizer.encode("The cat sat.");
    std::printf("%zu tokens, the first is '%s': %s\n", ids.size(), tokenizer.token(ids[0]).c_str(),
                tokenizer.decode(ids).c_str());
    // [language-models-tokenizer]
    // [language-models-train]
    const auto own = data::SubwordTokenizer::train(data::file("corpus.txt"),
                                                   {.vocabulary_size = 8000, .special = {"<|endoftext|>"}});
    own.save("tokenizer.json");
    // [language-models-train]
    // [language-models-pieces]
    const auto bert = data::SubwordTokenizer::word_pieces(data::file("vocab.txt"), {.lower_case = true});
    const auto with_marks = bert.encode("The cat sat.", {.special = true});  // [CLS] … [SEP]
    // [language-models-pieces]
    // [language-models-dataset]
    const auto text = data::tokens<64>(data::file("corpus.txt"), own) >> data::dataset("text");
    // [language-models-dataset]
}

// [language-models-remember]
template <int remember>
constexpr auto body =
    Embedding(512, 64) + LearnedPositions({.remember = remember}) +
    2 * TransformerBlock(4, 256, {.causal = true, .remember = remember}) + LayerNorm() + Linear(512) + SoftmaxCE();

struct Reader : Network<Input(64) + body<0>> {};  // for training: all positions at once
struct Writer : Network<Input(1) + body<64>> {};  // for writing: one position at a time
// [language-models-remember]

[[maybe_unused]] void written(const Model<Reader>& reader, const data::SubwordTokenizer& tokenizer) {
    // [language-models-write]
    Model<Writer> writer;
    transfer(reader, writer);
    const std::string text = generate(writer, tokenizer, "ROMEO:\n", {.length = 400, .temperature = 0.8, .top_k = 40});
    // [language-models-write]
}

}  // namespace
