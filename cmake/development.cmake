# SPDX-License-Identifier: BSL-1.0
# Options of this project's own programs. Users of sigma::sigma get none of them.
if(NOT xtensor_FOUND)
    message(FATAL_ERROR "Tests, examples and benchmarks need xtensor (scripts/install-dependencies.sh build); "
                        "-DSIGMA_BUILD_TESTS=OFF -DSIGMA_BUILD_EXAMPLES=OFF builds the library without it")
endif()
enable_testing()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

set(SIGMA_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<BOOL:${SIGMA_WERROR}>:-Werror>)

set(SIGMA_DEVELOPMENT_OPTIONS ${SIGMA_WARNINGS})
if(SIGMA_SANITIZE)
    list(APPEND SIGMA_DEVELOPMENT_OPTIONS -fsanitize=${SIGMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
# The library is compiled for any processor, as when it is installed. Programs are compiled for SIGMA_ARCH.
foreach(component IN LISTS components)
    target_compile_options(${component} PRIVATE ${SIGMA_DEVELOPMENT_OPTIONS})
endforeach()

option(SIGMA_HEADER_ONLY "Build tests, examples and benchmarks without the library" OFF)
# For programs with the library and for header-only programs. The property SIGMA_ARCH of a target overrides the option.
set(arch $<TARGET_PROPERTY:SIGMA_ARCH>)
foreach(form IN ITEMS "" _header_only)
    set(linked ${form})
    if(SIGMA_HEADER_ONLY)
        set(linked _header_only)
    endif()
    add_library(sigma_development${form} INTERFACE)
    target_compile_options(sigma_development${form} INTERFACE
                           ${SIGMA_DEVELOPMENT_OPTIONS} -march=$<IF:$<BOOL:${arch}>,${arch},${SIGMA_ARCH}>)
    target_link_libraries(sigma_development${form} INTERFACE $<TARGET_NAME_IF_EXISTS:sigma_sqlite${linked}>
                          $<TARGET_NAME_IF_EXISTS:sigma_sound${linked}>
                          $<TARGET_NAME_IF_EXISTS:sigma_images${linked}>
                          $<TARGET_NAME_IF_EXISTS:sigma_data${linked}> sigma${linked})
    if(SIGMA_SANITIZE)
        target_link_options(sigma_development${form} INTERFACE -fsanitize=${SIGMA_SANITIZE})
    endif()
endforeach()
