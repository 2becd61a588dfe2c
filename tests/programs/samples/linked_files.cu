// Two files that are compiled apart and linked on the device: functions, variables and constants of the other file.
#include "sample.h"
#include "linked_other.h"

__global__ void run(const int *in, int *out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    out[i] = mix(in[i], weights[i % 3]);
    const mixer f = choose_mixer(i % 2);
    out[i] += f(in[i], 1);
    atomicAdd(&calls, 1);
}

int main() {
    const int count = 300;
    int values[count], got[count], wrong = 0, counted = 0;
    for (int &v : values) v = (int)draw(1000);
    int *in = on_device(count, values), *out = on_device<int>(count);
    set_weights(3, 5, 7);
    run<<<3, 128>>>(in, out, count);
    to_host(got, out, count);
    CHECK(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
    for (int i = 0; i < count; i++) {
        const int weight = 3 + 2 * (i % 3), mixed = values[i] * weight ^ 0x55;
        wrong += got[i] != mixed + (i % 2 ? values[i] ^ 0x55 : values[i] + 1);
    }
    printf("%d calls, %d wrong\n", counted, wrong);
    expect("the other file's functions", wrong == 0 && counted == count);
    run_other(out, count);
    to_host(got, out, count);
    printf("the other file's kernel: %d\n", got[count - 1]);
    expect("the other file's kernel", got[count - 1] == 3 * (count - 1));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
