// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Layers for sound: STFT, Spectrogram, MelSpectrogram, MFCC. Not included by `<sigma/sigma.hpp>`.
#include <sigma/layer/context.hpp>
#include <sigma/tape/convolution.hpp>

#include <cmath>
#include <numbers>

namespace sigma {

/// Factors of the samples of a frame, before its Fourier transform.
///
/// With a frame of N samples and n = 0, 1, …, N - 1. Both cosine windows are periodic.
///
/// @see FrameOptions
enum class Window {
    hann,     ///< ½ - ½·cos(2πn/N).
    hamming,  ///< 0.54 - 0.46·cos(2πn/N).
    none      ///< 1: a rectangle.
};

/// Options of `STFT` and `Spectrogram`.
///
/// @see STFT
struct FrameOptions {
    int frame = 400;               ///< Samples of a frame, at least 1: 25 ms at 16 kHz.
    int hop = 160;                 ///< Samples from the start of a frame to that of the next, at least 1.
    int fft = 0;                   ///< Length of the Fourier transform, even; 0: the least power of two ≥ `frame`.
    Window window = Window::hann;  ///< Factors of the samples of a frame.
};

/// Options of `MelSpectrogram` and `MFCC`.
///
/// @see MelSpectrogram
struct MelOptions {
    double sample_rate = 16000;    ///< Samples per second, above 0. Nothing compares it with that of the records.
    int frame = 400;               ///< Samples of a frame, at least 1: 25 ms at 16 kHz.
    int hop = 160;                 ///< Samples from the start of a frame to that of the next, at least 1.
    int fft = 0;                   ///< Length of the Fourier transform, even; 0: the least power of two ≥ `frame`.
    Window window = Window::hann;  ///< Factors of the samples of a frame.
    double low = 0;                ///< Lowest frequency in Hz, at least 0.
    double high = 0;               ///< Highest frequency in Hz, at most half of `sample_rate`; 0: that half.
    bool logarithm = true;         ///< `MelSpectrogram` returns powers if false. `MFCC` ignores this option.
    double offset = 1e-6;          ///< Number that is added to powers before the natural logarithm, above 0.
};

// clang-format off: a table
inline constexpr Given::Label frame_given{"frame"}, hop_given{"hop"}, fft_given{"fft"}, low_in_thousandths{"low"}, high_in_thousandths{"high"},
    sample_rate_in_thousandths{"sample rate"}, mels_given{"mels"}, coefficients_given{"coefficients"}, offset_in_thousandths{"offset"};
inline constexpr Fault error_layer_needs_records_of_samples{"the layer needs records of samples, (time) or (time, 1)"},
    error_frame_and_hop_must_be_positive{"the frame and the hop must be positive"},
    error_fft_must_be_even_and_hold_a_frame{"the Fourier transform must be even and as long as a frame"},
    error_record_is_shorter_than_a_frame{"the record is shorter than a frame"},
    error_mel_frequencies_must_rise_from_0{"the lowest frequency must be at least 0 and below the highest"},
    error_mel_frequency_is_above_half_of_the_sample_rate{"the highest frequency is above half of the sample rate"},
    error_number_of_mels_must_be_positive{"the number of mels must be positive"},
    error_MFCC_needs_coefficients_from_1_to_the_number_of_mels{"MFCC needs coefficients from 1 to the number of mels"},
    error_offset_of_the_logarithm_must_be_positive{"the offset of the logarithm must be positive"};
// clang-format on

namespace detail {

/// Returns the weights (1, frame, 1, 2·bins) of a convolution that transforms frames: w(n)·cos(2πnk / fft) for each bin
/// k, then -w(n)·sin(2πnk / fft).
template <Window window>
constexpr Initializer fourier() {
    return custom([](const ElementIndex& at, const Shape& s, ElementRandom&) {
        const int bins = s[3] / 2, fft = 2 * (bins - 1), n = at[1], k = at[3] % bins;
        const double turn = 2 * std::numbers::pi / fft * static_cast<double>(static_cast<long long>(n) * k % fft);
        const double part = at[3] < bins ? std::cos(turn) : -std::sin(turn);
        constexpr double mean = window == Window::hamming ? 0.54 : 0.5;
        if constexpr (window == Window::none) return part;
        return part * (mean - (1 - mean) * std::cos(2 * std::numbers::pi * n / s[1]));
    });
}

/// The frames of a layer for sound.
struct Frames {
    int frame, hop, fft;
    Window window;

    constexpr Frames(const auto& o) : frame(o.frame), hop(o.hop), fft(o.fft), window(o.window) {
        if (fft == 0)
            for (fft = 2; fft < frame && fft < 1 << 30;) fft *= 2;
    }
    constexpr int bins() const { return fft / 2 + 1; }
    constexpr int count(Tensor x) const { return (x.shape()[1] - frame) / hop + 1; }

    /// Returns whether x has frames. Refuses x if not.
    constexpr bool good(Tensor x) const {
        const Shape s = x.shape();
        if ((s.rank != 2 && s.rank != 3) || s[1] < 1 || (s.rank == 3 && s[2] != 1))
            x.refused(error_layer_needs_records_of_samples, {input_is, s});
        else if (frame < 1 || hop < 1)
            x.refused(error_frame_and_hop_must_be_positive, {frame_given, frame}, {hop_given, hop});
        else if (fft % 2 != 0 || fft < frame)
            x.refused(error_fft_must_be_even_and_hold_a_frame, {fft_given, fft}, {frame_given, frame});
        else if (s[1] < frame) x.refused(error_record_is_shorter_than_a_frame, {input_is, s}, {frame_given, frame});
        else return true;
        return false;
    }
    /// Returns the real parts of the transforms of all frames, then the imaginary ones: (batch, frames, 2·bins).
    constexpr Tensor transforms(Context& context, Tensor x) const {
        const Initializer basis = window == Window::hann      ? fourier<Window::hann>()
                                  : window == Window::hamming ? fourier<Window::hamming>()
                                                              : fourier<Window::none>();
        const Tensor w = statistic(context, {1, frame, 1, 2 * bins()}, "basis", basis);
        const Tensor line = reshape(x, {batch, 1, x.shape()[1], 1});
        return reshape(convolve(line, w, {{1, hop}}), {batch, count(x), 2 * bins()});
    }
    constexpr Tensor powers(Context& context, Tensor x) const {
        const Tensor both = transforms(context, x);
        return square(slice(both, axis(2), 0, bins())) + square(slice(both, axis(2), bins(), 2 * bins()));
    }
};

/// Returns the powers in triangles of equal width on the mel scale, m = 2595·log₁₀(1 + f / 700), whose peaks are 1.
constexpr Tensor mels(Context& context, Tensor x, int count, const MelOptions& o) {
    const Frames frames(o);
    const double half = o.sample_rate / 2, high = o.high == 0 ? half : o.high;
    const auto refuse = [&](const Fault& fault, auto... given) { return x.refused(fault, given...); };
    if (!frames.good(x)) return x;
    if (count < 1) return refuse(error_number_of_mels_must_be_positive, Given{mels_given, count});
    if (!(o.low >= 0 && o.low < high))
        return refuse(error_mel_frequencies_must_rise_from_0, Given{low_in_thousandths, o.low},
                      Given{high_in_thousandths, high});
    if (!(high <= half))
        return refuse(error_mel_frequency_is_above_half_of_the_sample_rate, Given{high_in_thousandths, high},
                      Given{sample_rate_in_thousandths, o.sample_rate});
    const Tensor power = frames.powers(context, x);
    // The edges of the triangles, whose distances from -700 Hz grow by a factor.
    const Tensor growth = log(filled(x, (700 + high) / (700 + o.low), Shape{1}));
    const Tensor edge = (700 + o.low) * exp((1.0 / (count + 1)) * iota_beside(x, count + 2) * growth) - 700.0;
    const auto edges = [&](int first) { return reshape(slice(edge, axis(0), first, first + count), {1, count}); };
    const Tensor left = edges(0), peak = edges(1), right = edges(2);
    const Tensor frequency = reshape((o.sample_rate / frames.fft) * iota_beside(x, frames.bins()), {frames.bins(), 1});
    const Tensor rise = (frequency - left) / (peak - left);
    const Tensor fall = (right - frequency) / (right - peak);
    return dot(power, max(min(rise, fall), 0.0));
}
/// Returns mels(…), and their logarithm if the options want it.
constexpr Tensor log_mels(Context& context, Tensor x, int count, const MelOptions& o, bool logarithm) {
    if (!(o.offset > 0))
        return x.refused(error_offset_of_the_logarithm_must_be_positive, {offset_in_thousandths, o.offset});
    const Tensor y = mels(context, x, count, o);
    return logarithm ? log(y + o.offset) : y;
}

}  // namespace detail

SIGMA_OPTIONS(STFT, options_are<struct frame, struct hop, struct fft, struct window>)

/// A short-time Fourier transform: X(t, k) = Σ w(n)·x(t·hop + n)·exp(-2πi·n·k / fft), over the samples n of a frame.
///
/// Frames begin at sample 0, and no samples are added at the ends. A frame that is shorter than the transform is
/// continued with zeros. With `fft` as long as `frame`, these are the numbers of `torch.stft(center=False)` with the
/// same window.
///
/// @par Shape
/// Input (batch, time) or (batch, time, 1). Output (batch, t, fft / 2 + 1, 2), with t = ⌊(time - frame) / hop⌋ + 1:
/// real and imaginary parts of the frequencies 0, 1 / fft, …, ½ of the sample rate.
///
/// @par Statistics of the network
/// `basis` (1, frame, 1, fft + 2): cosines and sines with the window. They are not trained, and model files have them.
///
/// @par Errors
/// `error_layer_needs_records_of_samples`, `error_frame_and_hop_must_be_positive`,
/// `error_fft_must_be_even_and_hold_a_frame`, `error_record_is_shorter_than_a_frame`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Phases : Network<Input(16000) + STFT({.hop = 200}) + Flatten() + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see Spectrogram, MelSpectrogram, docs/sound.md
struct STFT : Layer {
    FrameOptions options;  ///< Frames, their distance, the length of the transform, and the window.

    /// Constructs the layer.
    /// @param options_  frames, their distance, the length of the transform, and the window
    constexpr explicit STFT(FrameOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(STFT);

    static constexpr Text kind = "stft";

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const {
        const detail::Frames frames(options);
        if (!frames.good(x)) return x;
        const Tensor both = frames.transforms(context, x);
        return permute(reshape(both, {batch, frames.count(x), 2, frames.bins()}), {0, 1, 3, 2});
    }
    /// @endcond
};

SIGMA_OPTIONS(Spectrogram, options_are<struct frame, struct hop, struct fft, struct window>)

/// The powers |X(t, k)|² of a short-time Fourier transform, see `STFT`.
///
/// @par Shape
/// Input (batch, time) or (batch, time, 1). Output (batch, t, fft / 2 + 1), with t = ⌊(time - frame) / hop⌋ + 1.
///
/// @par Statistics of the network
/// `basis`, as `STFT`.
///
/// @par Errors
/// Those of `STFT`.
///
/// @par Example
/// @code
/// struct Tones : Network<Input(8000) + Spectrogram({.frame = 256, .hop = 128}) + Dense(12) + SoftmaxCE()> {};
/// @endcode
///
/// @see MelSpectrogram, docs/sound.md
struct Spectrogram : Layer {
    FrameOptions options;  ///< Frames, their distance, the length of the transform, and the window.

    /// Constructs the layer.
    /// @param options_  frames, their distance, the length of the transform, and the window
    constexpr explicit Spectrogram(FrameOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(Spectrogram);

    static constexpr Text kind = "spectrogram";

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const {
        const detail::Frames frames(options);
        return frames.good(x) ? frames.powers(context, x) : x;
    }
    /// @endcond
};

SIGMA_OPTIONS(MelSpectrogram, MelOptions)

/// The natural logarithms of powers in bands of equal width on the mel scale: ln(Σ B(b, k)·P(t, k) + offset), over the
/// frequencies k, for each frame t and band b. P is the output of `Spectrogram`.
///
/// A band is a triangle whose peak is 1 and whose feet are the peaks of its neighbours. On the mel scale, a frequency f
/// is at 2595·log₁₀(1 + f / 700) (O'Shaughnessy 1987), as in torchaudio.
///
/// @par Shape
/// Input (batch, time) or (batch, time, 1). Output (batch, t, mels), with t = ⌊(time - frame) / hop⌋ + 1.
///
/// @par Statistics of the network
/// `basis`, as `STFT`.
///
/// @par Errors
/// Those of `STFT`, `error_number_of_mels_must_be_positive`, `error_mel_frequencies_must_rise_from_0`,
/// `error_mel_frequency_is_above_half_of_the_sample_rate`, `error_offset_of_the_logarithm_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Words : Network<Input(16000) + MelSpectrogram(40) + Conv1D(32, 5, relu) + GlobalMaxPool() + Dense(4) +
///                        SoftmaxCE()> {};
/// @endcode
///
/// @see MFCC, Spectrogram, docs/sound.md
struct MelSpectrogram : Layer {
    int mels;            ///< Number of bands.
    MelOptions options;  ///< Sample rate, frames, frequencies and logarithm.

    /// Constructs the layer.
    /// @param mels_  number of bands, at least 1. Default: 40.
    /// @param options_  sample rate, frames, frequencies and logarithm
    constexpr explicit MelSpectrogram(int mels_ = 40, MelOptions options_ = {}) : mels(mels_), options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(MelSpectrogram, int);

    static constexpr Text kind = "mel_spectrogram";

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const {
        return detail::log_mels(context, x, mels, options, options.logarithm);
    }
    /// @endcond
};

SIGMA_OPTIONS(MFCC, MelOptions)

/// Mel-frequency cepstral coefficients (Davis and Mermelstein 1980): the discrete cosine transform of a logarithmic mel
/// spectrogram L, c(k) = s(k)·Σ cos(π·(b + ½)·k / mels)·L(b) over the bands b, with s(0) = √(1 / mels) and
/// s(k) = √(2 / mels).
///
/// @par Shape
/// Input (batch, time) or (batch, time, 1). Output (batch, t, coefficients), with t = ⌊(time - frame) / hop⌋ + 1.
///
/// @par Statistics of the network
/// `basis`, as `STFT`, and `cosines` (mels, coefficients).
///
/// @par Errors
/// Those of `MelSpectrogram`, `error_MFCC_needs_coefficients_from_1_to_the_number_of_mels`.
///
/// @par Example
/// @code
/// struct Words : Network<Input(8000) + MFCC(13, 26, {.sample_rate = 8000, .frame = 200, .hop = 80}) +
///                        GRU(32, {.last = true}) + Dense(4) + SoftmaxCE()> {};
/// @endcode
///
/// @see MelSpectrogram, docs/sound.md
struct MFCC : Layer {
    int coefficients;    ///< Number of coefficients, from the lowest on.
    int mels;            ///< Number of bands.
    MelOptions options;  ///< Sample rate, frames, frequencies and offset.

    /// Constructs the layer.
    /// @param coefficients_  number of coefficients, from 1 to `mels_`. Default: 13.
    /// @param mels_  number of bands, at least 1. Default: 40.
    /// @param options_  sample rate, frames, frequencies and offset
    constexpr explicit MFCC(int coefficients_ = 13, int mels_ = 40, MelOptions options_ = {})
        : coefficients(coefficients_), mels(mels_), options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(MFCC, int, int);

    static constexpr Text kind = "mfcc";

    constexpr Tensor forward(Context& context, detail::TensorOf auto x) const {
        if (coefficients < 1 || coefficients > mels)
            return x.refused(error_MFCC_needs_coefficients_from_1_to_the_number_of_mels,
                             {coefficients_given, coefficients}, {mels_given, mels});
        const Tensor bands = detail::log_mels(context, x, mels, options, true);
        if (bands.shape().rank != 3) return x;
        const auto cosine = [](const detail::ElementIndex& at, const Shape& s, detail::ElementRandom&) {
            return std::sqrt((at[1] == 0 ? 1.0 : 2.0) / s[0]) *
                   std::cos(std::numbers::pi * (at[0] + 0.5) * at[1] / s[0]);
        };
        return dot(bands, statistic(context, {mels, coefficients}, "cosines", custom(cosine)));
    }
    /// @endcond
};

}  // namespace sigma
