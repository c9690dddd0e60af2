# SPDX-License-Identifier: BSL-1.0
# sigma::machines: training by several processes, which MPI starts. It is always compiled. Programs need MPI's library to
# link, but no header of MPI.
set(SIGMA_MACHINES AUTO CACHE STRING "Build sigma::machines: AUTO (if MPI is installed), ON or OFF")
set_property(CACHE SIGMA_MACHINES PROPERTY STRINGS AUTO ON OFF)

set(missing "")
if(SIGMA_MACHINES)  # AUTO is true
    set(MPI_CXX_SKIP_MPICXX ON)  # only the C interface of MPI is used
    find_package(MPI COMPONENTS CXX)
    if(NOT MPI_CXX_FOUND)
        set(missing "MPI (scripts/install-dependencies.sh machines installs it)")
    endif()
endif()
sigma_decide(SIGMA_MACHINES sigma::machines "MPI ${MPI_CXX_VERSION}" "${missing}")
if(SIGMA_MACHINES_FOUND)
    file(GLOB machines_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
    sigma_compiled_component(machines ${machines_sources})
    target_link_libraries(sigma_machines PUBLIC sigma PRIVATE MPI::MPI_CXX)
endif()
