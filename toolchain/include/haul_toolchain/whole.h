/* Included first in each CUDA source of a whole program. */
#include "../cuda_runtime.h"
#include "host_library.h"
#include "host_functions.h"
