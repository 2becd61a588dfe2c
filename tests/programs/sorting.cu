// CUB's sorts of whole arrays.
#include "program.h"

#include <cub/cub.cuh>

template <class K> void sort_keys_and_pairs(const char *name, size_t count) {
    std::vector<K> keys(count);
    for (K &k : keys) k = (K)((double)draw(4000000) - 2000000) / (K)3;
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    const buffer<K> in(keys);
    const buffer<uint32_t> places(order);
    buffer<K> out(count);
    buffer<uint32_t> moved(count);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    CUB(cub::DeviceRadixSort::SortPairs, in.data, out.data, places.data, moved.data, count);
    std::sort(keys.begin(), keys.end());
    std::printf("%s\n", name);
    expect_same("sorted keys of pairs", out.get(), keys);
    expect_same("their values", moved.get(), order);
    std::reverse(keys.begin(), keys.end());
    CUB(cub::DeviceRadixSort::SortKeysDescending, in.data, out.data, count);
    expect_same("keys, descending", out.get(), keys);
}

static std::vector<int> segments(int count, int longest) {
    std::vector<int> offsets{0};
    while (offsets.back() < count) offsets.push_back(std::min(count, offsets.back() + (int)draw(longest)));
    return offsets;
}

static void sort_segments() {
    const int count = 30000;
    std::vector<int> keys = draw_many<int>(count, 100000);
    const std::vector<int> offsets = segments(count, 900);
    const int segment_count = (int)offsets.size() - 1;
    const buffer<int> in(keys), ends(offsets);
    buffer<int> out(count);
    for (int s = 0; s < segment_count; s++) std::sort(keys.begin() + offsets[s], keys.begin() + offsets[s + 1]);
    CUB(cub::DeviceSegmentedRadixSort::SortKeys, in.data, out.data, count, segment_count, ends.data, ends.data + 1);
    expect_same("segments by radix sort", out.get(), keys);
    out.clear();
    CUB(cub::DeviceSegmentedSort::SortKeys, in.data, out.data, count, segment_count, ends.data, ends.data + 1);
    expect_same("segments, by their lengths", out.get(), keys);
}

struct larger {
    __host__ __device__ bool operator()(double a, double b) const {
        return a > b;
    }
};

static void merge_sort() {
    std::vector<double> keys = draw_many<double>(50001, 5000);
    std::vector<int> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    buffer<double> in(keys);
    buffer<int> places(order);
    CUB(cub::DeviceMergeSort::StableSortPairs, in.data, places.data, keys.size(), larger());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] > keys[b]; });
    expect_same("pairs by merge sort, stable", places.get(), order);
}

int main() {
    sort_keys_and_pairs<int>("int", 60003);
    sort_keys_and_pairs<double>("double", 20011);
    sort_segments();
    merge_sort();
    return finish();
}
