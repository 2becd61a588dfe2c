// CUB's scans, reductions, selections and histograms of whole arrays.
#include "program.h"

#include <cub/cub.cuh>
#include <cuda/std/functional>

struct larger_of {
    __host__ __device__ int operator()(int a, int b) const {
        return a > b ? a : b;
    }
};

struct is_odd {
    __host__ __device__ bool operator()(int x) const {
        return x & 1;
    }
};

static void scans_and_reductions(const std::vector<int> &values) {
    const int count = (int)values.size();
    const buffer<int> in(values);
    buffer<int> out(count), total(1);
    std::vector<int> want(count);
    std::exclusive_scan(values.begin(), values.end(), want.begin(), 0);
    CUB(cub::DeviceScan::ExclusiveSum, in.data, out.data, count);
    expect_same("exclusive sums", out.get(), want);
    std::inclusive_scan(values.begin(), values.end(), want.begin(), larger_of());
    CUB(cub::DeviceScan::InclusiveScan, in.data, out.data, larger_of(), count);
    expect_same("greatest so far", out.get(), want);
    CUB(cub::DeviceReduce::Sum, in.data, total.data, count);
    expect_same("sum", total.get(), {std::accumulate(values.begin(), values.end(), 0)});
}

/* Runs of equal keys: by what they sum up to, and how long they are. */
static void runs(const std::vector<int> &values) {
    const int count = (int)values.size();
    std::vector<int> keys(count), unique, sums, lengths;
    for (int i = 1; i < count; i++) keys[i] = keys[i - 1] + (draw(7) == 0);
    for (int i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            unique.push_back(keys[i]);
            sums.push_back(0);
            lengths.push_back(0);
        }
        sums.back() += values[i];
        lengths.back()++;
    }
    const buffer<int> in(keys), addends(values);
    buffer<int> names(count), results(count), found(1);
    CUB(cub::DeviceReduce::ReduceByKey, in.data, names.data, addends.data, results.data, found.data,
        cuda::std::plus<>(), count);
    expect_same("keys of runs", names.get(unique.size()), unique);
    expect_same("sums of runs", results.get(sums.size()), sums);
    CUB(cub::DeviceRunLengthEncode::Encode, in.data, names.data, results.data, found.data, count);
    expect_same("lengths of runs", results.get(lengths.size()), lengths);
    expect_same("how many", found.get(), {(int)unique.size()});
}

/* Runs of more than one key: where they begin, and how long they are. Lanes throw away what is no such run in one place
 * of shared memory. */
static void longer_runs(size_t count) {
    std::vector<int> keys(count), starts, lengths;
    for (size_t i = 1; i < count; i++) keys[i] = keys[i - 1] + (draw(3) == 0);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[end] == keys[i];) end++;
        if (end - i == 1) continue;
        starts.push_back((int)i);
        lengths.push_back((int)(end - i));
    }
    const buffer<int> in(keys);
    buffer<int> places(count), sizes(count), found(1);
    CUB(cub::DeviceRunLengthEncode::NonTrivialRuns, in.data, places.data, sizes.data, found.data, (int)count);
    expect_same("where longer runs begin", places.get(starts.size()), starts);
    expect_same("how long they are", sizes.get(lengths.size()), lengths);
}

static void selections(const std::vector<int> &values) {
    const int count = (int)values.size();
    std::vector<int> odd, even;
    for (int v : values) (v & 1 ? odd : even).push_back(v);
    buffer<int> in(values), out(count), found(1);
    CUB(cub::DeviceSelect::If, in.data, out.data, found.data, count, is_odd());
    expect_same("odd numbers", out.get(odd.size()), odd);
    CUB(cub::DevicePartition::If, in.data, out.data, found.data, count, is_odd());
    std::vector<int> parted(odd);
    parted.insert(parted.end(), even.rbegin(), even.rend());
    expect_same("odd ones, then even ones", out.get(), parted);
    CUB(cub::DeviceSelect::If, in.data, found.data, count, is_odd());
    expect_same("odd numbers, in place", in.get(odd.size()), odd);
}

static void histograms() {
    const std::vector<float> samples = draw_many<float>(100000, 96);
    const std::vector<float> edges{0, 1, 5, 20, 21, 60, 99};
    std::vector<int> even(32), ranges(edges.size() - 1);
    for (float s : samples) {
        even[(int)(s / 3)]++;
        for (size_t r = 0; r < ranges.size(); r++) ranges[r] += s >= edges[r] && s < edges[r + 1];
    }
    const buffer<float> in(samples), levels(edges);
    buffer<int> out(32);
    CUB(cub::DeviceHistogram::HistogramEven, in.data, out.data, 33, 0.0f, 96.0f, (int)samples.size());
    expect_same("histogram of even bins", out.get(), even);
    CUB(cub::DeviceHistogram::HistogramRange, in.data, out.data, (int)edges.size(), levels.data, (int)samples.size());
    expect_same("histogram of ranges", out.get(ranges.size()), ranges);
}

int main() {
    for (size_t count : {1, 77, 5000, 100007}) {
        const std::vector<int> values = draw_many<int>(count, 2000);
        scans_and_reductions(values);
        runs(values);
        selections(values);
    }
    longer_runs(5000);
    histograms();
    return finish();
}
