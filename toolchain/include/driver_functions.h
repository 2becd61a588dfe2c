/* The makers of extents and pitched pointers, under the name that some sources include. */
#include "builtin_types.h"
