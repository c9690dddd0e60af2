# SPDX-License-Identifier: BSL-1.0
# sigma::monitor: monitors of runs, in a browser. Compiled only. Needs Boost.Beast, nlohmann-json and uPlot, all of which stay
# within the library: who links it needs none of them.
set(SIGMA_MONITOR AUTO CACHE STRING "sigma::monitor: AUTO (where what it needs is), ON or OFF")
set_property(CACHE SIGMA_MONITOR PROPERTY STRINGS AUTO ON OFF)

set(SIGMA_UPLOT_VERSION 1.6.32)  # as in scripts/install-dependencies.sh
find_path(SIGMA_BEAST_INCLUDE_DIR boost/beast/websocket.hpp)
find_path(SIGMA_NLOHMANN_INCLUDE_DIR nlohmann/json.hpp)
find_path(SIGMA_UPLOT_DIR dist/uPlot.iife.min.js HINTS $ENV{SIGMA_NPM_CACHE}/uplot-${SIGMA_UPLOT_VERSION}
          $ENV{XDG_CACHE_HOME}/sigma/uplot-${SIGMA_UPLOT_VERSION} $ENV{HOME}/.cache/sigma/uplot-${SIGMA_UPLOT_VERSION}
          NO_DEFAULT_PATH DOC "The npm package uplot")
mark_as_advanced(SIGMA_BEAST_INCLUDE_DIR SIGMA_NLOHMANN_INCLUDE_DIR SIGMA_UPLOT_DIR)

set(missing "")
foreach(need IN ITEMS "SIGMA_BEAST_INCLUDE_DIR;Boost.Beast" "SIGMA_NLOHMANN_INCLUDE_DIR;nlohmann-json" "SIGMA_UPLOT_DIR;uPlot ${SIGMA_UPLOT_VERSION}")
    list(GET need 0 variable)
    list(GET need 1 word)
    if(NOT ${variable})
        list(APPEND missing "${word}")
    endif()
endforeach()
list(JOIN missing ", " missing)

if(NOT SIGMA_MONITOR)
    message(STATUS "SIGMA_MONITOR=${SIGMA_MONITOR}: sigma::monitor is left out")
elseif(missing AND SIGMA_MONITOR STREQUAL "AUTO")
    message(STATUS "Not found: ${missing}; sigma::monitor is left out (scripts/install-dependencies.sh monitor installs it)")
elseif(missing)
    message(FATAL_ERROR "SIGMA_MONITOR=${SIGMA_MONITOR}: not found: ${missing} (scripts/install-dependencies.sh monitor)")
else()
    message(STATUS "Boost.Beast, nlohmann-json, uPlot ${SIGMA_UPLOT_VERSION}: sigma::monitor is built")
    set(page ${PROJECT_BINARY_DIR}/sigma_monitor/page.cpp)
    file(GLOB_RECURSE page_files CONFIGURE_DEPENDS monitor/page/*)
    list(FILTER page_files EXCLUDE REGEX "/package\\.json$")  # is for tests of the page without a browser
    set(embedded "")
    foreach(file IN LISTS page_files)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/monitor/page OUTPUT_VARIABLE name)
        list(APPEND embedded "${name}=${file}")
    endforeach()
    foreach(file IN ITEMS dist/uPlot.iife.min.js dist/uPlot.min.css)
        cmake_path(GET file FILENAME name)
        list(APPEND embedded "${name}=${SIGMA_UPLOT_DIR}/${file}")
    endforeach()
    list(APPEND embedded "uPlot-LICENSE.txt=${SIGMA_UPLOT_DIR}/LICENSE")
    add_custom_command(OUTPUT ${page}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${page} "-DFILES=${embedded}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${page_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake ${PROJECT_SOURCE_DIR}/monitor/web/page.hpp VERBATIM)

    file(GLOB monitor_sources CONFIGURE_DEPENDS monitor/*.cpp monitor/web/*.cpp)
    add_library(sigma_monitor STATIC ${monitor_sources} ${page})
    add_library(sigma::monitor ALIAS sigma_monitor)
    target_sources(sigma_monitor PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${monitor_headers})
    target_include_directories(sigma_monitor PRIVATE ${PROJECT_SOURCE_DIR}/monitor)
    target_include_directories(sigma_monitor SYSTEM PRIVATE ${SIGMA_BEAST_INCLUDE_DIR} ${SIGMA_NLOHMANN_INCLUDE_DIR})
    target_compile_definitions(sigma_monitor PRIVATE "SIGMA_VERSION=\"${PROJECT_VERSION}\"")
    target_link_libraries(sigma_monitor PUBLIC sigma)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        target_compile_options(sigma_monitor PRIVATE -ffunction-sections -fdata-sections)
    endif()
    set_target_properties(sigma_monitor PROPERTIES EXPORT_NAME monitor POSITION_INDEPENDENT_CODE ON)
    list(APPEND components sigma_monitor)
    # Serves a folder of runs, to compare them.
    add_executable(sigma_runs monitor/programs/runs.cpp)
    target_link_libraries(sigma_runs PRIVATE sigma_monitor)
    set_target_properties(sigma_runs PROPERTIES OUTPUT_NAME sigma-runs)
    install(TARGETS sigma_runs)
    install(FILES ${SIGMA_UPLOT_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME uPlot-LICENSE.txt)
endif()
