# SPDX-License-Identifier: BSL-1.0
# Finds libsndfile, which sigma::sound needs; sigma_toolkit::sndfile is its library. Used here and by an installed
# sigmaConfig.cmake. Sets SIGMA_SNDFILE_FOUND. Its file for pkg-config would add folders of codecs to each program.
find_path(SIGMA_SNDFILE_INCLUDE_DIR sndfile.h)
find_library(SIGMA_SNDFILE_LIBRARY sndfile)
mark_as_advanced(SIGMA_SNDFILE_INCLUDE_DIR SIGMA_SNDFILE_LIBRARY)
set(SIGMA_SNDFILE_FOUND FALSE)
if(SIGMA_SNDFILE_INCLUDE_DIR AND SIGMA_SNDFILE_LIBRARY)
    set(SIGMA_SNDFILE_FOUND TRUE)
    if(NOT TARGET sigma_toolkit::sndfile)
        add_library(sigma_toolkit::sndfile UNKNOWN IMPORTED)
        set_target_properties(sigma_toolkit::sndfile PROPERTIES IMPORTED_LOCATION ${SIGMA_SNDFILE_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${SIGMA_SNDFILE_INCLUDE_DIR})
    endif()
endif()
