/* The pipeline primitives by their other name, as the CUDA guides include them. */
#ifndef HAUL_TOOLCHAIN_CUDA_PIPELINE_H
#define HAUL_TOOLCHAIN_CUDA_PIPELINE_H

#include "cuda_pipeline_primitives.h"

#endif
