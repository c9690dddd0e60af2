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
    add_library(sigma_machines STATIC machines/machines.cpp machines/beginning.cpp)
    add_library(sigma::machines ALIAS sigma_machines)
    target_compile_options(sigma_machines PRIVATE ${sigma_small})
    target_sources(sigma_machines PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${machine_headers})
    target_link_libraries(sigma_machines PUBLIC sigma PRIVATE MPI::MPI_CXX)
    set_target_properties(sigma_machines PROPERTIES EXPORT_NAME machines POSITION_INDEPENDENT_CODE ON)
    list(APPEND components sigma_machines)
endif()
