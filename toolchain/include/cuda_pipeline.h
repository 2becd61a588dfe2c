/* The pipeline primitives by their other name, as the CUDA guides include them. */
#ifndef HAUL_TOOLCHAIN_CUDA_PIPELINE_H
#define HAUL_TOOLCHAIN_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_ /* programs ask for it */

#include "cuda_pipeline_primitives.h"

#endif
