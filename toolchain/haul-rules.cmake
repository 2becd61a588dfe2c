# Read by CMake when it has determined the CUDA compiler (haul.cmake). From here on haul cc counts as nvcc: before, CMake
# would have looked for nvcc's parts.
set(CMAKE_CUDA_COMPILER_ID NVIDIA)
include(Compiler/NVIDIA-CUDA)
include(Platform/${CMAKE_EFFECTIVE_SYSTEM_NAME}-NVIDIA-CUDA OPTIONAL)
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=gnu++20)
