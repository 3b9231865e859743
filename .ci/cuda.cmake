# Finds NVIDIA's files: nvPTXCompiler and libdevice for the compiler, cuda.h for the loader. .ci/fetch-deps.sh fetches
# all of them into TILE_DEPS_DIR. Without that, a CUDA toolkit serves where its version allows.
#
# libdevice is taken only from a toolkit of the release that the assembler is pinned to: it decides the last bit of
# exp, sin and their kin, and two builds of one commit should agree on it. cuda.h is good from 13.0 on.
#
# Defines the targets `cuda_headers` and `nvptxcompiler`, and TILE_LIBDEVICE, the path of libdevice.10.bc.
if(DEFINED ENV{TILE_DEPS_DIR})
  set(default_deps $ENV{TILE_DEPS_DIR})
else()
  set(default_deps ${CMAKE_SOURCE_DIR}/.cache/deps)
endif()
set(TILE_DEPS_DIR ${default_deps} CACHE PATH "Where .ci/fetch-deps.sh put NVIDIA's files")
set(TILE_CUDA_RELEASE 13.5)
set(get_deps "  Fetch it (97 MB) with: .ci/fetch-deps.sh\n"
             "  or pass the folder that holds include/, lib/ and libdevice/ as -DTILE_DEPS_DIR=...")

set(toolkit_version 0)
find_path(TILE_CUDA_TOOLKIT include/cuda.h HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda
          NO_DEFAULT_PATH)
if(TILE_CUDA_TOOLKIT)
  file(STRINGS ${TILE_CUDA_TOOLKIT}/include/cuda.h version_line REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" version "${version_line}")
  math(EXPR major "${version} / 1000")
  math(EXPR minor "${version} % 1000 / 10")
  set(toolkit_version ${major}.${minor})
endif()

# Every header of a toolkit beside cuda.h stays out of reach: nothing here uses the CUDA run-time library.
if(EXISTS ${TILE_DEPS_DIR}/include/cuda.h)
  set(cuda_header ${TILE_DEPS_DIR}/include/cuda.h)
elseif(toolkit_version VERSION_GREATER_EQUAL 13.0)
  set(cuda_header ${TILE_CUDA_TOOLKIT}/include/cuda.h)
else()
  message(FATAL_ERROR "cuda.h was found neither in ${TILE_DEPS_DIR} nor in a CUDA toolkit of 13.0 or later.\n"
          ${get_deps})
endif()
configure_file(${cuda_header} ${CMAKE_BINARY_DIR}/cuda/cuda.h COPYONLY)
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/cuda)

if(TILE_ENABLE_COMPILER)
  if(NOT EXISTS ${TILE_DEPS_DIR}/lib/libnvptxcompiler_static.a)
    message(FATAL_ERROR "libnvptxcompiler_static.a of CUDA ${TILE_CUDA_RELEASE} was not found in ${TILE_DEPS_DIR}.\n"
            ${get_deps})
  endif()
  find_package(Threads REQUIRED)
  add_library(nvptxcompiler STATIC IMPORTED)
  set_target_properties(nvptxcompiler PROPERTIES
    IMPORTED_LOCATION ${TILE_DEPS_DIR}/lib/libnvptxcompiler_static.a
    INTERFACE_INCLUDE_DIRECTORIES ${TILE_DEPS_DIR}/include
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m;${CMAKE_DL_LIBS}")

  if(EXISTS ${TILE_DEPS_DIR}/libdevice/libdevice.10.bc)
    set(TILE_LIBDEVICE ${TILE_DEPS_DIR}/libdevice/libdevice.10.bc)
  elseif(toolkit_version VERSION_EQUAL TILE_CUDA_RELEASE)
    set(TILE_LIBDEVICE ${TILE_CUDA_TOOLKIT}/nvvm/libdevice/libdevice.10.bc)
  else()
    message(FATAL_ERROR "libdevice.10.bc was found neither in ${TILE_DEPS_DIR} nor in a CUDA toolkit of "
            "${TILE_CUDA_RELEASE}.\n" ${get_deps})
  endif()
endif()
