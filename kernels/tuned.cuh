/* The constants of the shipped kernels, as tuned for the architecture that is compiled for: kernels/tuned/. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#include "tuned/sm_80.h"
#else
#include "tuned/sm_90.h"
#endif
