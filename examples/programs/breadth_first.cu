// Breadth-first search of a random graph: frontiers as queues, which threads fill by atomic operations.
#include "sample.h"

enum { NODES = 3000, EDGES = 9000 };

__global__ void expand(const int *first, const int *to, int *level, const int *frontier, int size, int *next,
                       int *next_size, int depth) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        const int node = frontier[i];
        for (int e = first[node]; e < first[node + 1]; e++)
            if (atomicCAS(&level[to[e]], -1, depth) == -1) next[atomicAdd(next_size, 1)] = to[e];
    }
}

static int degree[NODES], first[NODES + 1], to[EDGES], level[NODES], want[NODES], queue[NODES];

static int search_on_host(void) {
    int size = 1, deepest = 0;
    for (int &w : want) w = -1;
    want[queue[0] = 0] = 0;
    for (int head = 0; head < size; head++)
        for (int e = first[queue[head]]; e < first[queue[head] + 1]; e++) {
            if (want[to[e]] >= 0) continue;
            want[to[e]] = deepest = want[queue[head]] + 1;
            queue[size++] = to[e];
        }
    return deepest;
}

int main() {
    for (int e = 0; e < EDGES; e++) degree[draw(NODES)]++;
    for (int n = 0, e = 0; n < NODES; n++) {
        for (int k = 0; k < degree[n]; k++, e++) to[e] = (int)((n + draw(400)) % NODES); // to nodes nearby
        first[n + 1] = e;
    }
    const int deepest = search_on_host();

    int *on_first = on_device(NODES + 1, first), *on_to = on_device(EDGES, to), *on_level = on_device<int>(NODES);
    int *frontier = on_device<int>(NODES), *next = on_device<int>(NODES), *next_size = on_device<int>(1);
    int size = 1, depth = 0, reached = 1, wrong = 0;
    CHECK(cudaMemset(on_level, 0xff, sizeof level));
    CHECK(cudaMemset(on_level, 0, sizeof(int))); // node 0
    CHECK(cudaMemset(frontier, 0, sizeof(int)));
    while (size) {
        CHECK(cudaMemset(next_size, 0, sizeof *next_size));
        expand<<<8, 128>>>(on_first, on_to, on_level, frontier, size, next, next_size, ++depth);
        to_host(&size, next_size, 1);
        reached += size;
        int *other = frontier;
        frontier = next;
        next = other;
    }
    to_host(level, on_level, NODES);
    for (int n = 0; n < NODES; n++) wrong += level[n] != want[n];
    printf("%d nodes reached, the last in step %d, %d wrong\n", reached, depth - 1, wrong);
    expect("levels", wrong == 0 && depth - 1 == deepest);
    for (int *p : {on_first, on_to, on_level, frontier, next, next_size}) CHECK(cudaFree(p));
    return finish();
}
