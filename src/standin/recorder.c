#include "standin/report.h"
CUresult standin_save_launch(const driver_table *d, standin_kernel_record *kernel, const CUlaunchConfig *config,
                             void **parameters) {
    (void)d, (void)kernel, (void)config, (void)parameters;
    return CUDA_SUCCESS;
}
haul_status standin_end_recording(void) {
    return HAUL_OK;
}
