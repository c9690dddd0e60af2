# SPDX-License-Identifier: BSL-1.0
# sigma_precompile(TARGET): compiles <sigma/sigma.hpp> once for all sources of TARGET, which must link a target of Sigma.
function(sigma_precompile target)
    if(NOT TARGET "${target}")
        message(FATAL_ERROR "sigma_precompile: expected a target, found '${target}'")
    endif()
    target_precompile_headers(${target} PRIVATE <sigma/sigma.hpp>)
endfunction()
