# SPDX-License-Identifier: BSL-1.0
# Finds what sigma::cuda links: of the CUDA toolkit the runtime, NVRTC and cuBLASLt, and NCCL where it is. Used here and by
# an installed sigmaConfig.cmake. Sets SIGMA_CUDA_FOUND, or SIGMA_CUDA_MISSING to what was not found.
# CUDA's language is not enabled and nvcc not called: user programs are ordinary C++.
set(SIGMA_CUDA_MISSING "")
find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND)
    set(SIGMA_CUDA_MISSING "CUDA toolkit")
elseif(CUDAToolkit_VERSION VERSION_LESS 12.8)  # the first whose runtime loads compiled kernels (cudaLibraryLoadData)
    set(SIGMA_CUDA_MISSING "CUDA toolkit 12.8 or newer (${CUDAToolkit_VERSION} is here)")
else()
    foreach(library cudart nvrtc cublasLt)
        if(NOT CUDA_${library}_LIBRARY)
            list(APPEND SIGMA_CUDA_MISSING "${library} of the CUDA toolkit")
        endif()
    endforeach()
    list(JOIN SIGMA_CUDA_MISSING ", " SIGMA_CUDA_MISSING)
endif()
set(SIGMA_CUDA_FOUND TRUE)
if(SIGMA_CUDA_MISSING)
    set(SIGMA_CUDA_FOUND FALSE)
    return()
endif()
# CMake 3.25's CUDA::nvrtc links the driver's library, too, and a program that does cannot begin where there is no driver.
if(NOT TARGET sigma_toolkit::nvrtc)
    add_library(sigma_toolkit::nvrtc UNKNOWN IMPORTED)
    set_target_properties(sigma_toolkit::nvrtc PROPERTIES IMPORTED_LOCATION ${CUDA_nvrtc_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES "${CUDAToolkit_INCLUDE_DIRS}")
endif()
if(NOT TARGET sigma_toolkit::nccl)
    find_library(SIGMA_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
    find_path(SIGMA_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(SIGMA_NCCL_LIBRARY SIGMA_NCCL_INCLUDE_DIR)
    if(SIGMA_NCCL_LIBRARY AND SIGMA_NCCL_INCLUDE_DIR)
        add_library(sigma_toolkit::nccl UNKNOWN IMPORTED)
        set_target_properties(sigma_toolkit::nccl PROPERTIES IMPORTED_LOCATION ${SIGMA_NCCL_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${SIGMA_NCCL_INCLUDE_DIR})
    endif()
endif()
