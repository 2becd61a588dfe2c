/* The parts of the C and C++ library that nvcc includes in every file, for source that relies on it; kernels need none
 * of them, so that they compile where there is no C library for the host. */
#if __has_include(<stdlib.h>)
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>
#endif
