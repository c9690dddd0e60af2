# SPDX-License-Identifier: BSL-1.0
# Debian packages by `cpack`, and the archive of headers. docs/packages.md shows how to make and use them.
#   libsigma-dev   headers, static libraries, files for CMake and pkg-config (component sigma_dev)
#   libsigma-c0    libsigma_c.so, saved models for C programs (sigma_c)
#   sigma-tools    sigma-model and sigma-runs (sigma_tools)
#   sigma-data     data sets that Sigma ships (sigma_data)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sigma)
set(CPACK_PACKAGE_VENDOR "Sigma")
set(CPACK_PACKAGE_CONTACT "The Sigma authors <sigma@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own first line
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL sigma_dev sigma_c sigma_tools sigma_data)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# sigma_deb(COMPONENT PACKAGE SECTION SUMMARY TEXT)
function(sigma_deb component package section summary)
    string(TOUPPER ${component} word)
    list(JOIN ARGN "" text)
    set(CPACK_DEBIAN_${word}_PACKAGE_NAME ${package} PARENT_SCOPE)
    set(CPACK_DEBIAN_${word}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_DEBIAN_${word}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
    # Files that Debian's rules ask of each package. They are installed only into packages.
    foreach(file IN LISTS sigma_debian_files)
        install(FILES ${file} DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
    endforeach()
endfunction()

set(sigma_debian_files ${PROJECT_SOURCE_DIR}/packaging/debian/copyright)
find_program(SIGMA_GZIP gzip)
mark_as_advanced(SIGMA_GZIP)
if(SIGMA_GZIP)
    set(folder ${PROJECT_BINARY_DIR}/debian)
    string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or $SOURCE_DATE_EPOCH
    file(CONFIGURE OUTPUT ${folder}/changelog.Debian @ONLY CONTENT "sigma (@PROJECT_VERSION@-1) unstable; urgency=medium

  * Version @PROJECT_VERSION@. See CHANGELOG.md of its sources.

 -- @CPACK_PACKAGE_CONTACT@  @now@
")
    execute_process(COMMAND ${SIGMA_GZIP} -9nc ${folder}/changelog.Debian OUTPUT_FILE ${folder}/changelog.Debian.gz)
    list(APPEND sigma_debian_files ${folder}/changelog.Debian.gz)
    foreach(page IN ITEMS sigma-model sigma-runs)
        if(TARGET sigma_model AND page STREQUAL "sigma-model" OR TARGET sigma_runs AND page STREQUAL "sigma-runs")
            execute_process(COMMAND ${SIGMA_GZIP} -9nc ${PROJECT_SOURCE_DIR}/packaging/debian/${page}.1 OUTPUT_FILE ${folder}/${page}.1.gz)
            install(FILES ${folder}/${page}.1.gz DESTINATION share/man/man1 COMPONENT sigma_tools EXCLUDE_FROM_ALL)
        endif()
    endforeach()
endif()

# Without the packages of the first list, find_package(sigma) fails. Programs with sigma::monitor, sigma::machines or
# sigma::onnx need one of the others, too.
set(needs "libsigma-c${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-1)" libc6-dev)
set(useful g++ cmake sigma-data)
if(TARGET sigma_data)
    list(APPEND needs zlib1g-dev libarchive-dev libcurl4-openssl-dev libssl-dev libunistring-dev)
elseif(ZLIB_FOUND)
    list(APPEND needs zlib1g-dev)
endif()
if(TARGET sigma_images)
    list(APPEND needs pkg-config libpng-dev libturbojpeg0-dev)
endif()
if("terminal" IN_LIST monitor_parts)
    list(APPEND useful libncurses-dev)
endif()
set(possible libxtensor-dev libboost-dev)
if(TARGET sigma_sqlite)
    list(APPEND possible libsqlite3-dev)
endif()
if(TARGET sigma_sound)
    list(APPEND possible libsndfile1-dev)
endif()
if(TARGET sigma_machines)
    list(APPEND possible libopenmpi-dev)
endif()
if(TARGET sigma_onnx)
    list(APPEND possible libprotobuf-dev)
endif()
list(JOIN needs ", " CPACK_DEBIAN_SIGMA_DEV_PACKAGE_DEPENDS)
list(JOIN useful ", " CPACK_DEBIAN_SIGMA_DEV_PACKAGE_RECOMMENDS)
list(JOIN possible ", " CPACK_DEBIAN_SIGMA_DEV_PACKAGE_SUGGESTS)
set(CPACK_DEBIAN_SIGMA_C_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SIGMA_C_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/shlibs @ONLY
     CONTENT "libsigma_c @PROJECT_VERSION_MAJOR@ libsigma-c@PROJECT_VERSION_MAJOR@ (>= @PROJECT_VERSION@)\n")
set(CPACK_DEBIAN_SIGMA_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SIGMA_DATA_PACKAGE_ARCHITECTURE all)

sigma_deb(sigma_dev libsigma-dev libdevel "deep learning inside C++ programs (development files)"
    "Sigma is a C++20 library for defining, training and running neural\nnetworks. A network is one expression, whose shapes the compiler checks.\n"
    "\nThis package has the headers, the static libraries, and the files for\nCMake and pkg-config.")
sigma_deb(sigma_c libsigma-c${PROJECT_VERSION_MAJOR} libs "deep learning inside C++ programs (library for C)"
    "Sigma is a C++20 library for defining, training and running neural\nnetworks.\n"
    "\nThis package has the shared library with which programs in C, and in\nlanguages that call C, load saved models and predict with them.")
sigma_deb(sigma_tools sigma-tools science "deep learning inside C++ programs (programs)"
    "Sigma is a C++20 library for defining, training and running neural\nnetworks.\n"
    "\nThis package has sigma-model, which shows, checks, converts and applies\nsaved models, and sigma-runs, which shows recorded trainings in a browser.")
sigma_deb(sigma_data sigma-data science "deep learning inside C++ programs (data sets)"
    "Sigma is a C++20 library for defining, training and running neural\nnetworks.\n"
    "\nThis package has small data sets, such as the test images of MNIST,\nwhich the library finds by name.")
include(CPack)

# The target headers_archive: sigma-headers-VERSION.tar.xz for programs of sigma::header_only, sigma::data_header_only and
# sigma::images_header_only. It has their headers, the data sets and the licence.
set(SIGMA_HEADERS_ARCHIVE sigma-headers-${PROJECT_VERSION})
set(archived ${headers} ${data_headers} ${image_headers})
list(SORT archived)
list(TRANSFORM archived REPLACE "^${PROJECT_SOURCE_DIR}/" "")
list(JOIN archived "\n" lines)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers_archive.txt CONTENT "${lines}\n" @ONLY)
add_custom_target(headers_archive
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DLIST=${PROJECT_BINARY_DIR}/headers_archive.txt
            -DNAME=${SIGMA_HEADERS_ARCHIVE} -DFOLDER=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/headersArchive.cmake
    VERBATIM)
