# SPDX-License-Identifier: BSL-1.0
# An overlay port of the clone that contains it: vcpkg install sigma --overlay-ports=packaging/vcpkg
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
cmake_path(ABSOLUTE_PATH CURRENT_PORT_DIR NORMALIZE OUTPUT_VARIABLE SOURCE_PATH)
cmake_path(APPEND SOURCE_PATH ../../..)
cmake_path(NORMAL_PATH SOURCE_PATH)

set(options "")
foreach(part IN ITEMS data images machines onnx)
    string(TOUPPER ${part} word)
    set(value OFF)
    if(part IN_LIST FEATURES)
        set(value ON)
    endif()
    list(APPEND options -DSIGMA_${word}=${value})
endforeach()
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DSIGMA_BUILD_TESTS=OFF -DSIGMA_BUILD_EXAMPLES=OFF -DSIGMA_CUDA=OFF -DSIGMA_MONITOR=OFF -DSIGMA_SQLITE=OFF -DSIGMA_SOUND=OFF
            ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME sigma CONFIG_PATH share/cmake/sigma)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES sigma-model AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
