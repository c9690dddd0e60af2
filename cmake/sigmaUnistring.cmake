# SPDX-License-Identifier: BSL-1.0
# Finds libunistring, which sigma::data needs; sigma_toolkit::unistring is its library. Used here and by an installed
# sigmaConfig.cmake. Sets SIGMA_UNISTRING_FOUND.
find_path(SIGMA_UNISTRING_INCLUDE_DIR uniwbrk.h)
find_library(SIGMA_UNISTRING_LIBRARY unistring)
mark_as_advanced(SIGMA_UNISTRING_INCLUDE_DIR SIGMA_UNISTRING_LIBRARY)
set(SIGMA_UNISTRING_FOUND FALSE)
if(SIGMA_UNISTRING_INCLUDE_DIR AND SIGMA_UNISTRING_LIBRARY)
    set(SIGMA_UNISTRING_FOUND TRUE)
    if(NOT TARGET sigma_toolkit::unistring)
        add_library(sigma_toolkit::unistring UNKNOWN IMPORTED)
        set_target_properties(sigma_toolkit::unistring PROPERTIES IMPORTED_LOCATION ${SIGMA_UNISTRING_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${SIGMA_UNISTRING_INCLUDE_DIR})
    endif()
endif()
