# SPDX-License-Identifier: BSL-1.0
# Installs as the README says, from nothing but SOURCE, to an empty prefix, then configures, builds and runs
# tests/install/project against it. BUILT: where the library is built, nothing if it is to be. CUDA: whether sigma::cuda is found.
# VERSION: the version of Sigma.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# configure(FOLDER WARNINGS OPTION...): the project outside; how often it is told that no build type is set.
function(configure folder warnings)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${SCRATCH}/${folder} -G ${GENERATOR}
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN}
        ERROR_VARIABLE said ECHO_ERROR_VARIABLE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "CMAKE_BUILD_TYPE" found "${said}")
    list(LENGTH found found)
    if(NOT found EQUAL warnings)
        message(FATAL_ERROR "expected ${warnings} warnings of a missing build type, found ${found}")
    endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --preset install -S ${SOURCE} -B ${SCRATCH}/configured -DCMAKE_CXX_COMPILER=${COMPILER} -DSIGMA_CUDA=${CUDA}
    -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON  # a bare machine has neither
    -DCMAKE_DISABLE_FIND_PACKAGE_xtensor=ON)
if(NOT BUILT)
    set(BUILT ${SCRATCH}/configured)
    run(${CMAKE_COMMAND} --build ${BUILT})
endif()
run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${SCRATCH}/prefix)
# Moved, because an installed package must not remember where it was installed.
file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
# Nor where it was built: programs say where its data is.
foreach(library IN ITEMS sigma sigma_data sigma_monitor)
    if(EXISTS ${SCRATCH}/moved/lib/lib${library}.a)
        file(STRINGS ${SCRATCH}/moved/lib/lib${library}.a remembered REGEX "^${SOURCE}/data$")
        if(remembered)
            message(FATAL_ERROR "expected that lib${library}.a does not know ${SOURCE}/data")
        endif()
    endif()
endforeach()
# Programs without xtensor need none: any use of it would be an error.
file(WRITE ${SCRATCH}/no_xtensor/xtensor/xstorage.hpp "#error \"expected a program without xtensor\"\n")
configure(build 0 -DCMAKE_BUILD_TYPE=Release -DEXPECT_CUDA=${CUDA} -DCMAKE_DISABLE_FIND_PACKAGE_xtensor=ON
          -DCMAKE_CXX_FLAGS=-I${SCRATCH}/no_xtensor)
file(STRINGS ${SCRATCH}/build/compile_commands.json commands REGEX "outside\\.cpp.*-march=native|-march=native.*outside\\.cpp")
if(NOT commands)
    message(FATAL_ERROR "expected that sigma::native compiles outside.cpp with -march=native")
endif()
# The same project with the sources below it.
configure(subdirectory 0 -DCMAKE_BUILD_TYPE=Release -DSUBDIRECTORY=${SOURCE} -DSIGMA_CUDA=${CUDA})
foreach(folder IN ITEMS build subdirectory)
    file(STRINGS ${SCRATCH}/${folder}/compile_commands.json commands REGEX "cmake_pch.*-c [^ ]*outside\\.cpp")
    if(NOT commands)
        message(FATAL_ERROR "expected that sigma_precompile gives outside.cpp in ${folder}/ a precompiled header")
    endif()
endforeach()
configure(none 1)
configure(flags 0 -DCMAKE_CXX_FLAGS=-O2)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside)
run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_header_only)
if(EXISTS ${SCRATCH}/moved/lib/libsigma_machines.a)
    run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_machines)
endif()
if(EXISTS ${SCRATCH}/moved/lib/libsigma_sqlite.a)
    run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_sqlite)
endif()
if(EXISTS ${SCRATCH}/moved/lib/libsigma_sound.a)
    run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_sound)
endif()
if(EXISTS ${SCRATCH}/moved/lib/libsigma_monitor.a)
    run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_monitor)
endif()
if(CUDA)
    run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_gpu)
    # Where the toolkit is no longer there, the others serve.
    configure(without 0 -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
endif()

# Without CMake, by pkg-config, which a Makefile asks.
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${SCRATCH}/moved/lib/pkgconfig)
    run(sh -c "${COMPILER} -O1 ${CMAKE_CURRENT_LIST_DIR}/project/outside.cpp -o ${SCRATCH}/outside_by_pkg_config \
$(${pkg_config} --cflags --libs sigma-images)")
    run(${SCRATCH}/outside_by_pkg_config)
    run(sh -c "${COMPILER} ${CMAKE_CURRENT_LIST_DIR}/share.cpp -o ${SCRATCH}/share_by_pkg_config \
$(${pkg_config} --cflags --libs sigma)")
    run(${SCRATCH}/share_by_pkg_config ${SCRATCH}/moved/lib/pkgconfig/../../share/sigma)
    run(sh -c "${COMPILER} ${CMAKE_CURRENT_LIST_DIR}/share.cpp -o ${SCRATCH}/share_by_header_only \
$(${pkg_config} --cflags --libs sigma-header-only)")
    run(${SCRATCH}/share_by_header_only ${SCRATCH}/moved/lib/pkgconfig/../../share/sigma)
    # Each installed library has its file, and each file the version of the library.
    file(GLOB libraries RELATIVE ${SCRATCH}/moved/lib ${SCRATCH}/moved/lib/libsigma*.a ${SCRATCH}/moved/lib/libsigma_c.so)
    list(TRANSFORM libraries REPLACE "^lib(.*)\\.(a|so)$" "\\1")
    list(TRANSFORM libraries REPLACE _ -)
    list(REMOVE_ITEM libraries sigma-gpu-algorithms)
    if(CUDA)
        list(APPEND libraries sigma-cuda)
    endif()
    foreach(name IN LISTS libraries)
        run(${pkg_config} --print-errors --exact-version=${VERSION} ${name})
    endforeach()
    if(CUDA)
        run(sh -c "${COMPILER} ${CMAKE_CURRENT_LIST_DIR}/project/outside_gpu.cpp -o ${SCRATCH}/gpu_by_pkg_config \
$(${pkg_config} --cflags --libs sigma-cuda)")
        run(${SCRATCH}/gpu_by_pkg_config)
    endif()
    find_program(c_compiler NAMES cc gcc clang)
    if(c_compiler)
        run(sh -c "${c_compiler} ${CMAKE_CURRENT_LIST_DIR}/../c_abi/flower.c -o ${SCRATCH}/flower_by_pkg_config \
$(${pkg_config} --cflags --libs sigma-c)")
    endif()
    if(EXISTS ${SCRATCH}/moved/lib/libsigma_sqlite.a)
        run(sh -c "${COMPILER} -O1 ${CMAKE_CURRENT_LIST_DIR}/project/outside_sqlite.cpp -o ${SCRATCH}/sqlite_by_pkg_config \
$(${pkg_config} --cflags --libs sigma-sqlite)")
        run(${SCRATCH}/sqlite_by_pkg_config)
    endif()
    if(EXISTS ${SCRATCH}/moved/lib/libsigma_sound.a)
        run(sh -c "${COMPILER} -O1 ${CMAKE_CURRENT_LIST_DIR}/project/outside_sound.cpp -o ${SCRATCH}/sound_by_pkg_config \
$(${pkg_config} --cflags --libs sigma-sound)")
        run(${SCRATCH}/sound_by_pkg_config)
    endif()
    if(EXISTS ${SCRATCH}/moved/lib/libsigma_machines.a)
        run(sh -c "${COMPILER} -O1 ${CMAKE_CURRENT_LIST_DIR}/project/outside_machines.cpp -o ${SCRATCH}/machines_by_pkg_config \
$(${pkg_config} --cflags --libs sigma-machines)")
        run(${SCRATCH}/machines_by_pkg_config)
    endif()
endif()

# Without CMake, and so without SIGMA_SHARE_DIR, data is found beside the headers.
run(${COMPILER} -std=c++20 -I${SCRATCH}/moved/include ${CMAKE_CURRENT_LIST_DIR}/share.cpp -o ${SCRATCH}/share)
run(${SCRATCH}/share ${SCRATCH}/moved/share/sigma)

# Headers of one version and a library of another do not link.
file(READ ${SCRATCH}/moved/include/sigma/core/version.hpp text)
string(REGEX REPLACE "(SIGMA_VERSION_PATCH) ([0-9]+)" "\\1 1\\2" text "${text}")
file(WRITE ${SCRATCH}/later/sigma/core/version.hpp "${text}")
file(WRITE ${SCRATCH}/version.cpp "#include <sigma/core/version.hpp>\nint main() { return sigma::version()[0] == 0; }\n")
set(command ${COMPILER} -O2 -std=c++20 -DSIGMA_COMPILED)
set(linked ${SCRATCH}/version.cpp -I${SCRATCH}/moved/include -o ${SCRATCH}/version -L${SCRATCH}/moved/lib -lsigma -pthread -Wl,--gc-sections)
run(${command} ${linked})
execute_process(COMMAND ${command} -I${SCRATCH}/later ${linked} RESULT_VARIABLE failed ERROR_VARIABLE said)
if(NOT failed OR NOT said MATCHES "library_has_version")
    message(FATAL_ERROR "expected that headers of another version do not link, found '${said}'")
endif()
