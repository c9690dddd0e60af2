# SPDX-License-Identifier: BSL-1.0
# sigma::benchmark: comparisons of running times. It is always compiled, and needs no other package.
file(GLOB benchmark_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
sigma_compiled_component(benchmark ${benchmark_sources})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/rates.cpp PROPERTIES COMPILE_OPTIONS "-O3")
target_link_libraries(sigma_benchmark PUBLIC sigma)
