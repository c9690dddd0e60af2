// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Include this header for derivatives beyond the gradient: jvp, vjp, hvp, jacobian, hessian and vmap.
#include <sigma/xtensor.hpp>

#include <sigma/function/derivatives.hpp>
