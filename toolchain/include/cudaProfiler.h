/* A name that some sources include; the functions are in cuda.h. */
#include "cuda.h"
