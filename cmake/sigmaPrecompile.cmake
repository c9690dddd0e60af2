# SPDX-License-Identifier: BSL-1.0
# sigma_precompile(TARGET): <sigma/sigma.hpp> is read once for all sources of the target, which links a target of sigma's.
function(sigma_precompile target)
    if(NOT TARGET "${target}")
        message(FATAL_ERROR "sigma_precompile: expected a target, found '${target}'")
    endif()
    target_precompile_headers(${target} PRIVATE <sigma/sigma.hpp>)
endfunction()
