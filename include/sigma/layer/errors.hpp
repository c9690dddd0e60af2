// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tensor.hpp>

/// What layers have in common that are told what they cannot do; each layer's own mistakes stand with it.
namespace sigma {

inline constexpr Given::Label input_is{"input"}, output_is{"output"}, in_thousandths{"given"};
inline constexpr Fault error_layer_does_not_accept{"the layer does not accept this input"};

/// What a layer may be told in braces, as a mistake in that lists it.
template <class...>
struct options_are;

/// These are the options of a layer, which a mistake in them lists; the shorter the better.
#define SIGMA_OPTIONS(layer, ...)              \
    template <class>                           \
    struct error_##layer##_has_no_such_option; \
    namespace takes {                          \
    using layer = __VA_ARGS__;                 \
    }
/// In a layer: behind these arguments, what no other constructor takes is an option in braces that there is not.
#define SIGMA_NO_OTHER(layer, ...)                                              \
    template <class Unknown = error_##layer##_has_no_such_option<takes::layer>> \
    constexpr explicit layer(__VA_ARGS__ __VA_OPT__(, )...) = delete

}  // namespace sigma
