/* What an SM's L1 has, told by how long single loads take: one warp an SM reads a list of lines, one load after the other.
 *     nvcc -O3 -std=c++17 -arch=sm_90 -o l1 l1.cu && ./l1 FOLDER
 * writes FOLDER/sets.txt and FOLDER/rereads.txt (README.md says what they hold). Wants 66 GB of device memory. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

typedef std::vector<uint32_t> lines;

enum { SLOW = 140 }; /* cycles, with the clock and what else is around a load: a hit takes about 70, a miss 200 and more */

struct list {
    uint64_t first; /* of its entries among all lists' */
    uint32_t count, shift;
};

#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t e = (call);                                                 \
        if (e) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)), exit(1); \
    } while (0)

/* Lists and results go past L1, by atomics. `slow` gets a bit for each load that took long. */
__global__ void __launch_bounds__(1024, 2) walk(const char *data, uint32_t *entries, const list *lists, uint32_t *slow) {
    __shared__ volatile uint32_t sink[32];
    if (threadIdx.x >= 32) return;
    const list l = lists[blockIdx.x];
    const uint32_t lane = threadIdx.x;
    for (uint32_t i = 0; i < l.count; i += 32) {
        const uint32_t line = atomicOr(entries + l.first + i + lane, 0u);
        uint32_t bits = 0;
        for (uint32_t k = 0; k < 32; k++) {
            const uint64_t at = (uint64_t)data + ((uint64_t)__shfl_sync(~0u, line, k) << (7 + l.shift)) + lane * 4;
            uint32_t begin, end, value;
            __syncwarp();
            asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
            sink[lane] = value;
            __syncwarp();
            asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
            bits |= (uint32_t)(end - begin >= SLOW) << k;
        }
        if (!lane) atomicOr(slow + (l.first + i) / 32, bits);
    }
}

/* Leaves nothing of an earlier kernel in L1. */
__global__ void __launch_bounds__(1024, 2) flush(const uint4 *data, uint32_t *out) {
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x; i < 3 * (2u << 20) / 16; i += 1024) {
        uint4 v;
        asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(data + i % ((2u << 20) / 16)));
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 12345) *out = sum;
}

static char *data;

/* Runs lists side by side, each on an SM of its own; `shared`: KiB of shared memory, of which two blocks find room.
 * Returns for each list whether its loads were slow. */
static std::vector<std::vector<bool>> run(const std::vector<lines> &all, unsigned shared, unsigned shift) {
    std::vector<list> heads;
    std::vector<uint32_t> entries;
    for (const lines &one : all) {
        const uint32_t count = ((uint32_t)one.size() + 31) / 32 * 32;
        heads.push_back({entries.size(), count, shift});
        entries.insert(entries.end(), one.begin(), one.end());
        entries.resize(heads.back().first + count, one.empty() ? 0 : one[0]);
    }
    uint32_t *device_entries, *slow;
    list *device_heads;
    std::vector<uint32_t> bits(entries.size() / 32 + 1);
    CHECK(cudaMalloc(&device_entries, entries.size() * 4 + 4));
    CHECK(cudaMalloc(&device_heads, heads.size() * sizeof(list)));
    CHECK(cudaMalloc(&slow, bits.size() * 4));
    CHECK(cudaMemcpy(device_entries, entries.data(), entries.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_heads, heads.data(), heads.size() * sizeof(list), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(slow, 0, bits.size() * 4));
    for (size_t i = 0; i < all.size(); i += 132) {
        flush<<<264, 1024, shared << 10>>>((const uint4 *)data, slow);
        walk<<<(unsigned)std::min<size_t>(132, all.size() - i), 1024, shared << 10>>>(data, device_entries, device_heads + i, slow);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(bits.data(), slow, bits.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_entries));
    CHECK(cudaFree(device_heads));
    CHECK(cudaFree(slow));
    std::vector<std::vector<bool>> result;
    for (size_t i = 0; i < all.size(); i++) {
        result.emplace_back();
        for (size_t k = 0; k < all[i].size(); k++) {
            const size_t at = heads[i].first + k;
            result.back().push_back(bits[at / 32] >> at % 32 & 1);
        }
    }
    return result;
}

static uint32_t next_random() {
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static lines rounds(const lines &once, unsigned count) {
    lines all;
    for (unsigned r = 0; r < count; r++) all.insert(all.end(), once.begin(), once.end());
    return all;
}

/* Of lines that miss in every round, those that it takes to push a line out: others are left out as long as it still
 * misses. `shift`: the lines are so many powers of two times 128 bytes apart. */
static void find_sets(unsigned shift, FILE *out) {
    enum { LISTS = 132, LINES = 1100, ROUNDS = 3 };
    struct search {
        lines others;
        uint32_t target;
        size_t at, chunk;
    };
    std::vector<search> searches(LISTS);
    std::vector<lines> all(LISTS);
    for (unsigned i = 0; i < LISTS; i++) {
        while (searches[i].others.size() < LINES) searches[i].others.push_back(next_random() & 0xfffff);
        all[i] = rounds(searches[i].others, ROUNDS);
    }
    auto slow = run(all, 0, shift);
    for (unsigned i = 0; i < LISTS; i++) {
        search *s = &searches[i];
        size_t k = 0;
        while (!slow[i][(ROUNDS - 1) * LINES + k]) k++;
        *s = {s->others, s->others[k], 0, 128};
        s->others.erase(s->others.begin() + (long)k);
    }
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < LISTS; i++) {
            search *s = &searches[i];
            all[i].clear();
            while (s->chunk && s->at >= s->others.size()) s->at = 0, s->chunk /= 2;
            if (!s->chunk) continue;
            more = true;
            lines fewer = {s->target};
            for (size_t k = 0; k < s->others.size(); k++)
                if (k < s->at || k >= s->at + s->chunk) fewer.push_back(s->others[k]);
            all[i] = rounds(fewer, ROUNDS);
        }
        slow = run(all, 0, shift);
        for (unsigned i = 0; i < LISTS; i++) {
            search *s = &searches[i];
            if (all[i].empty()) continue;
            const size_t to = std::min(s->at + s->chunk, s->others.size());
            if (slow[i][all[i].size() / ROUNDS * (ROUNDS - 1)])
                s->others.erase(s->others.begin() + (long)s->at, s->others.begin() + (long)to);
            else
                s->at = to;
        }
    }
    for (const search &s : searches) {
        if (s.others.size() != 4) continue; /* the list's own line was in the way */
        const uint64_t base = (uint64_t)data >> 7;
        for (uint32_t line : s.others) fprintf(out, "%llx ", (unsigned long long)(base + ((uint64_t)line << shift)));
        fprintf(out, "%llx\n", (unsigned long long)(base + ((uint64_t)s.target << shift)));
    }
}

static void reread(unsigned shared, unsigned l1, FILE *out) {
    enum { ROUNDS = 10, SIZES = 22, DRAWS = 8192 };
    std::vector<lines> all;
    std::vector<uint32_t> sizes;
    for (unsigned i = 0; i < SIZES; i++) {
        lines once(l1 * 8 * (14 + i) / 20); /* 0.7 to 1.75 times its lines */
        for (uint32_t k = 0; k < once.size(); k++) once[k] = k;
        all.push_back(rounds(once, ROUNDS));
        sizes.push_back((uint32_t)once.size());
    }
    for (unsigned i = 0; i < SIZES; i++) { /* any of so many lines at any time */
        lines draws;
        uint32_t state = 1;
        while (draws.size() < DRAWS) draws.push_back(((state = state * 1664525 + 1013904223) >> 8) % sizes[i]);
        all.push_back(draws);
    }
    auto slow = run(all, shared, 0);
    for (size_t i = 0; i < all.size(); i++) {
        const uint32_t size = sizes[i % SIZES], step = i < SIZES ? size : DRAWS;
        fprintf(out, "%llx %u %s %u", (unsigned long long)((uint64_t)data >> 7), l1, i < SIZES ? "rounds" : "draws", size);
        for (size_t from = 0; from < all[i].size(); from += step)
            fprintf(out, " %ld", std::count(slow[i].begin() + (long)from, slow[i].begin() + (long)(from + step), false));
        fprintf(out, "\n");
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const std::string folder = argv[1];
    CHECK(cudaMalloc(&data, (size_t)66 << 30));
    CHECK(cudaMemset(data, 0, (size_t)66 << 30));
    CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, 113 << 10));
    CHECK(cudaFuncSetAttribute(flush, cudaFuncAttributeMaxDynamicSharedMemorySize, 113 << 10));
    FILE *out = fopen((folder + "/sets.txt").c_str(), "w");
    for (unsigned shift : {0u, 3u, 7u, 9u}) find_sets(shift, out);
    fclose(out);
    out = fopen((folder + "/rereads.txt").c_str(), "w");
    reread(0, 248, out);
    reread(14, 224, out);
    reread(30, 192, out);
    reread(64, 124, out);
    reread(96, 60, out);
    fclose(out);
    return 0;
}
