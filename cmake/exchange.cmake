# SPDX-License-Identifier: BSL-1.0
# sigma::exchange: models in files and as source. Compiled only; needs nothing beside sigma::sigma, and zlib where it is. sigma::onnx, beside it, is
# built where protobuf is, of which who links it needs the library and no header.
add_library(sigma_exchange STATIC)
file(GLOB exchange_sources CONFIGURE_DEPENDS exchange/*.cpp exchange/cpp/*.cpp exchange/foreign/*.cpp)
# Products of whole numbers, of which a program chooses when it starts.
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
        # g++ 12 -O3 unrolls the plain one to 111 KB, 2 to 10 times as slow, and those of AVX-512 to 187 KB.
        set(level -O2)
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${level};${int8_options_of_${set}}")
    list(APPEND exchange_sources ${source})
endforeach()
list(FILTER exchange_sources EXCLUDE REGEX "/c_abi\\.cpp$")
target_include_directories(sigma_exchange PRIVATE ${PROJECT_SOURCE_DIR}/exchange)
target_sources(sigma_exchange PRIVATE ${exchange_sources} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${exchange_headers})
add_library(sigma::exchange ALIAS sigma_exchange)
target_link_libraries(sigma_exchange PUBLIC sigma)
target_compile_definitions(sigma_exchange PRIVATE ${sigma_sets_left_out})
if(ZLIB_FOUND)  # arrays of numpy.savez_compressed
    target_link_libraries(sigma_exchange PRIVATE ZLIB::ZLIB)
    target_compile_definitions(sigma_exchange PRIVATE SIGMA_ZLIB)
endif()
target_compile_options(sigma_exchange PRIVATE ${sigma_small} -ffunction-sections -fdata-sections)
set_source_files_properties(exchange/quantize.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")  # it predicts
set_target_properties(sigma_exchange PROPERTIES EXPORT_NAME exchange POSITION_INDEPENDENT_CODE ON)
list(APPEND components sigma_exchange)

# Says what is in a model file, and predicts.
add_executable(sigma_model exchange/programs/model.cpp)
target_link_libraries(sigma_model PRIVATE $<TARGET_NAME_IF_EXISTS:sigma_onnx> sigma_exchange)
target_compile_definitions(sigma_model PRIVATE $<$<TARGET_EXISTS:sigma_onnx>:SIGMA_ONNX>)
set_target_properties(sigma_model PROPERTIES OUTPUT_NAME sigma-model)
install(TARGETS sigma_model)

# libsigma_c.so, <sigma/exchange/sigma.h>: saved models in programs of C, and of all that can call it. Shows sigma_* alone.
add_library(sigma_c SHARED exchange/c_abi.cpp)
target_sources(sigma_c PUBLIC FILE_SET HEADERS BASE_DIRS include FILES include/sigma/exchange/sigma.h)
target_link_libraries(sigma_c PRIVATE sigma_exchange)
set_target_properties(sigma_c PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(sigma_c PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,--version-script=${PROJECT_SOURCE_DIR}/exchange/sigma_c.map)
    if(NOT SIGMA_SANITIZE)  # whose functions are the program's
        target_link_options(sigma_c PRIVATE -Wl,--no-undefined)
    endif()
    set_target_properties(sigma_c PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/exchange/sigma_c.map)
endif()
install(TARGETS sigma_c FILE_SET HEADERS)
