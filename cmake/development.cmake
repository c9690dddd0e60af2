# SPDX-License-Identifier: BSL-1.0
# What this project's own programs are built with; users of sigma::sigma get none of it.
enable_testing()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

set(SIGMA_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<BOOL:${SIGMA_WERROR}>:-Werror>)

add_library(sigma_development INTERFACE)
target_link_libraries(sigma_development INTERFACE sigma::sigma $<TARGET_NAME_IF_EXISTS:sigma::data>
                      $<TARGET_NAME_IF_EXISTS:sigma::images>)
target_compile_options(sigma_development INTERFACE ${SIGMA_WARNINGS} -march=${SIGMA_ARCH})
if(SIGMA_SANITIZE)
    target_compile_options(sigma_development INTERFACE
        -fsanitize=${SIGMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignore.txt>)
    target_link_options(sigma_development INTERFACE -fsanitize=${SIGMA_SANITIZE})
endif()
