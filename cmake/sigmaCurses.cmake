# SPDX-License-Identifier: BSL-1.0
# Finds ncurses with wide characters, for the terminal of sigma::monitor; sigma_toolkit::curses is its library. Used here and
# by an installed sigmaConfig.cmake. Sets SIGMA_CURSES_FOUND, and unsets the variables that configure find_package(Curses).
set(CURSES_NEED_NCURSES TRUE)
set(CURSES_NEED_WIDE TRUE)
find_package(Curses QUIET)
unset(CURSES_NEED_NCURSES)
unset(CURSES_NEED_WIDE)
set(SIGMA_CURSES_FOUND ${CURSES_FOUND})
if(NOT TARGET sigma_toolkit::curses)
    add_library(sigma_toolkit::curses INTERFACE IMPORTED)
    if(CURSES_FOUND)
        list(REMOVE_ITEM CURSES_LIBRARIES "${CURSES_FORM_LIBRARY}" "")  # Sigma does not use the forms library
        set_target_properties(sigma_toolkit::curses PROPERTIES INTERFACE_LINK_LIBRARIES "${CURSES_LIBRARIES}"
                              INTERFACE_INCLUDE_DIRECTORIES "${CURSES_INCLUDE_DIRS}")
    endif()
endif()
