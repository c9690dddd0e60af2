# SPDX-License-Identifier: BSL-1.0
# sigma::exchange: models in files and as source. It is always compiled. It needs sigma::sigma, and uses zlib if installed.
# sigma::onnx is built if protobuf is installed (onnx.cmake).
set(exchange_folder ${CMAKE_CURRENT_LIST_DIR})
file(GLOB exchange_sources CONFIGURE_DEPENDS ${exchange_folder}/*.cpp ${exchange_folder}/cpp/*.cpp ${exchange_folder}/foreign/*.cpp)
# Kernels of integer products. A program chooses one when it starts.
set(int8_sets plain)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(int8_sets "")
    foreach(set IN LISTS SIGMA_INSTRUCTION_SETS)
        string(REGEX REPLACE "^sse2$" plain set ${set})
        list(APPEND int8_sets ${set})
    endforeach()
    if("avx512" IN_LIST int8_sets)
        list(APPEND int8_sets vnni)
    endif()
    set(int8_options_of_avx2 -march=x86-64-v3)
    set(int8_options_of_avx512 -march=x86-64-v4)
    set(int8_options_of_vnni -march=x86-64-v4 -mavx512vnni)
endif()
foreach(set IN LISTS int8_sets)
    set(source ${PROJECT_BINARY_DIR}/sigma_exchange/int8_${set}.cpp)
    string(TOUPPER ${set} word)
    file(CONFIGURE OUTPUT ${source} CONTENT "#define SIGMA_INT8 ${set}\n#define SIGMA_INT8_${word}\n#include <quantized/kernel.ipp>\n")
    set(level -O3)
    if(NOT set STREQUAL "avx2")
        # g++ 12 -O3 unrolls the plain kernel to 111 KB, which is 2 to 10 times slower, and those of AVX-512 to 187 KB.
        set(level -O2)
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${level};${int8_options_of_${set}}")
    list(APPEND exchange_sources ${source})
endforeach()
list(FILTER exchange_sources EXCLUDE REGEX "/c_abi\\.cpp$")
sigma_compiled_component(exchange ${exchange_sources})
target_link_libraries(sigma_exchange PUBLIC sigma)
target_compile_definitions(sigma_exchange PRIVATE ${sigma_sets_left_out})
if(ZLIB_FOUND)  # arrays of numpy.savez_compressed
    target_link_libraries(sigma_exchange PRIVATE ZLIB::ZLIB)
    target_compile_definitions(sigma_exchange PRIVATE SIGMA_ZLIB)
endif()
set_source_files_properties(${exchange_folder}/quantize.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")  # runs predictions

# The program that describes model files and predicts with them.
add_executable(sigma_model ${exchange_folder}/programs/model.cpp)
target_link_libraries(sigma_model PRIVATE $<TARGET_NAME_IF_EXISTS:sigma_onnx> sigma_exchange)
target_compile_definitions(sigma_model PRIVATE $<$<TARGET_EXISTS:sigma_onnx>:SIGMA_ONNX>)
set_target_properties(sigma_model PROPERTIES OUTPUT_NAME sigma-model)
install(TARGETS sigma_model COMPONENT sigma_tools)

# libsigma_c.so with <sigma/exchange/sigma.h>: saved models for C, and for languages that call C. Exports only sigma_*.
add_library(sigma_c SHARED ${exchange_folder}/c_abi.cpp)
target_sources(sigma_c PUBLIC FILE_SET HEADERS BASE_DIRS include FILES include/sigma/exchange/sigma.h)
target_link_libraries(sigma_c PRIVATE sigma_exchange)
set_target_properties(sigma_c PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(sigma_c PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,--version-script=${exchange_folder}/sigma_c.map)
    if(NOT SIGMA_SANITIZE)  # the program defines the functions of a sanitizer
        target_link_options(sigma_c PRIVATE -Wl,--no-undefined)
    endif()
    set_target_properties(sigma_c PROPERTIES LINK_DEPENDS ${exchange_folder}/sigma_c.map)
endif()
install(TARGETS sigma_c LIBRARY COMPONENT sigma_c NAMELINK_COMPONENT sigma_dev FILE_SET HEADERS)
