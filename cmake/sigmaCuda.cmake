# SPDX-License-Identifier: BSL-1.0
# Finds the libraries of sigma::cuda: the runtime, NVRTC and cuBLASLt of the CUDA toolkit, and NCCL if it is installed. Used
# here and by an installed sigmaConfig.cmake. Sets SIGMA_CUDA_FOUND, and SIGMA_CUDA_MISSING to the missing libraries.
# CMake's language CUDA is not enabled and nvcc is not called: user programs are ordinary C++.
set(SIGMA_CUDA_MISSING "")
find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND)
    set(SIGMA_CUDA_MISSING "CUDA toolkit")
elseif(CUDAToolkit_VERSION VERSION_LESS 12.8)  # the first version with cudaLibraryLoadData, which loads compiled kernels
    set(SIGMA_CUDA_MISSING "CUDA toolkit 12.8 or newer (${CUDAToolkit_VERSION} is installed)")
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
# CUDA::nvrtc of CMake 3.25 also links the driver's library, and such a program cannot start without a driver.
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
