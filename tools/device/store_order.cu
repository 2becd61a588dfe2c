// Prints whose value stays where lanes of one store instruction share an address: the lowest lane, the highest, or a
// list of slot:lane. tests/sim/exec/ops/test_store_order.c has the rule that an H200 follows.
//
//   nvcc -arch=sm_90 store_order.cu -o store_order && ./store_order
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { PATTERNS = 12, KINDS = 16, BLOCKS = 264, SLOTS = 32 };
static const char *pattern_names[PATTERNS] = {
    "all",    "lane/2",           "lane%16",        "lane%8",  "lane/4",  "descending/2",
    "hash%8", "lane%16 one bank", "all, odd lanes", "lane%24", "lane/16", "hash%16 one bank"};
static const char *kind_names[KINDS] = {"s8",          "s16",         "s32",          "s64",        "s32x2", "s32x4",
                                        "g8",          "g16",         "g32",          "g64",        "g32x2", "g32x4",
                                        "generic s32", "stmatrix x1", "l32 as s16x2", "cp.async 16"};

__device__ int slot_of(int pattern, int lane) {
    unsigned h = (lane * 2654435761u) >> 7;
    switch (pattern) {
    case 0:
    case 8: return 0;
    case 1: return lane / 2;
    case 2: return lane % 16;
    case 3: return lane % 8;
    case 4: return lane / 4;
    case 5: return (31 - lane) / 2;
    case 6: return h % 8;
    case 7: return lane % 16;
    case 9: return lane % 24;
    case 10: return lane / 16;
    default: return h % 16;
    }
}

__device__ bool on(int pattern, int lane) {
    return pattern != 8 || (lane & 1);
}
__device__ int stride_of(int pattern, int size) {
    return pattern == 7 || pattern == 11 ? 128 : size;
}

// The store of one lane: to shared address s, global address g or generic address r.
__device__ void store(int kind, uint32_t s, uint8_t *g, uint8_t *r, const uint4 *from, uint32_t v) {
    const uint64_t w = (uint64_t)v << 32 | v;
    switch (kind) {
    case 0: asm volatile("st.shared.u8 [%0], %1;" ::"r"(s), "r"(v) : "memory"); break;
    case 1: asm volatile("st.shared.u16 [%0], %1;" ::"r"(s), "h"((uint16_t)v) : "memory"); break;
    case 2: asm volatile("st.shared.u32 [%0], %1;" ::"r"(s), "r"(v) : "memory"); break;
    case 3: asm volatile("st.shared.u64 [%0], %1;" ::"r"(s), "l"(w) : "memory"); break;
    case 4: asm volatile("st.shared.v2.u32 [%0], {%1,%1};" ::"r"(s), "r"(v) : "memory"); break;
    case 5: asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(s), "r"(v) : "memory"); break;
    case 6: asm volatile("st.global.u8 [%0], %1;" ::"l"(g), "r"(v) : "memory"); break;
    case 7: asm volatile("st.global.u16 [%0], %1;" ::"l"(g), "h"((uint16_t)v) : "memory"); break;
    case 8: asm volatile("st.global.u32 [%0], %1;" ::"l"(g), "r"(v) : "memory"); break;
    case 9: asm volatile("st.global.u64 [%0], %1;" ::"l"(g), "l"(w) : "memory"); break;
    case 10: asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(g), "r"(v) : "memory"); break;
    case 11: asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(g), "r"(v) : "memory"); break;
    case 12: asm volatile("st.u32 [%0], %1;" ::"l"(r), "r"(v) : "memory"); break;
    case 14: asm volatile("st.shared.v2.u16 [%0], {%1,%1};" ::"r"(s), "h"((uint16_t)v) : "memory"); break;
    case 15: asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from) : "memory"); break;
    }
}

// winner[block][kind][pattern][slot] = lane or 255
__global__ void winners(uint8_t *out, uint8_t *memory) {
    __shared__ __align__(128) uint8_t room[32 * 128];
    const int lane = threadIdx.x;
    uint8_t *mine = memory + (size_t)blockIdx.x * 32 * 128;
    const uint32_t s0 = (uint32_t)__cvta_generic_to_shared(room);
    const uint32_t v = lane * 0x01010101u;
    const int sizes[KINDS] = {1, 2, 4, 8, 8, 16, 1, 2, 4, 8, 8, 16, 4, 16, 4, 16};
    for (int kind = 0; kind < KINDS; kind++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            const bool global = kind >= 6 && kind < 12;
            for (int i = lane; i < 32 * 128; i += 32) room[i] = 255, mine[i] = 255;
            // a source for cp.async
            uint4 *from = (uint4 *)(memory + (size_t)BLOCKS * 32 * 128) + lane;
            *from = make_uint4(v, v, v, v);
            __threadfence();
            __syncwarp();
            const int stride = stride_of(pattern, sizes[kind]);
            const int at = slot_of(pattern, lane) * stride;
            const uint32_t s = s0 + at;
            uint8_t *g = mine + at;
            if (on(pattern, lane)) store(kind, s, g, room + at, from, v);
            // Row r of stmatrix is at the address of lane r; its bytes come from lanes 4r to 4r + 3, here marked with
            // the row.
            if (kind == 13) {
                const uint32_t row = (lane / 4) * 0x01010101u;
                asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                                 s0 + slot_of(pattern, lane % 8) * stride),
                             "r"(row)
                             : "memory");
            }
            if (kind == 15) asm volatile("cp.async.wait_all;" ::: "memory");
            __syncwarp();
            __threadfence();
            uint8_t *o = out + (((size_t)blockIdx.x * KINDS + kind) * PATTERNS + pattern) * SLOTS;
            uint8_t *base = global ? mine : room;
            uint8_t first = ((volatile uint8_t *)base)[lane * stride];
            for (int k = 1; k < sizes[kind]; k++)
                if (((volatile uint8_t *)base)[lane * stride + k] != first) first = 254; // torn
            o[lane] = first;
            __syncwarp();
        }
}

static int host_slot(int pattern, int lane) {
    unsigned h = (lane * 2654435761u) >> 7;
    switch (pattern) {
    case 0:
    case 8: return 0;
    case 1: return lane / 2;
    case 2:
    case 7: return lane % 16;
    case 3: return lane % 8;
    case 4: return lane / 4;
    case 5: return (31 - lane) / 2;
    case 6: return h % 8;
    case 9: return lane % 24;
    case 10: return lane / 16;
    default: return h % 16;
    }
}

int main() {
    const size_t bytes = (size_t)BLOCKS * KINDS * PATTERNS * SLOTS;
    uint8_t *out, *memory;
    cudaMalloc(&out, bytes);
    cudaMalloc(&memory, (size_t)BLOCKS * 32 * 128 + 512);
    winners<<<BLOCKS, 32>>>(out, memory);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return printf("failed: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
    uint8_t *h = new uint8_t[bytes];
    cudaMemcpy(h, out, bytes, cudaMemcpyDeviceToHost);
    for (int kind = 0; kind < KINDS; kind++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            const uint8_t *w = h + ((size_t)kind * PATTERNS + pattern) * SLOTS;
            int lanes = kind == 13 ? 8 : 32;
            bool low = true, high = true, varies = false;
            for (int b = 1; b < BLOCKS; b++) varies |= memcmp(w, w + (size_t)b * KINDS * PATTERNS * SLOTS, SLOTS) != 0;
            for (int s = 0; s < SLOTS; s++) {
                int lo = -1, hi = -1;
                for (int l = 0; l < lanes; l++)
                    if (host_slot(pattern, l) == s && (kind == 13 || pattern != 8 || (l & 1))) {
                        if (lo < 0) lo = l;
                        hi = l;
                    }
                if (lo < 0) continue;
                low &= w[s] == lo;
                high &= w[s] == hi;
            }
            printf("%-12s %-18s %s%s", kind_names[kind], pattern_names[pattern],
                   low && high ? "single"
                   : low       ? "lowest"
                   : high      ? "highest"
                               : "other",
                   varies ? " VARIES" : "");
            if (!low && !high) {
                for (int s = 0; s < SLOTS; s++)
                    if (w[s] != 255) printf(" %d:%d", s, w[s]);
            }
            printf("\n");
        }
    return 0;
}
