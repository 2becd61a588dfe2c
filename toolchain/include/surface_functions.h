/* A name that some sources include; the functions are all in cuda_runtime.h. */
#include "cuda_runtime.h"
