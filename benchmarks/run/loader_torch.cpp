// SPDX-License-Identifier: BSL-1.0
// libtorch's side of loader.cpp: its DataLoader on tensors of the shape of MNIST, shuffled batches of 100.
#include "support/contender.hpp"

#include <torch/torch.h>

using contender::Work;

namespace {

constexpr long count = 60000, width = 784;

/// Record by record, which the loader stacks: what its documentation does.
struct Records : torch::data::datasets::Dataset<Records> {
    torch::Tensor x = torch::rand({count, width}), y = torch::arange(count) % 10;
    torch::data::Example<> get(std::size_t i) override { return {x[static_cast<long>(i)], y[static_cast<long>(i)]}; }
    torch::optional<std::size_t> size() const override { return static_cast<std::size_t>(count); }
};
/// A batch at a time, with one call for all of its records: the fastest that the loader can do.
struct Batches : torch::data::datasets::BatchDataset<Batches, torch::data::Example<>> {
    torch::Tensor x = torch::rand({count, width}), y = torch::arange(count) % 10;
    torch::data::Example<> get_batch(torch::ArrayRef<std::size_t> records) override {
        const auto indices = torch::from_blob(const_cast<std::size_t*>(records.data()),
                                              {static_cast<long>(records.size())}, torch::kLong);
        return {x.index_select(0, indices), y.index_select(0, indices)};
    }
    torch::optional<std::size_t> size() const override { return static_cast<std::size_t>(count); }
};

template <class Loader>
Work epoch(std::shared_ptr<Loader> loader) {
    return [loader] {
        for (auto& example : *loader) contender::keep(example.data.data_ptr());
    };
}
Work records(std::size_t workers) {
    auto data = Records().map(torch::data::transforms::Stack<>());
    const auto options = torch::data::DataLoaderOptions().batch_size(100).workers(workers);
    using Loader =
        decltype(torch::data::make_data_loader<torch::data::samplers::RandomSampler>(data, options))::element_type;
    return epoch(
        std::shared_ptr<Loader>(torch::data::make_data_loader<torch::data::samplers::RandomSampler>(data, options)));
}
Work batches(std::size_t workers) {
    const auto options = torch::data::DataLoaderOptions().batch_size(100).workers(workers);
    using Loader =
        decltype(torch::data::make_data_loader<torch::data::samplers::RandomSampler>(Batches(), options))::element_type;
    return epoch(std::shared_ptr<Loader>(
        torch::data::make_data_loader<torch::data::samplers::RandomSampler>(Batches(), options)));
}

}  // namespace

int main() {
    torch::set_num_threads(1);
    torch::manual_seed(1);
    const contender::Cases cases{
        {"epoch", [] { return records(0); }},
        {"epoch-at-once", [] { return batches(0); }},
        {"epoch-prefetch", [] { return records(1); }},
        {"epoch-at-once-prefetch", [] { return batches(1); }},
    };
    return contender::serve(cases, "libtorch " TORCH_VERSION);
}
