# SPDX-License-Identifier: BSL-1.0
# sigma::exchange: models in files and as source. Compiled only; needs nothing beside sigma::sigma. sigma::onnx, beside it, is
# built where protobuf is, of which who links it needs the library and no header.
add_library(sigma_exchange STATIC)
file(GLOB exchange_sources CONFIGURE_DEPENDS exchange/*.cpp)
list(FILTER exchange_sources EXCLUDE REGEX "/c_abi\\.cpp$")
target_sources(sigma_exchange PRIVATE ${exchange_sources} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${exchange_headers})
add_library(sigma::exchange ALIAS sigma_exchange)
target_link_libraries(sigma_exchange PUBLIC sigma)
target_compile_options(sigma_exchange PRIVATE -ffunction-sections -fdata-sections)
set_target_properties(sigma_exchange PROPERTIES EXPORT_NAME exchange POSITION_INDEPENDENT_CODE ON)
list(APPEND components sigma_exchange)

# libsigma_c.so, <sigma/exchange/sigma.h>: saved models in programs of C, and of all that can call it. Shows sigma_* alone.
add_library(sigma_c SHARED exchange/c_abi.cpp)
target_sources(sigma_c PUBLIC FILE_SET HEADERS BASE_DIRS include FILES include/sigma/exchange/sigma.h)
target_link_libraries(sigma_c PRIVATE sigma_exchange)
set_target_properties(sigma_c PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(sigma_c PRIVATE -Wl,--gc-sections $<$<NOT:$<BOOL:${SIGMA_SANITIZE}>>:-Wl,--no-undefined>
                        -Wl,--version-script=${PROJECT_SOURCE_DIR}/exchange/sigma_c.map)
    set_target_properties(sigma_c PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/exchange/sigma_c.map)
endif()
install(TARGETS sigma_c FILE_SET HEADERS)
