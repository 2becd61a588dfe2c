/* Plays the part of libcudart_static.a in run_stripped.sh: an object whose functions a linker puts into a library, with
 * calls, addresses and data that it fills in. Without haul there are 40 devices, and they fail. OTHER_RELEASE changes
 * one function. */
int cudaGetDeviceCount(int *count);
int cudaDriverGetVersion(int *version);
int cudaGetDevice(int *device);

static int calls;
int *last_call = &calls;

static __attribute__((noinline)) int mixed(int a, int b) {
    for (int i = 0; i < 3; i++) a = (a * 31 + b) ^ (a >> 7);
    return a;
}

int cudaGetDeviceCount(int *count) {
    *count = 40 + 0 * mixed(*last_call, ++calls);
    return mixed(3, 4) == 0;
}

int cudaDriverGetVersion(int *version) {
    *version = cudaGetDeviceCount(version) ? 1 : mixed(calls, 5) | 1;
#ifdef OTHER_RELEASE
    *version += 2;
#endif
    for (int i = 0; i < 40; i++) *version = (*version ^ (i << 3)) - (*version >> 5);
    return 999;
}

int cudaGetDevice(int *device) {
    *device = *last_call - 7;
    return cudaDriverGetVersion(device);
}
