// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_next_token_needs_one_input_of_ids_and_one_cost_of_classes
#include <sigma/decoding/generate.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/softmax_ce.hpp>
using namespace sigma;

#ifdef TWIN
struct Reader : Network<Input(4) + Embedding(7, 3) + Dense(7) + SoftmaxCE()> {};
#else
struct Reader : Network<Input(4) + Embedding(7, 3) + Dense(7) + MulticlassHinge()> {};
#endif

std::size_t letters(const Model<Reader>& model, const data::Vocabulary& vocabulary) {
    const auto text = generate(model, vocabulary, "four", {.length = 5});
    return text.size();
}
