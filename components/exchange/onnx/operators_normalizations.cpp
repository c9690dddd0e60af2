// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

namespace sigma::detail {

namespace {

Axes axes_between(int first, int end) {
    Axes all;
    for (int i = first; i < end; ++i) all.add(i);
    return all;
}
double epsilon_of(const OnnxCall& c) { return c.real("epsilon", 1e-5); }
/// Returns (x - mean) / √(variance + ε) over some axes.
Tensor normal(Tensor x, const Axes& over, double epsilon) {
    const Tensor centred = x - mean(x, over, keep);
    return centred * rsqrt(mean(square(centred), over, keep) + epsilon);
}
void require_channels(OnnxCall& c, int i) {
    const Shape s = c.shape(0);
    if (s.rank < 2 || c.in(i).dims() != Numbers{s[1]})
        c.refuse(sentence("an input ", i, " with one number for each channel"), shape_text(c.in(i).dims()));
}

/// Imports BatchNormalization. In training the statistics are those of the batch, and the stored ones move towards
/// them. The stored variance is divided by n - 1, as in BatchNorm and PyTorch. An output of the graph is divided by n,
/// as ONNX specifies. With training_mode, predictions use the statistics of the batch as well. If no output of new
/// statistics is read, the exporter has only recorded that the network is in training mode.
void batch_normalization(OnnxCall& c) {
    for (int i = 1; i <= 4; ++i) require_channels(c, i);
    if (c.whole("spatial", 1) == 0) c.refuse("statistics of each channel", "spatial = 0");
    const Tensor x = c.images(0), scale = c.weight(1, "scales"), shift = c.weight(2, "shifts");
    const Tensor running_mean = c.stored(3, "running_mean"), running_variance = c.stored(4, "running_variance");
    const double epsilon = epsilon_of(c), momentum = c.real("momentum", 0.9);
    const auto read = [&](int i) { return i < c.node.output_size() && c.walk.model.uses.count(c.node.output(i)) > 0; };
    const bool batch_statistics = c.whole("training_mode", 0) != 0 && (read(1) || read(2));
    if (!batch_statistics && !c.training()) {
        const Tensor from_mean = x - running_mean;
        return c.give(from_mean * rsqrt(running_variance + epsilon) * scale + shift, c.type(), true);
    }
    const Axes rows = axes_between(0, x.shape().rank - 1);
    const Tensor centre = mean(x, rows);
    const Tensor centred = x - centre;
    const Tensor spread = mean(square(centred), rows);
    const Tensor kept_mean = momentum * running_mean + (1 - momentum) * centre;
    const Tensor kept_variance = momentum * running_variance + (1 - momentum) * spread;
    if (c.training()) {
        const auto settle = [&](Tensor statistic, Tensor value) {
            if (statistic.variable.operation() == Operation::parameter) update(*c.walk.context, statistic, value);
        };
        settle(running_mean, kept_mean);
        const Tensor sample = sample_variance(spread, reciprocal_rows(x), running_variance);
        settle(running_variance, momentum * running_variance + (1 - momentum) * sample);
    }
    c.give(centred * rsqrt(spread + epsilon) * scale + shift, c.type(), true);
    c.give(kept_mean);
    c.give(kept_variance);
}
void instance_normalization(OnnxCall& c) {
    require_channels(c, 1), require_channels(c, 2);
    const Tensor x = c.images(0);
    if (x.shape().rank < 3) c.refuse("positions and channels", shape_text(c.in(0).dims()));
    const Tensor y = normal(x, axes_between(1, x.shape().rank - 1), epsilon_of(c));
    c.give(y * c.weight(1, "scales") + c.weight(2, "shifts"), c.type(), true);
}
void layer_normalization(OnnxCall& c) {
    const Tensor x = c.x(0);
    const int rank = x.shape().rank, first = c.axis(c.whole("axis", -1), rank);
    const Axes over = axes_between(first, rank);
    const Tensor centre = mean(x, over, keep);
    const Tensor centred = x - centre;
    const Tensor scale = rsqrt(mean(square(centred), over, keep) + epsilon_of(c));
    const Tensor scaled = centred * scale * c.weight(1, "scales");
    const Tensor y = c.has(2) ? scaled + c.weight(2, "shifts") : scaled;
    if (!(y.shape() == x.shape())) c.refuse("scales of the axes that are normalized", shape_text(c.in(1).dims()));
    c.give(y);
    c.give(centre);
    c.give(scale);
}
/// Imports GroupNormalization, over the positions and channels of each group. Scales belong to groups in set 18, and to
/// channels from set 21.
void group_normalization(OnnxCall& c) {
    const Tensor x = c.images(0);
    const Shape s = x.shape();
    if (s.rank < 3 || s.last() < 0) c.refuse("positions and channels", shape_text(c.in(0).dims()));
    const int groups = c.small("num_groups", 0, 1, s.last()), channels = s.last() / groups;
    if (s.last() % groups != 0) c.refuse("groups that divide the channels", sentence(groups));
    const bool by_group = c.opset() < 21;
    for (int i = 1; i <= 2; ++i)
        if (c.in(i).dims() != Numbers{by_group ? groups : s.last()})
            c.refuse(sentence("an input ", i, " with one number for each ", by_group ? "group" : "channel"),
                     shape_text(c.in(i).dims()));
    long long positions = 1;
    for (int i = 1; i + 1 < s.rank; ++i) positions *= s[i];
    const Tensor four = reshape(x, c.shape_of({s[0], positions, groups, channels}));
    Axes over;
    over.add(1), over.add(3);
    const Tensor y = normal(four, over, epsilon_of(c)), scales = c.weight(1, "scales"), shifts = c.weight(2, "shifts");
    c.give(by_group ? reshape(y * reshape(scales, {groups, 1}) + reshape(shifts, {groups, 1}), s)
                    : reshape(y, s) * scales + shifts,
           c.type(), true);
}
void rms_normalization(OnnxCall& c) {
    const Tensor x = c.x(0);
    const int rank = x.shape().rank, first = c.axis(c.whole("axis", -1), rank);
    const Tensor scale = rsqrt(mean(square(x), axes_between(first, rank), keep) + epsilon_of(c));
    const Tensor y = x * scale * c.weight(1, "scales");
    if (!(y.shape() == x.shape())) c.refuse("scales of the axes that are normalized", shape_text(c.in(1).dims()));
    c.give(y);
}
void local_response(OnnxCall& c) {
    const Tensor x = c.images(0);
    const Shape s = x.shape();
    const int n = c.small("size", 0, 1, 4095), last = s.rank - 1;
    if (s.rank < 3) c.refuse("images", shape_text(c.in(0).dims()));
    const int before = (n - 1) / 2, after = n - 1 - before;
    const Tensor squares = zero_pad(square(x), axis(last), before, after);
    Tensor all = slice(squares, axis(last), 0, s[last]);
    for (int i = 1; i < n; ++i) all = all + slice(squares, axis(last), i, i + s[last]);
    const Tensor base = c.real("bias", 1) + c.real("alpha", 1e-4) / n * all;
    c.give(x / pow(base, c.real("beta", 0.75)), c.type(), true);
}
void mean_variance(OnnxCall& c) {
    const Tensor x = c.x(0);
    Numbers given = c.list("axes");
    if (given.empty() && c.attribute("axes") == nullptr) given = {0, 2, 3};
    Axes over;
    for (const long long a : given) {
        if (over.count == max_rank) c.refuse(sentence("at most ", max_rank, " axes"), "more axes");
        over.add(c.axis(a, x.shape().rank));
    }
    const Tensor centred = x - mean(x, over, keep);
    c.give(centred / (sqrt(mean(square(centred), over, keep)) + 1e-9));
}
void power_normalization(OnnxCall& c) {
    const int p = c.small("p", 2, 1, 2), at = c.axis(c.whole("axis", -1), c.rank(0));
    const Tensor x = c.x(0);
    const Tensor size = p == 1 ? sum(abs(x), axis(at), keep) : norm(x, axis(at), keep);
    c.give(x / where(equal(size, 0.0), 1.0, size));  // zeros stay zeros
}

constexpr OnnxOperator rows[] = {
    {"BatchNormalization", batch_normalization},  {"InstanceNormalization", instance_normalization},
    {"LayerNormalization", layer_normalization},  {"LRN", local_response},
    {"MeanVarianceNormalization", mean_variance}, {"LpNormalization", power_normalization},
    {"GroupNormalization", group_normalization},  {"RMSNormalization", rms_normalization},
};

}  // namespace

std::span<const OnnxOperator> onnx_normalizations() { return rows; }

}  // namespace sigma::detail
