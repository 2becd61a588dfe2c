/* The parts of the C and C++ library that nvcc includes in every file, for source that relies on it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <utility>
