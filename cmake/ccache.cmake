# SPDX-License-Identifier: BSL-1.0
# Compiles through ccache if it is installed, so that a second build in a folder of the same path compiles only what
# changed. Set CMAKE_CXX_COMPILER_LAUNCHER to use another launcher, or to "" for none.
if(DEFINED CMAKE_CXX_COMPILER_LAUNCHER OR DEFINED ENV{CMAKE_CXX_COMPILER_LAUNCHER})
    return()
endif()
find_program(SIGMA_CCACHE ccache)
mark_as_advanced(SIGMA_CCACHE)
if(NOT SIGMA_CCACHE)
    return()
endif()
# ccache takes -march=native for the same option on each processor. A cache may be shared by machines, so the instructions
# that the compiler chooses here are part of each key.
set(processor ${PROJECT_BINARY_DIR}/processor.txt)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null OUTPUT_VARIABLE instructions ERROR_QUIET)
file(CONFIGURE OUTPUT ${processor} CONTENT "${instructions}" @ONLY)
# The first setting lets ccache reuse precompiled headers. With the second, it compares files, not what is left of them
# after preprocessing: g++ includes a header again that differs from the precompiled one, be it in a comment only.
set(settings CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 CCACHE_EXTRAFILES=${processor})
# CCACHE_BASEDIR, which would find results of folders with another path, would change __FILE__.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # a checkout changes the times of headers
endif()
set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${settings} ${SIGMA_CCACHE})
