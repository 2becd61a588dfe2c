// More of CUB and Thrust than tests/programs has, for the corpus of right kernels (tree.py). Results are held against
// the host's.
#include "../../programs/program.h"

#include <cub/cub.cuh>
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

using vector = thrust::device_vector<int>;

static std::vector<int> on_host(const vector &v) {
    std::vector<int> values(v.size());
    thrust::copy(v.begin(), v.end(), values.begin());
    return values;
}

struct add {
    __host__ __device__ int operator()(int a, int b) const {
        return a + b;
    }
};

struct halved {
    __host__ __device__ int operator()(int x) const {
        return x / 2;
    }
};

struct is_odd {
    __host__ __device__ bool operator()(int x) const {
        return x % 2 != 0;
    }
};

/* ---- CUB ---- */

static void reductions(int count) {
    const std::vector<int> x = draw_many<int>(count, 1 << 20);
    const buffer<int> in(x);
    buffer<int> out(64);
    CUB(cub::DeviceReduce::Min, in.data, out.data, count);
    expect("Min", out.get()[0] == *std::min_element(x.begin(), x.end()));
    CUB(cub::DeviceReduce::Max, in.data, out.data, count);
    expect("Max", out.get()[0] == *std::max_element(x.begin(), x.end()));
    buffer<cub::KeyValuePair<int, int>> found(1);
    CUB(cub::DeviceReduce::ArgMax, in.data, found.data, count);
    expect("ArgMax", found.get()[0].key == std::max_element(x.begin(), x.end()) - x.begin());
    CUB(cub::DeviceReduce::Reduce, in.data, out.data, count, add(), 7);
    expect("Reduce", out.get()[0] == std::accumulate(x.begin(), x.end(), 7));
    std::vector<int> ends = {0, 10, 10, 500, count / 2, count};
    const buffer<int> segments(ends);
    const int parts = (int)ends.size() - 1;
    CUB(cub::DeviceSegmentedReduce::Sum, in.data, out.data, parts, segments.data, segments.data + 1);
    bool same = true;
    for (int i = 0; i < parts; i++)
        same &= out.get()[i] == std::accumulate(x.begin() + ends[i], x.begin() + ends[i + 1], 0);
    expect("SegmentedReduce", same);
}

static void scans(int count) {
    const std::vector<int> x = draw_many<int>(count, 100);
    std::vector<int> keys = draw_many<int>(count, 50), want(count);
    std::sort(keys.begin(), keys.end());
    const buffer<int> in(x), by(keys);
    buffer<int> out(count);
    CUB(cub::DeviceScan::ExclusiveScan, in.data, out.data, add(), 3, count);
    std::exclusive_scan(x.begin(), x.end(), want.begin(), 3);
    expect_same("ExclusiveScan", out.get(), want);
    CUB(cub::DeviceScan::InclusiveSumByKey, by.data, in.data, out.data, count);
    for (int i = 0; i < count; i++) want[i] = x[i] + (i && keys[i] == keys[i - 1] ? want[i - 1] : 0);
    expect_same("InclusiveSumByKey", out.get(), want);
    CUB(cub::DeviceScan::ExclusiveSumByKey, by.data, in.data, out.data, count);
    for (int i = 0; i < count; i++) want[i] = i && keys[i] == keys[i - 1] ? want[i - 1] + x[i - 1] : 0;
    expect_same("ExclusiveSumByKey", out.get(), want);
    CUB(cub::DeviceAdjacentDifference::SubtractLeftCopy, in.data, out.data, count, cuda::std::minus<int>());
    std::adjacent_difference(x.begin(), x.end(), want.begin());
    expect_same("SubtractLeft", out.get(), want);
}

static void selections(int count) {
    std::vector<int> x = draw_many<int>(count, count / 4), want;
    const std::vector<char> flags = draw_many<char>(count, 2);
    std::sort(x.begin(), x.end());
    const buffer<int> in(x);
    const buffer<char> chosen(flags);
    buffer<int> out(count), kept(1);
    CUB(cub::DeviceSelect::Unique, in.data, out.data, kept.data, count);
    std::unique_copy(x.begin(), x.end(), std::back_inserter(want));
    expect_same("Unique", out.get(kept.get()[0]), want);
    want.clear();
    CUB(cub::DeviceSelect::Flagged, in.data, chosen.data, out.data, kept.data, count);
    for (int i = 0; i < count; i++)
        if (flags[i]) want.push_back(x[i]);
    expect_same("Flagged", out.get(kept.get()[0]), want);
    CUB(cub::DevicePartition::Flagged, in.data, chosen.data, out.data, kept.data, count);
    expect_same("Partition, first part", out.get(kept.get()[0]), want);
}

static void sorts(int count) {
    std::vector<double> x(count);
    for (double &v : x) v = draw(1 << 30) / 1024.0 - 1e5;
    std::vector<unsigned char> bytes = draw_many<unsigned char>(count, 256);
    const buffer<double> in(x);
    const buffer<unsigned char> small(bytes);
    buffer<double> out(count);
    buffer<unsigned char> ordered(count);
    CUB(cub::DeviceRadixSort::SortKeys, in.data, out.data, count);
    std::sort(x.begin(), x.end());
    expect_same("SortKeys, doubles", out.get(), x);
    CUB(cub::DeviceRadixSort::SortKeys, small.data, ordered.data, count);
    std::sort(bytes.begin(), bytes.end());
    expect_same("SortKeys, bytes", ordered.get(), bytes);
    buffer<int> keys(draw_many<int>(count, 1 << 30));
    std::vector<int> want = keys.get();
    CUB(cub::DeviceMergeSort::SortKeys, keys.data, count, cuda::std::less<int>());
    std::sort(want.begin(), want.end());
    expect_same("MergeSort", keys.get(), want);
}

/* ---- Thrust ---- */

static void by_key(const std::vector<int> &sorted, const std::vector<int> &values) {
    const vector keys(sorted.begin(), sorted.end()), v(values.begin(), values.end());
    vector out_keys(sorted.size()), out(sorted.size());
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), v.begin(), out_keys.begin(), out.begin());
    std::vector<int> want_keys, want;
    for (size_t i = 0; i < sorted.size(); i++) {
        if (i && sorted[i] == sorted[i - 1])
            want.back() += values[i];
        else
            want_keys.push_back(sorted[i]), want.push_back(values[i]);
    }
    out.erase(ends.second, out.end());
    expect_same("reduce_by_key", on_host(out), want);
    thrust::exclusive_scan_by_key(keys.begin(), keys.end(), v.begin(), (out.resize(sorted.size()), out.begin()));
    want.assign(sorted.size(), 0);
    for (size_t i = 1; i < sorted.size(); i++) want[i] = sorted[i] == sorted[i - 1] ? want[i - 1] + values[i - 1] : 0;
    expect_same("exclusive_scan_by_key", on_host(out), want);
    vector k(values.begin(), values.end()), w(sorted.begin(), sorted.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), w.begin(), thrust::greater<int>());
    want = values;
    std::sort(want.begin(), want.end(), std::greater<int>());
    expect_same("stable_sort_by_key", on_host(k), want);
}

static void moves(const std::vector<int> &x) {
    const int count = (int)x.size();
    const vector v(x.begin(), x.end());
    vector map(count), out(count);
    thrust::sequence(map.begin(), map.end());
    thrust::reverse(map.begin(), map.end());
    std::vector<int> want(x.rbegin(), x.rend());
    thrust::gather(map.begin(), map.end(), v.begin(), out.begin());
    expect_same("gather", on_host(out), want);
    thrust::scatter(v.begin(), v.end(), map.begin(), out.begin());
    expect_same("scatter", on_host(out), want);
    thrust::adjacent_difference(v.begin(), v.end(), out.begin());
    std::adjacent_difference(x.begin(), x.end(), want.begin());
    expect_same("adjacent_difference", on_host(out), want);
    expect("count_if", thrust::count_if(v.begin(), v.end(), is_odd()) == std::count_if(x.begin(), x.end(), is_odd()));
    expect("transform_reduce", thrust::transform_reduce(v.begin(), v.end(), halved(), 0, add()) ==
                                   std::transform_reduce(x.begin(), x.end(), 0, add(), halved()));
    auto ends = thrust::minmax_element(v.begin(), v.end());
    expect("minmax_element", ends.first - v.begin() == std::min_element(x.begin(), x.end()) - x.begin());
    expect("all_of", !thrust::all_of(v.begin(), v.end(), is_odd()));
}

static void sets(std::vector<int> a, std::vector<int> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const vector v(a.begin(), a.end()), w(b.begin(), b.end());
    vector out(a.size() + b.size());
    std::vector<int> want;
    thrust::merge(v.begin(), v.end(), w.begin(), w.end(), out.begin());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    expect_same("merge", on_host(out), want);
    want.clear();
    out.erase(thrust::set_difference(v.begin(), v.end(), w.begin(), w.end(), out.begin()), out.end());
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    expect_same("set_difference", on_host(out), want);
}

int main() {
    for (int count : {4000, 60000}) {
        reductions(count);
        scans(count);
        selections(count);
        sorts(count);
    }
    std::vector<int> sorted = draw_many<int>(30000, 2000);
    const std::vector<int> values = draw_many<int>(30000, 1000);
    std::sort(sorted.begin(), sorted.end());
    by_key(sorted, values);
    moves(values);
    sets(draw_many<int>(15000, 9000), draw_many<int>(12000, 9000));
    return finish();
}
