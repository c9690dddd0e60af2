# SPDX-License-Identifier: BSL-1.0
# Installs to an empty prefix, then configures, builds and runs tests/install/project against it. CUDA: whether it is to
# find sigma::cuda.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
# Moved, because an installed package must not remember where it was installed.
file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${SCRATCH}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved -DCMAKE_BUILD_TYPE=Release
    -DEXPECT_CUDA=${CUDA})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside)
if(CUDA)
    run(${CMAKE_COMMAND} -E chdir ${SCRATCH}/build ./outside_gpu)
    # Where the toolkit is no longer there, the others serve.
    run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${SCRATCH}/without -G ${GENERATOR}
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved
        -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
endif()
