/* For the programs that measure two GPUs: calls that end the program if they fail. */
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        const cudaError_t error_ = (call);                                                             \
        if (error_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
            exit(1);                                                                                   \
        }                                                                                              \
    } while (0)

#ifdef WITH_NCCL
#include <nccl.h>

#define CHECK_NCCL(call)                                                                                \
    do {                                                                                                \
        const ncclResult_t result_ = (call);                                                            \
        if (result_ != ncclSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, ncclGetErrorString(result_)); \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)
#endif
