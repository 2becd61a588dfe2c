/* Threads of one program call the virtual GPU's driver at the same time. */
#include "context.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 3000, BYTES = 256 };

static pthread_barrier_t all_are_there;

/* Memory, a stream, an event and a graph, used and given back. Returns the number of calls that failed. */
static int use_the_gpu(unsigned char value) {
    unsigned char got[BYTES] = {0};
    CUdeviceptr memory = 0;
    CUstream stream = NULL;
    CUevent event = NULL;
    CUgraph graph = NULL;
    CUgraphNode node;
    int failed = cu->allocate(&memory, BYTES) != CUDA_SUCCESS;
    failed += cu->stream_create(&stream, DRIVER_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS;
    failed += cu->event_create(&event, 0) != CUDA_SUCCESS;
    failed += cu->graph_create(&graph, 0) != CUDA_SUCCESS;
    failed += cu->node_add_empty(&node, graph, NULL, 0) != CUDA_SUCCESS;
    failed += cu->fill_bytes_async(memory, value, BYTES, stream) != CUDA_SUCCESS;
    failed += cu->event_record(event, stream) != CUDA_SUCCESS;
    failed += cu->event_synchronize(event) != CUDA_SUCCESS;
    failed += cu->copy_to_host_async(got, memory, BYTES, stream) != CUDA_SUCCESS;
    failed += cu->stream_synchronize(stream) != CUDA_SUCCESS;
    for (int i = 0; i < BYTES; i++) failed += got[i] != value;
    failed += cu->graph_destroy(graph) != CUDA_SUCCESS;
    failed += cu->event_destroy(event) != CUDA_SUCCESS;
    failed += cu->stream_destroy(stream) != CUDA_SUCCESS;
    return failed + (cu->release(memory) != CUDA_SUCCESS);
}

static void *run(void *number) {
    int failed = cu->context_set(context) != CUDA_SUCCESS;
    pthread_barrier_wait(&all_are_there);
    for (int i = 0; i < ROUNDS; i++) failed += use_the_gpu((unsigned char)(1 + (uintptr_t)number + (unsigned)i % 50));
    return (void *)(intptr_t)failed;
}

static void threads_share_a_context(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_are_there, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_int_equal((intptr_t)failed, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_a_context)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
