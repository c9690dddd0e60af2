#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# header-libraries.sh FOLDER: what find_package finds there of this machine's header libraries when tests are compiled for another
# processor (/usr/include itself has headers of the C library, which are of this one) or over another standard library (Debian's
# Catch2 has its main function compiled over its own).
set -euo pipefail
folder=${1:?expected a folder}
mkdir -p "$folder/include" "$folder/xtensor" "$folder/Catch2"
for name in boost catch2 xsimd xtensor xtl; do ln -sfn "/usr/include/$name" "$folder/include/$name"; done
cat > "$folder/xtensor/xtensorConfig.cmake" <<'END'
add_library(xtensor INTERFACE IMPORTED GLOBAL)
target_include_directories(xtensor SYSTEM INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../include")
END
cat > "$folder/Catch2/Catch2Config.cmake" <<'END'
add_library(catch2_with_main STATIC "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
target_include_directories(catch2_with_main SYSTEM PUBLIC "${CMAKE_CURRENT_LIST_DIR}/../include")
add_library(Catch2::Catch2WithMain ALIAS catch2_with_main)
END
echo 'set(PACKAGE_VERSION 2.13.10)
set(PACKAGE_VERSION_COMPATIBLE TRUE)' > "$folder/Catch2/Catch2ConfigVersion.cmake"
printf '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n' > "$folder/Catch2/main.cpp"
