// SPDX-License-Identifier: BSL-1.0
// The library's layers as parts of `Layers`, compiled in the library, and not in each program that makes a network.
#pragma once
#include <sigma/layer/activation.hpp>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/conv3d.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/ctc.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/layer/upsample.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/network/layers.hpp>

// clang-format off
#define SIGMA_EACH_LAYER(each) \
    each(AlphaDropout) each(Attention) each(AveragePool) each(BatchNorm) each(Bidirectional<GRU>) \
    each(Bidirectional<LSTM>) each(Bidirectional<Recurrent>) each(Conv1D) each(Conv2D) each(Conv3D) \
    each(ConvTranspose1D) each(ConvTranspose2D) each(Dense) each(DepthwiseConv2D) each(Dropout) each(Elementwise) \
    each(Embedding) each(Flatten) each(GRU) each(GaussianDropout) each(GaussianNoise) each(GlobalAveragePool) \
    each(GlobalMaxPool) each(GroupNorm) each(Input) each(InstanceNorm) each(LSTM) each(LayerNorm) \
    each(LearnedPositions) each(Linear) each(MaxPool) each(PReLU) each(Permute) each(RMSNorm) each(Recurrent) \
    each(Reshape) each(RotaryPositions) each(SinusoidalPositions) each(SpatialDropout) each(TransformerBlock) \
    each(Upsample) each(detail::AddJoin) each(detail::AverageJoin) each(detail::ConcatenateJoin) \
    each(detail::MultiplyJoin) each(detail::Repeat<Layers>)
#define SIGMA_EACH_LOSS(each) \
    each(AbsoluteError) each(BinaryCE) each(CTC) each(CosineLoss) each(HalfSquared) each(Hinge) each(Huber) \
    each(KLDivergence) each(MeanSquaredError) each(MulticlassHinge) each(NLL) each(NoLoss) \
    each(SoftmaxCE) each(SoftmaxDistributionCE) each(SquaredDiff)
// clang-format on

#ifdef SIGMA_COMPILED
namespace sigma::detail {
// Declares functions, not the classes that they make: an extern class template would be instantiated in every program.
#define SIGMA_LIBRARY_PART(L) extern template SharedOwner<const AnyPart> kept_part(const L&);
#define SIGMA_LIBRARY_LOSS(L) \
    SIGMA_LIBRARY_PART(L)     \
    extern template void show(const LossView<L>&, LossVisitor&);
SIGMA_EACH_LAYER(SIGMA_LIBRARY_PART)
SIGMA_EACH_LOSS(SIGMA_LIBRARY_LOSS)
#undef SIGMA_LIBRARY_PART
#undef SIGMA_LIBRARY_LOSS
}  // namespace sigma::detail
#endif

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/library_layers.ipp>
#endif
