// SPDX-License-Identifier: BSL-1.0
// Layers for sound by their definitions, beside torchaudio's numbers, and their gradients.
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/spectrogram.hpp>

#include <complex>
#include <numbers>

using namespace sigma;
using namespace sigma::test;

namespace {

template <auto layer, int... extents>
struct Of : Network<Input(extents...) + Elementwise() + layer + SquaredDiff()> {
    static constexpr auto tested = layer;
};

constexpr FrameOptions plain{.frame = 8, .hop = 3, .fft = 8}, padded{.frame = 6, .hop = 4, .window = Window::hamming},
    wide{.frame = 5, .hop = 5, .fft = 12, .window = Window::none};
constexpr MelOptions telephone{.sample_rate = 8000, .frame = 32, .hop = 10, .low = 300, .high = 3400},
    bare{.sample_rate = 100, .frame = 16, .hop = 16, .window = Window::hamming, .logarithm = false};

static_assert(Of<STFT(plain), 20>::output == Shape{batch, 5, 5, 2});
static_assert(Of<Spectrogram(padded), 21, 1>::output == Shape{batch, 4, 5});
static_assert(Of<Spectrogram(wide), 5>::output == Shape{batch, 1, 7});
static_assert(Network<Input(16000) + MelSpectrogram() + SquaredDiff()>::output == Shape{batch, 98, 40});
static_assert(Network<Input(16000) + MFCC() + SquaredDiff()>::output == Shape{batch, 98, 13});

/// The discrete Fourier transform of one frame.
std::vector<std::complex<double>> transform(const double* x, const auto& o, int fft) {
    std::vector<std::complex<double>> sums(static_cast<std::size_t>(fft / 2 + 1));
    for (int n = 0; n < o.frame; ++n) {
        const double angle = 2 * std::numbers::pi * n / o.frame;
        const double w = o.window == Window::hann      ? 0.5 - 0.5 * std::cos(angle)
                         : o.window == Window::hamming ? 0.54 - 0.46 * std::cos(angle)
                                                       : 1;
        for (std::size_t k = 0; k < sums.size(); ++k)
            sums[k] += w * x[n] * std::polar(1.0, -2 * std::numbers::pi * n * static_cast<double>(k) / fft);
    }
    return sums;
}
/// The transforms of all frames of all records.
std::vector<std::vector<std::complex<double>>> transforms(const Values& x, int time, const auto& o, int fft) {
    std::vector<std::vector<std::complex<double>>> all;
    for (std::size_t record = 0; record < x.size(); record += static_cast<std::size_t>(time))
        for (int first = 0; first + o.frame <= time; first += o.hop)
            all.push_back(transform(x.data() + record + static_cast<std::size_t>(first), o, fft));
    return all;
}
Values powers(const Values& x, int time, const auto& o, int fft) {
    Values all;
    for (const auto& frame : transforms(x, time, o, fft))
        for (const auto& z : frame) all.push_back(std::norm(z));
    return all;
}
double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

Values mels(const Values& x, int time, int count, const MelOptions& o, int fft) {
    const double high = o.high == 0 ? o.sample_rate / 2 : o.high, from = mel_of(o.low), to = mel_of(high);
    const auto edge = [&](int i) { return 700 * (std::pow(10, (from + (to - from) * i / (count + 1)) / 2595) - 1); };
    const Values power = powers(x, time, o, fft);
    const auto bins = static_cast<std::size_t>(fft / 2 + 1);
    Values all;
    for (std::size_t frame = 0; frame < power.size(); frame += bins)
        for (int m = 0; m < count; ++m) {
            double sum = 0;
            for (std::size_t k = 0; k < bins; ++k) {
                const double f = o.sample_rate / fft * static_cast<double>(k);
                const double up = (f - edge(m)) / (edge(m + 1) - edge(m)),
                             down = (edge(m + 2) - f) / (edge(m + 2) - edge(m + 1));
                sum += std::max(0.0, std::min(up, down)) * power[frame + k];
            }
            all.push_back(o.logarithm ? std::log(sum + o.offset) : sum);
        }
    return all;
}
Values cepstra(const Values& x, int time, int coefficients, int count, const MelOptions& o, int fft) {
    const Values bands = mels(x, time, count, o, fft);
    Values all;
    for (std::size_t frame = 0; frame < bands.size() / static_cast<std::size_t>(count); ++frame)
        for (int k = 0; k < coefficients; ++k) {
            double sum = 0;
            for (int m = 0; m < count; ++m)
                sum += bands[frame * static_cast<std::size_t>(count) + static_cast<std::size_t>(m)] *
                       std::cos(std::numbers::pi * (m + 0.5) * k / count);
            all.push_back(sum * std::sqrt((k == 0 ? 1.0 : 2.0) / count));
        }
    return all;
}

template <class N>
Values computed(const Values& x) {
    Model<N, double> model(1);
    return predict(model, x);
}

}  // namespace

TEST_CASE("A short-time Fourier transform is the sum of its definition") {
    const auto check = [](auto network, int time, int fft) {
        using N = decltype(network);
        const Values x = normal(static_cast<std::size_t>(2 * time), 7);
        Values wanted;
        for (const auto& frame : transforms(x, time, N::tested.options, fft))
            for (const auto& z : frame) wanted.insert(wanted.end(), {z.real(), z.imag()});
        CHECK(distance(computed<N>(x), wanted) < 1e-13);
        CHECK(gradient_error<N>(2) < gradient_tolerance);
    };
    check(Of<STFT(plain), 20>{}, 20, 8);
    check(Of<STFT(padded), 21, 1>{}, 21, 8);  // the power of two above 6
    check(Of<STFT(wide), 11>{}, 11, 12);
    // A model has the basis, but does not train it.
    Model<Of<STFT(plain), 20>> model(1);
    CHECK(model.records.parameters[2].trained == false);
    CHECK(model.parameter("2-stft.basis").size() == 8 * 10);
}
TEST_CASE("A spectrogram has the powers of a short-time Fourier transform") {
    const auto check = [](auto network, int time, int fft) {
        using N = decltype(network);
        const Values x = normal(static_cast<std::size_t>(3 * time), 8);
        CHECK(distance(computed<N>(x), powers(x, time, N::tested.options, fft)) < 1e-12);
        CHECK(gradient_error<N>(2) < gradient_tolerance);
    };
    check(Of<Spectrogram(plain), 20>{}, 20, 8);
    check(Of<Spectrogram(padded), 21, 1>{}, 21, 8);
    check(Of<Spectrogram(wide), 5>{}, 5, 12);
}
TEST_CASE("Bands of a mel spectrogram are triangles on the mel scale") {
    const auto check = [](auto network, int time, int fft) {
        using N = decltype(network);
        const Values x = normal(static_cast<std::size_t>(3 * time), 9);
        CHECK(distance(computed<N>(x), mels(x, time, N::tested.mels, N::tested.options, fft)) < 1e-11);
        CHECK(gradient_error<N>(2) < gradient_tolerance);
    };
    check(Of<MelSpectrogram(5, telephone), 60>{}, 60, 32);
    check(Of<MelSpectrogram(4, bare), 40>{}, 40, 16);
    // A band between two frequencies is empty: log(offset).
    check(Of<MelSpectrogram(30, telephone), 32>{}, 32, 32);
}
TEST_CASE("MFCC transforms the logarithms of bands") {
    const auto check = [](auto network, int time, int fft) {
        using N = decltype(network);
        const Values x = normal(static_cast<std::size_t>(2 * time), 10);
        CHECK(distance(computed<N>(x),
                       cepstra(x, time, N::tested.coefficients, N::tested.mels, N::tested.options, fft)) < 1e-11);
        CHECK(gradient_error<N>(2) < gradient_tolerance);
    };
    check(Of<MFCC(4, 5, telephone), 60>{}, 60, 32);
    check(Of<MFCC(6, 6, telephone), 60>{}, 60, 32);
}
// torchaudio.transforms.MelSpectrogram(sample_rate=8000, n_fft=32, hop_length=10, n_mels=5, center=False)(x) of
// torchaudio 0.13.1, and MFCC(sample_rate=8000, n_mfcc=4, log_mels=True, melkwargs={n_fft=32, hop_length=10, n_mels=5,
// center=False, f_min=300, f_max=3400}): the first and the last frame. Its tables are floats.
TEST_CASE("Mel spectrograms and MFCC have the numbers of torchaudio") {
    Values x(96);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto t = static_cast<double>(i);
        x[i] = 0.5 * std::sin(0.05 * t) + 0.25 * std::cos(0.9 * t + 0.001 * t * t);
    }
    const auto ends = [](const Values& y, std::ptrdiff_t each) {
        Values both(y.begin(), y.begin() + each);
        both.insert(both.end(), y.end() - each, y.end());
        return both;
    };
    constexpr MelOptions whole{.sample_rate = 8000, .frame = 32, .hop = 10, .logarithm = false};
    const Values bands = computed<Of<MelSpectrogram(5, whole), 96>>(x);
    REQUIRE(bands.size() == 7 * 5);
    CHECK(distance(ends(bands, 5), {8.98046500308474, 0.5099730500633375, 4.563406979125182, 0.9769403959057655,
                                    6.177337321061209e-05, 7.189173556478902, 0.10613967234389307, 3.903743565616197,
                                    2.0408616557672303, 0.0005314288821340077}) < 1e-5);
    const Values coefficients = computed<Of<MFCC(4, 5, telephone), 96>>(x);
    REQUIRE(coefficients.size() == 7 * 4);
    CHECK(distance(ends(coefficients, 4),
                   {-5.432566975068417, 5.35935776280425, -6.821443449081364, 1.023479703275465, -4.192682026289244,
                    2.8555433213528962, -6.155023805890805, 1.7710512436861894}) < 1e-5);
}
