#include <kernels/tuned/sm_90.h>
#define KERNELS_ARCHITECTURE 90
#include <kernels/tables.h>
