/* The constants of the shipped kernels, tuned for the target architecture: kernels/tuned/. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#include "tuned/sm_80.h"
#else
#include "tuned/sm_90.h"
#endif
