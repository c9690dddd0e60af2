// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/trainer/sequential.hpp>

namespace sigma {

SIGMA_IMPL Sequential& Sequential::dense(int units, detail::Activation activation, DenseOptions options) {
    return add(Dense(units, activation, options));
}
SIGMA_IMPL Sequential& Sequential::conv2d(int filters, Sizes kernel, detail::Activation activation,
                                          ConvolutionOptions options) {
    return add(Conv2D(filters, kernel, activation, options));
}
SIGMA_IMPL Sequential& Sequential::max_pool(Sizes window, PoolingOptions options) {
    return add(MaxPool(window, options));
}
SIGMA_IMPL Sequential& Sequential::average_pool(Sizes window, PoolingOptions options) {
    return add(AveragePool(window, options));
}
SIGMA_IMPL Sequential& Sequential::global_average_pool() { return add(GlobalAveragePool()); }
SIGMA_IMPL Sequential& Sequential::flatten() { return add(Flatten()); }
SIGMA_IMPL Sequential& Sequential::dropout(double rate) { return add(Dropout(rate)); }
SIGMA_IMPL Sequential& Sequential::batch_norm() { return add(BatchNorm()); }
SIGMA_IMPL Sequential& Sequential::layer_norm() { return add(LayerNorm()); }
SIGMA_IMPL Sequential& Sequential::embedding(int words, int width) { return add(Embedding(words, width)); }
SIGMA_IMPL Sequential& Sequential::lstm(int units, RecurrentOptions options) { return add(LSTM(units, options)); }
SIGMA_IMPL Sequential& Sequential::gru(int units, RecurrentOptions options) { return add(GRU(units, options)); }

namespace detail {

SIGMA_IMPL DynamicNetwork SequentialLayers::made_for(std::span<const std::size_t> record) const {
    if (has_input) return DynamicNetwork(layers);
    Input input;
    for (const std::size_t extent : record) {
        if (input.extents.numbers.rank == max_rank - 1)
            throw ShapeError("records of a sequential network", "at most five axes", sentence(record.size()));
        input.extents.numbers.extent[input.extents.numbers.rank++] = static_cast<int>(extent);
    }
    Layers all = input;
    all += layers;
    return DynamicNetwork(all);
}
SIGMA_IMPL void throw_no_network() {
    throw StateError("a sequential network", "an Input, as in Sequential(Input(4)), or a call of train before",
                     "neither, so that the shape of a record is unknown");
}
SIGMA_IMPL std::size_t sequential_batch_size(std::int64_t size, const Dataset& data) {
    if (size < 0)
        throw ArgumentError("training of a sequential network", "a batch size of 1 or more, or 0 for 32",
                            sentence(size));
    const std::size_t wanted = size == 0 ? 32 : static_cast<std::size_t>(size);
    return wanted < data.size() ? wanted : data.size();
}

}  // namespace detail

}  // namespace sigma
