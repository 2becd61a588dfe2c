# The Debian packages: `make deb`. haul has the command with its parts, libhaul-dev what C programs are built with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME haul)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(HAUL_MAINTAINER "The haul maintainers <haul@example.org>" CACHE STRING "Who maintains the packages that are built here")
set(CPACK_PACKAGE_CONTACT ${HAUL_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual GPU that runs CUDA programs and shows their memory traffic")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL haul dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package-files.cmake)

set(CPACK_DEBIAN_HAUL_PACKAGE_NAME haul)
set(CPACK_DEBIAN_HAUL_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_HAUL_DESCRIPTION "haul executes PTX on the CPU with Nsight Compute's counters, finds races and
wasteful memory accesses in kernels, compares versions, and runs unmodified
CUDA programs. It includes a device library that stages data in shared memory.")
set(CPACK_DEBIAN_HAUL_PACKAGE_DEPENDS "python3:any") # share/haul/ci/check
# clang compiles kernels, and libLLVM compiles hot PTX to the host's code; haul works without either.
set(CPACK_DEBIAN_HAUL_PACKAGE_RECOMMENDS
  "clang (>= 1:14) | nvidia-cuda-toolkit, libllvm14 | libllvm15 | libllvm16 | libllvm17 | libllvm18 | libllvm19 | libllvm20 | libllvm21, libstdc++-12-dev | libstdc++-dev")
set(CPACK_DEBIAN_HAUL_PACKAGE_SUGGESTS "libhaul-dev, cmake, g++")
set(CPACK_DEBIAN_HAUL_PACKAGE_SHLIBDEPS ON)
# The packages that programs linked with libhaul.so.0 depend on. Structures differ between minor versions.
math(EXPR next "${PROJECT_VERSION_MINOR} + 1")
file(CONFIGURE OUTPUT control/shlibs CONTENT
  "libhaul ${PROJECT_VERSION_MAJOR} haul (>= ${PROJECT_VERSION}), haul (<< ${PROJECT_VERSION_MAJOR}.${next}~)\n")
file(CONFIGURE OUTPUT control/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_HAUL_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/control/shlibs ${PROJECT_BINARY_DIR}/control/triggers)
set(CPACK_DEBIAN_HAUL_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/standin)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libhaul-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "haul runs CUDA kernels without a GPU. This package has the C library behind its
command, and targets for CMake and pkg-config. The headers are in haul.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "haul (= ${PROJECT_VERSION}), libc6-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS ON)
include(CPack)
