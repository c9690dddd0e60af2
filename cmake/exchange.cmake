# SPDX-License-Identifier: BSL-1.0
# sigma::exchange: models in files and as source. Compiled only; needs nothing beside sigma::sigma. sigma::onnx, beside it, is
# built where protobuf is, of which who links it needs the library and no header.
add_library(sigma_exchange STATIC)
file(GLOB exchange_sources CONFIGURE_DEPENDS exchange/*.cpp)
target_sources(sigma_exchange PRIVATE ${exchange_sources} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${exchange_headers})
add_library(sigma::exchange ALIAS sigma_exchange)
target_link_libraries(sigma_exchange PUBLIC sigma)
target_compile_options(sigma_exchange PRIVATE -ffunction-sections -fdata-sections)
set_target_properties(sigma_exchange PROPERTIES EXPORT_NAME exchange POSITION_INDEPENDENT_CODE ON)
list(APPEND components sigma_exchange)

# Says what is in a model file, and predicts.
add_executable(sigma_model exchange/programs/model.cpp)
target_link_libraries(sigma_model PRIVATE sigma_exchange)
set_target_properties(sigma_model PROPERTIES OUTPUT_NAME sigma-model)
install(TARGETS sigma_model)
