// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_conditioned_needs_ids_then_inputs_and_one_cost_of_classes
#include <sigma/decoding/generate.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/branches.hpp>
using namespace sigma;

#ifdef TWIN
struct Reader : Network<(Input(4) & Input(6, 8)) + Parallel(Embedding(7, 8), skip) + TransformerBlock(2, 8) +
                        Linear(7) + SoftmaxCE()> {};
#else
struct Reader : Network<Input(4) + Embedding(7, 8) + TransformerBlock(2, 8) + Linear(7) + SoftmaxCE()> {};
#endif

std::size_t letters(const Model<Reader>& model, const std::vector<float>& source) {
    return generate(conditioned(model, source), {1}, {.length = 5}).size();
}
