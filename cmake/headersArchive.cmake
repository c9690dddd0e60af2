# SPDX-License-Identifier: BSL-1.0
# cmake -DSOURCE=… -DLIST=… -DNAME=… -DFOLDER=… -P headersArchive.cmake: writes FOLDER/NAME.tar.xz with the files of SOURCE
# that LIST names, one a line, with data/ as share/sigma/, and with the licence. The same files give the same archive.
set(root ${FOLDER}/headers_archive/${NAME})
file(REMOVE_RECURSE ${FOLDER}/headers_archive)
file(STRINGS ${LIST} files)
foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    file(COPY ${SOURCE}/${file} DESTINATION ${root}/${folder})
endforeach()
file(COPY ${SOURCE}/data/ DESTINATION ${root}/share/sigma)
file(COPY ${SOURCE}/LICENSE DESTINATION ${root})
configure_file(${SOURCE}/packaging/headers/README.txt ${root}/README.txt @ONLY)
find_program(tar NAMES tar REQUIRED)
execute_process(COMMAND ${tar} --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w --mtime=2026-01-01T00:00Z
                        -cJf ${FOLDER}/${NAME}.tar.xz ${NAME}
                WORKING_DIRECTORY ${FOLDER}/headers_archive COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${FOLDER}/headers_archive)
