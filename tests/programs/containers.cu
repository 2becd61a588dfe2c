// Thrust's algorithms on device_vector.
#include "program.h"

#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

using vector = thrust::device_vector<int>;

static std::vector<int> on_host(const vector &v) {
    std::vector<int> values(v.size());
    thrust::copy(v.begin(), v.end(), values.begin());
    return values;
}

struct is_fizz {
    __host__ __device__ bool operator()(int x) const {
        return x % 3 == 0;
    }
};

struct square {
    __host__ __device__ int operator()(int x) const {
        return x * x % 101;
    }
};

/* These work in place: blocks write where others have read. */
static void in_place(const std::vector<int> &sorted) {
    std::vector<int> want(sorted);
    vector v(sorted.begin(), sorted.end());
    v.erase(thrust::unique(v.begin(), v.end()), v.end());
    want.erase(std::unique(want.begin(), want.end()), want.end());
    expect_same("unique", on_host(v), want);
    want = sorted;
    v.assign(sorted.begin(), sorted.end());
    v.erase(thrust::remove_if(v.begin(), v.end(), is_fizz()), v.end());
    want.erase(std::remove_if(want.begin(), want.end(), is_fizz()), want.end());
    expect_same("remove_if", on_host(v), want);
    want = sorted;
    v.assign(sorted.begin(), sorted.end());
    thrust::stable_partition(v.begin(), v.end(), is_fizz());
    std::stable_partition(want.begin(), want.end(), is_fizz());
    expect_same("stable_partition", on_host(v), want);
}

static void scans_and_searches(const std::vector<int> &sorted, const std::vector<int> &wanted) {
    const size_t count = sorted.size();
    const vector v(sorted.begin(), sorted.end()), w(wanted.begin(), wanted.end());
    vector out(count);
    std::vector<int> want(count);
    thrust::transform_inclusive_scan(v.begin(), v.end(), out.begin(), square(), thrust::plus<int>());
    std::transform_inclusive_scan(sorted.begin(), sorted.end(), want.begin(), std::plus<int>(), square());
    expect_same("transform_inclusive_scan", on_host(out), want);
    thrust::lower_bound(v.begin(), v.end(), w.begin(), w.end(), out.begin());
    for (size_t i = 0; i < count; i++)
        want[i] = (int)(std::lower_bound(sorted.begin(), sorted.end(), wanted[i]) - sorted.begin());
    expect_same("lower_bound", on_host(out), want);
    expect("inner_product", thrust::inner_product(v.begin(), v.end(), w.begin(), 0ll) ==
                                std::inner_product(sorted.begin(), sorted.end(), wanted.begin(), 0ll));
}

/* Their searches look behind the end of a tile. */
static void sets(size_t count) {
    std::vector<int> a = draw_many<int>(count, 1 << 30), b = draw_many<int>(count, 1 << 30), both, all;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::copy(a.begin(), a.begin() + count / 3, b.begin());
    std::sort(b.begin(), b.end());
    const vector v(a.begin(), a.end()), w(b.begin(), b.end());
    vector out(2 * count);
    out.erase(thrust::set_intersection(v.begin(), v.end(), w.begin(), w.end(), out.begin()), out.end());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    expect_same("set_intersection", on_host(out), both);
    out.resize(2 * count);
    out.erase(thrust::set_union(v.begin(), v.end(), w.begin(), w.end(), out.begin()), out.end());
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    expect_same("set_union", on_host(out), all);
}

int main() {
    std::vector<int> values = draw_many<int>(50000, 3000);
    const std::vector<int> others = draw_many<int>(50000, 3000);
    vector v(values.begin(), values.end());
    thrust::sort(v.begin(), v.end());
    std::sort(values.begin(), values.end());
    expect_same("sort", on_host(v), values);
    in_place(values);
    scans_and_searches(values, others);
    sets(20000);
    return finish();
}
