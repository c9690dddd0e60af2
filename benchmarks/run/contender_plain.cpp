// SPDX-License-Identifier: BSL-1.0
// The same steps written by hand on CBLAS: no library but BLAS, buffers made once, bias and activation in one loop,
// gradient descent folded into the product that makes the gradient, Adam in one pass.
#include "blas.hpp"
#include "support/contender.hpp"
#include "support/vector_math.hpp"

#include <cmath>

using namespace plain;
using contender::array;
using contender::Cases;
using contender::Work;

namespace {

using Array = std::shared_ptr<float>;

/// C = alpha * op(A) * op(B) + beta * C, dense rows.
void product(bool ta, bool tb, int m, int n, int k, float alpha, const Array& a, const Array& b, float beta,
             const Array& c) {
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha, a.get(),
                ta ? m : k, b.get(), tb ? k : n, beta, c.get(), n);
}

enum class Function { relu, tanh };
enum class Optimizer { descent, adam };

struct Dense {
    int inputs, outputs;
    Array weights, biases, weight_gradient, bias_gradient, weight_mean, weight_square, bias_mean, bias_square, y, delta;

    Dense(int records, int i, int o) : inputs(i), outputs(o) {
        const auto w = static_cast<std::size_t>(i * o), b = static_cast<std::size_t>(o);
        const auto n = static_cast<std::size_t>(records) * b;
        const float range = 1 / std::sqrt(static_cast<float>(i));
        weights = array(w, -range, range);
        biases = array(b);
        weight_gradient = array(w), weight_mean = array(w), weight_square = array(w);
        bias_gradient = array(b), bias_mean = array(b), bias_square = array(b);
        y = array(n), delta = array(n);
    }
};

struct Network {
    int records;
    Function function;
    Optimizer optimizer;
    std::vector<Dense> layers;
    Array x;
    std::vector<int> labels;
    float loss = 0;
    int number = 0;

    Network(std::vector<int> sizes, Function f, Optimizer o, int count) : records(count), function(f), optimizer(o) {
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) layers.emplace_back(count, sizes[i], sizes[i + 1]);
        x = array(static_cast<std::size_t>(count * sizes[0]), 0, 1);
        for (int i = 0; i < count; ++i) labels.push_back(7 * i % sizes.back());
    }
    void forward() {
        for (std::size_t i = 0; i < layers.size(); ++i) {
            Dense& l = layers[i];
            product(false, false, records, l.outputs, l.inputs, 1, i == 0 ? x : layers[i - 1].y, l.weights, 0, l.y);
            for (int r = 0; r < records; ++r) activate(l, l.y.get() + r * l.outputs, i + 1 < layers.size());
        }
    }
    void activate(const Dense& l, float* y, bool inner) const {
        const float* b = l.biases.get();
        const int n = l.outputs;
        if (!inner) {
            for (int j = 0; j < n; ++j) y[j] += b[j];
        } else if (function == Function::relu) {
            for (int j = 0; j < n; ++j) y[j] = std::max(y[j] + b[j], 0.0f);
        } else {
            int j = 0;
            for (; j + static_cast<int>(width) <= n; j += static_cast<int>(width))
                store(y + j, hyperbolic_tangent(load(y + j) + load(b + j)));
            for (; j < n; ++j) y[j] = std::tanh(y[j] + b[j]);
        }
    }
    void softmax(float* d, bool training) {
        const Dense& l = layers.back();
        const float scale = training ? 1 / static_cast<float>(records) : 1;
        float total = 0;
        for (int r = 0; r < records; ++r, d += l.outputs) {
            const float* y = l.y.get() + r * l.outputs;
            const float most = *std::max_element(y, y + l.outputs);
            float sum = 0;
            for (int j = 0; j < l.outputs; ++j) sum += d[j] = std::exp(y[j] - most);
            for (int j = 0; j < l.outputs; ++j) d[j] *= scale / sum;
            if (!training) continue;
            const int label = labels[static_cast<std::size_t>(r)];
            total += std::log(sum) + most - y[label];
            d[label] -= scale;
        }
        loss = total * scale;
    }
    void predict() {
        forward();
        softmax(layers.back().delta.get(), false);
    }
    void step() {
        forward();
        softmax(layers.back().delta.get(), true);
        ++number;
        for (std::size_t i = layers.size(); i-- > 0;) {
            Dense& l = layers[i];
            if (i > 0) {
                const Dense& before = layers[i - 1];
                product(false, true, records, l.inputs, l.outputs, 1, l.delta, l.weights, 0, before.delta);
                float* d = before.delta.get();
                const float* y = before.y.get();
                if (function == Function::relu)
                    for (int j = 0; j < records * l.inputs; ++j) d[j] = y[j] > 0 ? d[j] : 0;
                else
                    for (int j = 0; j < records * l.inputs; ++j) d[j] *= 1 - y[j] * y[j];
            }
            float* g = l.bias_gradient.get();
            std::fill_n(g, l.outputs, 0.0f);
            for (int r = 0; r < records; ++r)
                for (int j = 0; j < l.outputs; ++j) g[j] += l.delta.get()[r * l.outputs + j];
            const Array& inputs = i == 0 ? x : layers[i - 1].y;
            if (optimizer == Optimizer::descent) {
                constexpr float rate = 1e-3f;
                product(true, false, l.inputs, l.outputs, records, -rate, inputs, l.delta, 1, l.weights);
                for (int j = 0; j < l.outputs; ++j) l.biases.get()[j] -= rate * g[j];
            } else {
                product(true, false, l.inputs, l.outputs, records, 1, inputs, l.delta, 0, l.weight_gradient);
                adam(l.inputs * l.outputs, l.weights, l.weight_gradient, l.weight_mean, l.weight_square);
                adam(l.outputs, l.biases, l.bias_gradient, l.bias_mean, l.bias_square);
            }
        }
    }
    void adam(int count, const Array& weights, const Array& gradient, const Array& mean, const Array& square) const {
        const float t = static_cast<float>(number);
        const float rate = 1e-5f / (1 - std::pow(0.9f, t)), scale = 1 / std::sqrt(1 - std::pow(0.999f, t));
        float *w = weights.get(), *m = mean.get(), *v = square.get();
        const float* g = gradient.get();
        int i = 0;
        for (; i + static_cast<int>(width) <= count; i += static_cast<int>(width)) {
            const Vector q = load(g + i);
            const Vector mi = Vector(0.9f) * load(m + i) + Vector(0.1f) * q;
            const Vector vi = Vector(0.999f) * load(v + i) + Vector(0.001f) * q * q;
            store(m + i, mi);
            store(v + i, vi);
            store(w + i, load(w + i) - Vector(rate) * mi / (xsimd::sqrt(vi) * Vector(scale) + Vector(1e-8f)));
        }
        for (; i < count; ++i) {
            m[i] = 0.9f * m[i] + 0.1f * g[i];
            v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
            w[i] -= rate * m[i] / (std::sqrt(v[i]) * scale + 1e-8f);
        }
    }
};

std::function<Work()> training(std::vector<int> sizes, Function f, Optimizer o, int records) {
    return [=]() -> Work {
        const auto network = std::make_shared<Network>(sizes, f, o, records);
        return [network] { network->step(); };
    };
}
std::function<Work()> prediction(std::vector<int> sizes, Function f) {
    return [=]() -> Work {
        const auto network = std::make_shared<Network>(sizes, f, Optimizer::descent, 1);
        return [network] { network->predict(); };
    };
}

/// Sum of tanh(a x + b) exp(-x x); with the gradient into g where it is given. n is a multiple of `width`.
template <bool with_gradient>
float wave(std::size_t n, const float* a, const float* b, const float* x, float* g) {
    Vector total(0.0f);
    for (std::size_t i = 0; i < n; i += width) {
        const Vector xi = load(x + i), ai = load(a + i);
        const Vector t = hyperbolic_tangent(ai * xi + load(b + i)), e = exponential(-xi * xi), y = t * e;
        total = total + y;
        if constexpr (with_gradient) store(g + i, e * (Vector(1.0f) - t * t) * ai - Vector(2.0f) * xi * y);
    }
    return xsimd::hadd(total);
}
template <bool with_gradient>
std::function<Work()> waves(std::size_t n) {
    return [=]() -> Work {
        const auto a = array(n, -1, 1), b = array(n, -1, 1), x = array(n, -1, 1), g = array(n);
        return [=] {
            const float y = wave<with_gradient>(n, a.get(), b.get(), x.get(), g.get());
            contender::keep(&y);
        };
    };
}
std::function<Work()> chain(std::size_t n) {
    return [=]() -> Work {
        const auto aa = array(n, -1, 1), bb = array(n, -1, 1), cc = array(n, -1, 1), dd = array(n);
        return [=] {
            const float *a = aa.get(), *b = bb.get(), *c = cc.get();
            float* d = dd.get();
            for (std::size_t i = 0; i < n; i += width)
                store(d + i, load(a + i) * load(b + i) + load(c + i) * exponential(-load(a + i)));
        };
    };
}

}  // namespace

int main() {
    const std::vector<int> iris{4, 12, 12, 3}, digits{784, 128, 64, 10}, wide{784, 1024, 1024, 10};
    Cases cases{
        {"iris-sgd", training(iris, Function::tanh, Optimizer::descent, 10)},
        {"iris-adam", training(iris, Function::tanh, Optimizer::adam, 10)},
        {"mlp32-sgd", training(digits, Function::relu, Optimizer::descent, 32)},
        {"mlp100-sgd", training(digits, Function::relu, Optimizer::descent, 100)},
        {"mlp100-adam", training(digits, Function::relu, Optimizer::adam, 100)},
        {"wide-sgd", training(wide, Function::relu, Optimizer::descent, 100)},
        {"wide-adam", training(wide, Function::relu, Optimizer::adam, 100)},
        {"predict-iris", prediction(iris, Function::tanh)},
        {"predict-mlp", prediction(digits, Function::relu)},
    };
    for (const auto& [text, n] : {std::pair("1e3", 1000u), std::pair("1e5", 100000u), std::pair("1e7", 10000000u)}) {
        const std::string size = text;
        if (n < 1000000) {
            cases["value-" + size] = waves<false>(n);
            cases["gradient-" + size] = waves<true>(n);
        }
        cases["chain-" + size] = cases["chain-into-" + size] = chain(n);
    }
    return contender::serve(cases, blas::report());
}
