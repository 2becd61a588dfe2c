// Managed memory: a linked list and a variable that host and device share, with advice and prefetching.
#include "sample.h"

struct link {
    int value;
    link *next;
};

__managed__ int longest = -1;
__managed__ long long sums[4];

__global__ void add_lists(link *const *lists) {
    int length = 0;
    long long sum = 0;
    for (const link *l = lists[threadIdx.x]; l; l = l->next, length++) sum += l->value;
    sums[threadIdx.x] = sum;
    atomicMax(&longest, length);
}

__global__ void append(link *list, link *last) {
    while (list->next) list = list->next;
    list->next = last;
    last->value = 1000;
    last->next = nullptr;
}

int main() {
    const int lists = 4;
    link **heads, *links, *last;
    long long want[lists] = {};
    int device, used = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaMallocManaged((void **)&heads, lists * sizeof *heads));
    CHECK(cudaMallocManaged((void **)&links, 100 * sizeof *links));
    CHECK(cudaMallocManaged((void **)&last, sizeof *last));
    for (int l = 0; l < lists; l++) {
        heads[l] = nullptr;
        for (int i = 0; i < 10 * l + 5; i++) {
            links[used] = {(int)draw(100), heads[l]};
            want[l] += links[used].value;
            heads[l] = &links[used++];
        }
    }
    const cudaMemLocation here = {cudaMemLocationTypeDevice, device}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(links, 100 * sizeof *links, cudaMemAdviseSetReadMostly, here));
    CHECK(cudaMemPrefetchAsync(links, 100 * sizeof *links, here, 0, 0));
    add_lists<<<1, lists>>>(heads);
    CHECK(cudaDeviceSynchronize());
    for (int l = 0; l < lists; l++) {
        printf("list %d: %lld\n", l, sums[l]);
        expect("the sum of a list", sums[l] == want[l]);
    }
    printf("longest: %d\n", longest);
    expect("the longest list", longest == 35);

    CHECK(cudaMemAdvise(links, 100 * sizeof *links, cudaMemAdviseUnsetReadMostly, here));
    append<<<1, 1>>>(heads[3], last);
    CHECK(cudaMemPrefetchAsync(links, 100 * sizeof *links, host, 0, 0));
    CHECK(cudaDeviceSynchronize());
    long long sum = 0;
    for (const link *l = heads[3]; l; l = l->next) sum += l->value;
    printf("list 3 with what the device appended: %lld\n", sum);
    expect("the appended link", sum == want[3] + 1000);
    CHECK(cudaFree(heads));
    CHECK(cudaFree(links));
    CHECK(cudaFree(last));
    return finish();
}
