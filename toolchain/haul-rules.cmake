# Read by CMake when it has determined the CUDA compiler (haul.cmake). From here on haul cc counts as nvcc: before, CMake
# would have looked for nvcc's parts.
set(CMAKE_CUDA_COMPILER_ID NVIDIA)
include(Compiler/NVIDIA-CUDA)
include(Platform/${CMAKE_EFFECTIVE_SYSTEM_NAME}-NVIDIA-CUDA OPTIONAL)
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=gnu++20)
# Links do not get the flags of the language, so that they are told where the libraries are.
set(CMAKE_SHARED_LIBRARY_CREATE_CUDA_FLAGS "-shared \"--haul-libraries=${HAUL_LIBRARIES}\"")
set(CMAKE_CUDA_LINK_EXECUTABLE
  "<CMAKE_CUDA_HOST_LINK_LAUNCHER> \"--haul-libraries=${HAUL_LIBRARIES}\" <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
