// Programs of several kinds: a solver in one cooperative launch, a search with queues, hash tables, a product of
// matrices.
#include "program.h"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>

namespace cg = cooperative_groups;

/* ---- conjugate gradients: all steps in one launch, with barriers of the grid ---- */

struct matrix {
    const int *rows, *columns;
    const double *values;
};

__device__ void add_product(const double *a, const double *b, double *sum, int count) {
    using reduce = cub::BlockReduce<double, 128>;
    __shared__ typename reduce::TempStorage space;
    const auto grid = cg::this_grid();
    double own = 0;
    for (int i = (int)grid.thread_rank(); i < count; i += (int)grid.size()) own += a[i] * b[i];
    own = reduce(space).Sum(own);
    if (threadIdx.x == 0) atomicAdd(sum, own);
    grid.sync();
}

__global__ void conjugate_gradients(matrix m, double *x, double *r, double *p, double *q, double *sums, int count,
                                    int steps) {
    const auto grid = cg::this_grid();
    const int first = (int)grid.thread_rank(), stride = (int)grid.size();
    add_product(r, r, sums, count);
    for (int k = 0; k < steps; k++) {
        for (int i = first; i < count; i += stride) {
            double sum = 0;
            for (int e = m.rows[i]; e < m.rows[i + 1]; e++) sum += m.values[e] * p[m.columns[e]];
            q[i] = sum;
        }
        grid.sync();
        add_product(p, q, &sums[2 * k + 1], count);
        const double alpha = sums[2 * k] / sums[2 * k + 1];
        for (int i = first; i < count; i += stride) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        grid.sync();
        add_product(r, r, &sums[2 * k + 2], count);
        const double beta = sums[2 * k + 2] / sums[2 * k];
        for (int i = first; i < count; i += stride) p[i] = r[i] + beta * p[i];
        grid.sync();
    }
}

/* The five-point operator on a square grid. */
static void solve() {
    const int side = 40, steps = 100;
    int count = side * side;
    std::vector<int> rows{0}, columns;
    std::vector<double> values, right(count);
    for (int i = 0; i < count; i++) {
        const auto add = [&](bool there, int column, double value) {
            if (!there) return;
            columns.push_back(column);
            values.push_back(value);
        };
        add(i >= side, i - side, -1);
        add(i % side > 0, i - 1, -1);
        add(true, i, 4.1);
        add(i % side < side - 1, i + 1, -1);
        add(i < count - side, i + side, -1);
        rows.push_back((int)columns.size());
        right[i] = draw(1000) / 1000.0;
    }
    const buffer<int> row_buffer(rows), column_buffer(columns);
    const buffer<double> value_buffer(values);
    buffer<double> x(count), r(right), p(right), q(count), sums(2 * steps + 1);
    x.clear();
    sums.clear();
    matrix m = {row_buffer.data, column_buffer.data, value_buffer.data};
    int most = steps;
    void *arguments[] = {&m, &x.data, &r.data, &p.data, &q.data, &sums.data, &count, &most};
    CUDA(cudaLaunchCooperativeKernel((const void *)conjugate_gradients, dim3(24), dim3(128), arguments, 0, 0));
    const std::vector<double> solution = x.get();
    double worst = 0;
    for (int i = 0; i < count; i++) {
        double sum = -right[i];
        for (int e = rows[i]; e < rows[i + 1]; e++) sum += values[e] * solution[columns[e]];
        worst = std::max(worst, sum < 0 ? -sum : sum);
    }
    expect("conjugate gradients", worst < 1e-6);
}

/* ---- breadth-first search: a queue for each level, filled by those lanes together that found something ---- */

__global__ void next_level(const int *first, const int *neighbours, int *distance, const int *queue, int queued,
                           int *next, int *next_count, int level) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= queued) return;
    for (int e = first[queue[i]]; e < first[queue[i] + 1]; e++) {
        if (atomicCAS(&distance[neighbours[e]], -1, level) != -1) continue;
        const auto found = cg::coalesced_threads();
        int base = 0;
        if (found.thread_rank() == 0) base = atomicAdd(next_count, (int)found.size());
        next[found.shfl(base, 0) + (int)found.thread_rank()] = neighbours[e];
    }
}

static std::vector<int> search_on_host(const std::vector<std::vector<int>> &graph) {
    std::vector<int> distance(graph.size(), -1), queue{0};
    distance[0] = 0;
    for (size_t at = 0; at < queue.size(); at++)
        for (int n : graph[queue[at]])
            if (distance[n] < 0) {
                distance[n] = distance[queue[at]] + 1;
                queue.push_back(n);
            }
    return distance;
}

static void search() {
    const int count = 3000;
    std::vector<std::vector<int>> graph(count);
    for (int i = 0; i < 3 * count; i++) {
        const int a = (int)draw(count), b = (int)draw(count);
        graph[a].push_back(b);
        graph[b].push_back(a);
    }
    std::vector<int> first{0}, neighbours, start(count, -1);
    for (const auto &n : graph) {
        neighbours.insert(neighbours.end(), n.begin(), n.end());
        first.push_back((int)neighbours.size());
    }
    start[0] = 0;
    const buffer<int> from(first), to(neighbours);
    buffer<int> distance(start), a(count), b(count), found(1);
    int *queue = a.data, *next = b.data; // the first one is of node 0
    a.clear();
    for (int level = 1, queued = 1; queued; level++) {
        found.clear();
        next_level<<<(queued + 127) / 128, 128>>>(from.data, to.data, distance.data, queue, queued, next, found.data,
                                                  level);
        queued = found.get()[0];
        std::swap(queue, next);
    }
    expect_same("breadth-first search", distance.get(), search_on_host(graph));
}

/* ---- hash tables by compare-and-swap of 64 and 128 bits ---- */

__global__ void insert_64(unsigned long long *table, unsigned mask, const unsigned *keys, const unsigned *values,
                          int count) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const unsigned long long entry = (unsigned long long)keys[i] << 32 | values[i];
    for (unsigned at = keys[i] * 2654435761u >> 7 & mask;; at = (at + 1) & mask) {
        const unsigned long long old = atomicCAS(&table[at], ~0ull, entry);
        if (old == ~0ull) return;
        if (old >> 32 != keys[i]) continue;
        atomicMin(&table[at], entry);
        return;
    }
}

__global__ void insert_128(ulonglong2 *table, unsigned mask, const unsigned long long *keys, int count) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const unsigned __int128 entry = (unsigned __int128)(3 * keys[i] + 1) << 64 | keys[i];
    for (unsigned at = (unsigned)(keys[i] * 0x9e3779b97f4a7c15ull >> 40) & mask;; at = (at + 1) & mask) {
        const unsigned __int128 old = atomicCAS((unsigned __int128 *)&table[at], (unsigned __int128)0, entry);
        if (old == 0 || (unsigned long long)old == keys[i]) return;
    }
}

static void hash_tables() {
    const int count = 20000, slots = 1 << 16, key_count = 13000;
    const std::vector<unsigned> keys = draw_many<unsigned>(count, key_count),
                                values = draw_many<unsigned>(count, 1u << 31);
    std::vector<unsigned> least(key_count, ~0u), got(key_count, ~0u);
    for (int i = 0; i < count; i++) least[keys[i]] = std::min(least[keys[i]], values[i]);
    const buffer<unsigned> key_buffer(keys), value_buffer(values);
    buffer<unsigned long long> table(slots);
    table.clear(0xff);
    insert_64<<<(count + 255) / 256, 256>>>(table.data, slots - 1, key_buffer.data, value_buffer.data, count);
    for (unsigned long long entry : table.get())
        if (entry != ~0ull) got[entry >> 32] = (unsigned)entry;
    expect_same("hash table, least values, 64 bits", got, least);

    std::vector<unsigned long long> wide(5000), kept;
    for (auto &k : wide) k = draw(3000) * 7919ull + 1;
    const buffer<unsigned long long> wide_buffer(wide);
    buffer<ulonglong2> wide_table(1 << 13);
    wide_table.clear();
    insert_128<<<40, 128>>>(wide_table.data, (1 << 13) - 1, wide_buffer.data, (int)wide.size());
    bool whole = true;
    for (const ulonglong2 &entry : wide_table.get()) {
        if (entry.x) kept.push_back(entry.x);
        whole &= entry.x ? entry.y == 3 * entry.x + 1 : entry.y == 0;
    }
    std::sort(kept.begin(), kept.end());
    std::sort(wide.begin(), wide.end());
    wide.erase(std::unique(wide.begin(), wide.end()), wide.end());
    expect_same("hash table, 128 bits", kept, wide);
    expect("its entries are whole", whole);
}

int main() {
    solve();
    search();
    hash_tables();
    return finish();
}
