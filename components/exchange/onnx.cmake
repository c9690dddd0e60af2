# SPDX-License-Identifier: BSL-1.0
# sigma::onnx: writes and reads models as ONNX files. It is always compiled. Programs need the library of protobuf to link,
# but no header of it. The format is ONNX's own .proto. Its package is renamed, so that a program can also link ONNX Runtime
# or ONNX's library.
set(SIGMA_ONNX AUTO CACHE STRING "Build sigma::onnx: AUTO (if protobuf and ONNX's .proto are installed), ON or OFF")
set_property(CACHE SIGMA_ONNX PROPERTY STRINGS AUTO ON OFF)

set(missing "")
if(SIGMA_ONNX)  # AUTO is true
    find_package(Protobuf 3.12)
    find_file(SIGMA_ONNX_PROTO NAMES onnx/onnx-ml.proto onnx/onnx.proto)
    mark_as_advanced(SIGMA_ONNX_PROTO)
    if(NOT (TARGET protobuf::libprotobuf-lite AND TARGET protobuf::protoc AND SIGMA_ONNX_PROTO))
        set(missing "protobuf or ONNX's .proto (scripts/install-dependencies.sh onnx installs them)")
    endif()
endif()
sigma_decide(SIGMA_ONNX sigma::onnx "protobuf ${Protobuf_VERSION}" "${missing}")
if(SIGMA_ONNX_FOUND)
    set(SIGMA_ONNX_FORMAT_DIR ${PROJECT_BINARY_DIR}/onnx_format)
    file(READ ${SIGMA_ONNX_PROTO} onnx_format)
    string(REGEX REPLACE "\npackage [^;]*;" "\npackage sigma.onnx_format;" onnx_format "${onnx_format}")
    file(CONFIGURE OUTPUT ${SIGMA_ONNX_FORMAT_DIR}/onnx_format.proto CONTENT "${onnx_format}" @ONLY)
    add_custom_command(OUTPUT ${SIGMA_ONNX_FORMAT_DIR}/onnx_format.pb.cc ${SIGMA_ONNX_FORMAT_DIR}/onnx_format.pb.h
                       COMMAND protobuf::protoc --cpp_out=lite:. onnx_format.proto
                       DEPENDS ${SIGMA_ONNX_FORMAT_DIR}/onnx_format.proto WORKING_DIRECTORY ${SIGMA_ONNX_FORMAT_DIR})
    set_source_files_properties(${SIGMA_ONNX_FORMAT_DIR}/onnx_format.pb.cc PROPERTIES COMPILE_OPTIONS -w SKIP_PRECOMPILE_HEADERS ON)  # generated code
    file(GLOB onnx_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/onnx/*.cpp)
    sigma_compiled_component(onnx ${onnx_sources} ${SIGMA_ONNX_FORMAT_DIR}/onnx_format.pb.cc)
    target_include_directories(sigma_onnx SYSTEM PRIVATE ${SIGMA_ONNX_FORMAT_DIR})
    target_link_libraries(sigma_onnx PUBLIC sigma_exchange PRIVATE protobuf::libprotobuf-lite)
    target_precompile_headers(sigma_onnx PRIVATE ${CMAKE_CURRENT_LIST_DIR}/onnx/import.hpp ${CMAKE_CURRENT_LIST_DIR}/onnx/translator.hpp)
endif()
