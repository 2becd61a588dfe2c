/* The log of failed calls (log.c). */
#ifndef HAUL_STANDIN_CUDA_LOG_H
#define HAUL_STANDIN_CUDA_LOG_H

#include "standin/cuda/cuda.h"

void cuda_add_log(const char *message);

#endif
