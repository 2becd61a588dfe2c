#include <kernels/tuned/sm_80.h>
#define KERNELS_ARCHITECTURE 80
#include <kernels/tables.h>
