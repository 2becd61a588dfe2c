/* Random work over several streams, ordered by events where needed. Whatever is waited for in between, and in which
 * order, memory ends as if all work had been done in the order of issue. */
#include "context.h"

enum { STREAMS = 5, PLACES = 8, HOSTS = 4, BYTES = 64, STEPS = 200, PROGRAMS = 200 };

static uint32_t seed = 7;

static unsigned draw(unsigned below) {
    seed = seed * 1664525u + 1013904223u;
    return (unsigned)(((uint64_t)(seed >> 4) * below) >> 28);
}

/* Places 0 to PLACES - 1 are buffers, the others pinned host memory; `model` holds their expected contents. */
typedef struct program {
    CUstream streams[STREAMS];
    CUevent events[PLACES + HOSTS];
    CUdeviceptr buffers[PLACES];
    unsigned char *hosts[HOSTS];
    unsigned char model[PLACES + HOSTS][BYTES];
    int last[PLACES + HOSTS]; /* the stream that touched it last; -1: none */
} program;

static void set_up(program *p) {
    *p = (program){0};
    for (int i = 0; i < STREAMS; i++) OK(cu->stream_create(&p->streams[i], DRIVER_STREAM_NON_BLOCKING, 0));
    for (int i = 0; i < PLACES + HOSTS; i++) {
        OK(cu->event_create(&p->events[i], 0));
        p->last[i] = -1;
    }
    for (int i = 0; i < PLACES; i++) {
        OK(cu->allocate(&p->buffers[i], BYTES));
        OK(cu->fill_bytes(p->buffers[i], 0, BYTES));
    }
    for (int i = 0; i < HOSTS; i++) {
        void *host;
        OK(cu->host_allocate(&host, BYTES, 0));
        p->hosts[i] = memset(host, 0, BYTES);
    }
}

static void clear(program *p) {
    for (int i = 0; i < STREAMS; i++) OK(cu->stream_destroy(p->streams[i]));
    for (int i = 0; i < PLACES + HOSTS; i++) OK(cu->event_destroy(p->events[i]));
    for (int i = 0; i < PLACES; i++) OK(cu->release(p->buffers[i]));
    for (int i = 0; i < HOSTS; i++) OK(cu->host_release(p->hosts[i]));
}

/* Makes stream `s` wait for the stream that touched the place last. */
static void claim(program *p, int s, int place) {
    if (p->last[place] >= 0 && p->last[place] != s) OK(cu->stream_wait(p->streams[s], p->events[place], 0));
}

static void leave(program *p, int s, int place) {
    OK(cu->event_record(p->events[place], p->streams[s]));
    p->last[place] = s;
}

static void copy(program *p, int s, int to, int from) {
    CUstream stream = p->streams[s];
    claim(p, s, to);
    claim(p, s, from);
    if (to < PLACES && from < PLACES)
        OK(cu->copy_on_device_async(p->buffers[to], p->buffers[from], BYTES, stream));
    else if (to < PLACES)
        OK(cu->copy_to_device_async(p->buffers[to], p->hosts[from - PLACES], BYTES, stream));
    else
        OK(cu->copy_to_host_async(p->hosts[to - PLACES], p->buffers[from], BYTES, stream));
    memcpy(p->model[to], p->model[from], BYTES);
    leave(p, s, to);
    leave(p, s, from);
}

static void fill(program *p, int s, int place) {
    const unsigned char value = (unsigned char)draw(256);
    claim(p, s, place);
    OK(cu->fill_bytes_async(p->buffers[place] + 8, value, BYTES / 2, p->streams[s]));
    memset(p->model[place] + 8, value, BYTES / 2);
    leave(p, s, place);
}

/* Lets the host write its own memory again. */
static void write_host(program *p, int place) {
    OK(cu->event_synchronize(p->events[place]));
    memset(p->hosts[place - PLACES], (int)draw(256), BYTES);
    memcpy(p->model[place], p->hosts[place - PLACES], BYTES);
    p->last[place] = -1;
}

static void wait_for_something(program *p) {
    switch (draw(5)) {
    case 0: OK(cu->stream_synchronize(p->streams[draw(STREAMS)])); break;
    case 1: OK(cu->event_synchronize(p->events[draw(PLACES + HOSTS)])); break;
    case 2: (void)cu->event_query(p->events[draw(PLACES + HOSTS)]); break;
    case 3: (void)cu->stream_query(p->streams[draw(STREAMS)]); break;
    default: break;
    }
}

static void step(program *p) {
    const int s = (int)draw(STREAMS);
    switch (draw(6)) {
    case 0: fill(p, s, (int)draw(PLACES)); break;
    case 1: copy(p, s, (int)draw(PLACES), PLACES + (int)draw(HOSTS)); break;
    case 2: copy(p, s, PLACES + (int)draw(HOSTS), (int)draw(PLACES)); break;
    case 3: write_host(p, PLACES + (int)draw(HOSTS)); break;
    case 4: wait_for_something(p); break;
    default: copy(p, s, (int)draw(PLACES), (int)draw(PLACES)); break;
    }
}

static void check(const program *p) {
    unsigned char got[BYTES];
    OK(cu->synchronize());
    for (int i = 0; i < PLACES; i++) {
        OK(cu->copy_to_host(got, p->buffers[i], BYTES));
        assert_memory_equal(got, p->model[i], BYTES);
    }
    for (int i = 0; i < HOSTS; i++) assert_memory_equal(p->hosts[i], p->model[PLACES + i], BYTES);
}

static void memory_ends_as_if_all_had_been_done_in_order(void **state) {
    (void)state;
    for (int k = 0; k < PROGRAMS; k++) {
        program p;
        set_up(&p);
        for (int i = 0; i < STEPS; i++) step(&p);
        check(&p);
        clear(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_ends_as_if_all_had_been_done_in_order)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
