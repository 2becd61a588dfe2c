/* nvcc accepts `__shared__ alignas(128) float tile[256];`, clang wants alignas in front of __shared__. The GNU
 * attribute may stand in either place, so in CUDA source alignas becomes that attribute; the function template takes
 * what alignas takes: a number, a type, or a pack of types. */
#ifndef HAUL_TOOLCHAIN_ALIGNAS_H
#define HAUL_TOOLCHAIN_ALIGNAS_H

template <unsigned long bytes> __attribute__((host, device)) constexpr unsigned long haul_tc_alignment() {
    return bytes;
}
template <class... T> __attribute__((host, device)) constexpr unsigned long haul_tc_alignment() {
    unsigned long largest = 1;
    const unsigned long all[] = {alignof(T)...};
    for (unsigned long each : all) largest = each > largest ? each : largest;
    return largest;
}

#define alignas(...) __attribute__((aligned(haul_tc_alignment<__VA_ARGS__>())))

#endif
