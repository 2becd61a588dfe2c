/* Cooperative groups: threads that synchronise, exchange values and reduce together. Tiles have at most 32 threads. */
#ifndef HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_H
#define HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_ /* programs ask for it */

#include "cuda_runtime.h"

#if defined(__CUDA__)

namespace cooperative_groups {

/* ---- what all groups are made of ---- */

namespace details {

HAUL_TC_DEVICE unsigned int lane() {
    unsigned int number;
    asm("mov.u32 %0, %%laneid;" : "=r"(number));
    return number;
}
HAUL_TC_DEVICE unsigned int lanes_below() {
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
HAUL_TC_DEVICE unsigned int threads_of_block() {
    return blockDim.x * blockDim.y * blockDim.z;
}
HAUL_TC_DEVICE unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HAUL_TC_DEVICE unsigned long long blocks_of_grid() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
}
HAUL_TC_DEVICE unsigned long long rank_of_block() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

/* A value of any type from lane `from`, in words. */
template <class T> HAUL_TC_DEVICE T shuffle(unsigned int mask, const T &value, int from) {
    const int words = (sizeof(T) + 3) / 4;
    unsigned int parts[words] = {};
    T result;
    __builtin_memcpy(parts, &value, sizeof(T));
    for (int i = 0; i < words; i++) parts[i] = __shfl_sync(mask, parts[i], from);
    __builtin_memcpy(&result, parts, sizeof(T));
    return result;
}

/* A cooperative launch has memory of its own; its second word counts blocks that arrive. */
HAUL_TC_DEVICE unsigned int *grid_workspace() {
    unsigned int high, low;
    asm volatile("mov.u32 %0, %%envreg1; mov.u32 %1, %%envreg2;" : "=r"(high), "=r"(low));
    return (unsigned int *)((unsigned long long)high << 32 | low);
}
/* The first block adds so much that the highest bit changes when all have arrived. */
HAUL_TC_DEVICE unsigned int arrive_at_grid() {
    unsigned int token = 0;
    __syncthreads();
    if (rank_in_block() == 0) {
        const unsigned int others = (unsigned int)blocks_of_grid() - 1;
        __threadfence();
        token = atomicAdd(grid_workspace() + 1, rank_of_block() == 0 ? 0x80000000u - others : 1u);
    }
    return token;
}
HAUL_TC_DEVICE void wait_at_grid(unsigned int token) {
    if (rank_in_block() == 0) {
        volatile unsigned int *const arrived = grid_workspace() + 1;
        while (((*arrived ^ token) & 0x80000000u) == 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

} // namespace details

enum class thread_scope_kind { block, lanes, grid };

class thread_block;
class coalesced_group;
template <unsigned int Size, class Parent> class thread_block_tile;

/* Any group, whose kind is known when it runs. */
class thread_group {
  public:
    thread_scope_kind haul_kind;
    unsigned int haul_mask; /* of lanes */

    __device__ HAUL_TC_INLINE thread_group(thread_scope_kind kind, unsigned int mask)
        : haul_kind(kind), haul_mask(mask) {}
    __device__ HAUL_TC_INLINE unsigned long long size() const {
        return haul_kind == thread_scope_kind::lanes   ? (unsigned int)__popc(haul_mask)
               : haul_kind == thread_scope_kind::block ? details::threads_of_block()
                                                       : details::blocks_of_grid() * details::threads_of_block();
    }
    __device__ HAUL_TC_INLINE unsigned long long num_threads() const {
        return size();
    }
    __device__ HAUL_TC_INLINE unsigned long long thread_rank() const {
        return haul_kind == thread_scope_kind::lanes ? (unsigned int)__popc(haul_mask & details::lanes_below())
               : haul_kind == thread_scope_kind::block
                   ? details::rank_in_block()
                   : details::rank_of_block() * details::threads_of_block() + details::rank_in_block();
    }
    __device__ HAUL_TC_INLINE void sync() const {
        if (haul_kind == thread_scope_kind::lanes)
            __syncwarp(haul_mask);
        else if (haul_kind == thread_scope_kind::block)
            __syncthreads();
        else
            details::wait_at_grid(details::arrive_at_grid());
    }
    __device__ HAUL_TC_INLINE bool is_valid() const {
        return haul_kind != thread_scope_kind::grid || details::grid_workspace();
    }
};

/* ---- a block ---- */

class thread_block : public thread_group {
  public:
    struct arrival_token {};
    __device__ HAUL_TC_INLINE thread_block() : thread_group(thread_scope_kind::block, 0xffffffffu) {}
    static __device__ HAUL_TC_INLINE void sync() {
        __syncthreads();
    }
    __device__ HAUL_TC_INLINE arrival_token barrier_arrive() const {
        asm volatile("barrier.arrive 0, %0;" ::"r"((details::threads_of_block() + 31) / 32 * 32) : "memory");
        return arrival_token();
    }
    __device__ HAUL_TC_INLINE void barrier_wait(arrival_token &&) const {
        __syncthreads();
    }
    static __device__ HAUL_TC_INLINE unsigned int size() {
        return details::threads_of_block();
    }
    static __device__ HAUL_TC_INLINE unsigned int num_threads() {
        return details::threads_of_block();
    }
    static __device__ HAUL_TC_INLINE unsigned int thread_rank() {
        return details::rank_in_block();
    }
    static __device__ HAUL_TC_INLINE dim3 group_index() {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __device__ HAUL_TC_INLINE dim3 thread_index() {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __device__ HAUL_TC_INLINE dim3 group_dim() {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static __device__ HAUL_TC_INLINE dim3 dim_threads() {
        return group_dim();
    }
};
HAUL_TC_DEVICE thread_block this_thread_block() {
    return thread_block();
}

/* ---- a grid ---- */

class grid_group : public thread_group {
  public:
    typedef unsigned int arrival_token;
    __device__ HAUL_TC_INLINE grid_group() : thread_group(thread_scope_kind::grid, 0xffffffffu) {}
    static __device__ HAUL_TC_INLINE void sync() {
        details::wait_at_grid(details::arrive_at_grid());
    }
    static __device__ HAUL_TC_INLINE arrival_token barrier_arrive() {
        return details::arrive_at_grid();
    }
    static __device__ HAUL_TC_INLINE void barrier_wait(arrival_token &&token) {
        details::wait_at_grid(token);
    }
    static __device__ HAUL_TC_INLINE unsigned long long size() {
        return details::blocks_of_grid() * details::threads_of_block();
    }
    static __device__ HAUL_TC_INLINE unsigned long long num_threads() {
        return size();
    }
    static __device__ HAUL_TC_INLINE unsigned long long thread_rank() {
        return details::rank_of_block() * details::threads_of_block() + details::rank_in_block();
    }
    static __device__ HAUL_TC_INLINE dim3 group_dim() {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static __device__ HAUL_TC_INLINE dim3 dim_blocks() {
        return group_dim();
    }
    static __device__ HAUL_TC_INLINE dim3 block_index() {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __device__ HAUL_TC_INLINE unsigned long long block_rank() {
        return details::rank_of_block();
    }
    static __device__ HAUL_TC_INLINE unsigned long long num_blocks() {
        return details::blocks_of_grid();
    }
};
HAUL_TC_DEVICE grid_group this_grid() {
    return grid_group();
}

/* ---- lanes of a warp ---- */

class coalesced_group : public thread_group {
  public:
    unsigned int haul_rank = 0, haul_count = 1; /* among its siblings */

    __device__ HAUL_TC_INLINE explicit coalesced_group(unsigned int mask)
        : thread_group(thread_scope_kind::lanes, mask) {}
    __device__ HAUL_TC_INLINE coalesced_group(unsigned int mask, unsigned int rank, unsigned int count)
        : thread_group(thread_scope_kind::lanes, mask), haul_rank(rank), haul_count(count) {}
    __device__ HAUL_TC_INLINE void sync() const {
        __syncwarp(haul_mask);
    }
    __device__ HAUL_TC_INLINE unsigned int size() const {
        return (unsigned int)__popc(haul_mask);
    }
    __device__ HAUL_TC_INLINE unsigned int num_threads() const {
        return size();
    }
    __device__ HAUL_TC_INLINE unsigned int thread_rank() const {
        return (unsigned int)__popc(haul_mask & details::lanes_below());
    }
    __device__ HAUL_TC_INLINE unsigned int meta_group_rank() const {
        return haul_rank;
    }
    __device__ HAUL_TC_INLINE unsigned int meta_group_size() const {
        return haul_count;
    }
    /* The lane of a rank. */
    __device__ HAUL_TC_INLINE int haul_lane(unsigned int rank) const {
        return haul_mask == 0xffffffffu ? (int)rank : (int)__fns(haul_mask, 0, (int)rank + 1);
    }
    /* One bit a rank, of one bit a lane. */
    __device__ HAUL_TC_INLINE unsigned int haul_packed(unsigned int lanes) const {
        if (haul_mask == 0xffffffffu) return lanes;
        unsigned int packed = 0, rank = 0;
        for (unsigned int rest = haul_mask; rest; rest &= rest - 1, rank++)
            if (lanes & rest & (0u - rest)) packed |= 1u << rank;
        return packed;
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl(const T &value, unsigned int rank) const {
        return details::shuffle(haul_mask, value, haul_lane(rank % size()));
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl_up(const T &value, unsigned int by) const {
        const unsigned int rank = thread_rank();
        return details::shuffle(haul_mask, value, haul_lane(rank < by ? rank : rank - by));
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl_down(const T &value, unsigned int by) const {
        const unsigned int rank = thread_rank();
        return details::shuffle(haul_mask, value, haul_lane(rank + by < size() ? rank + by : rank));
    }
    __device__ HAUL_TC_INLINE int any(int predicate) const {
        return __any_sync(haul_mask, predicate);
    }
    __device__ HAUL_TC_INLINE int all(int predicate) const {
        return __all_sync(haul_mask, predicate);
    }
    __device__ HAUL_TC_INLINE unsigned int ballot(int predicate) const {
        return haul_packed(__ballot_sync(haul_mask, predicate));
    }
    template <class T> __device__ HAUL_TC_INLINE unsigned int match_any(T value) const {
        return haul_packed(__match_any_sync(haul_mask, value));
    }
    template <class T> __device__ HAUL_TC_INLINE unsigned int match_all(T value, int &agree) const {
        return haul_packed(__match_all_sync(haul_mask, value, &agree));
    }
};
HAUL_TC_DEVICE coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

template <unsigned int Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "haul's tiles have 1, 2, 4, 8, 16 or 32 threads");

  public:
    __device__ HAUL_TC_INLINE thread_block_tile()
        : thread_group(thread_scope_kind::lanes, (unsigned int)((1ull << Size) - 1)
                                                     << (details::lane() & ~(Size - 1))) {}
    template <class Other>
    __device__ HAUL_TC_INLINE thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}
    __device__ HAUL_TC_INLINE void sync() const {
        __syncwarp(haul_mask);
    }
    static __device__ HAUL_TC_INLINE constexpr unsigned int size() {
        return Size;
    }
    static __device__ HAUL_TC_INLINE constexpr unsigned int num_threads() {
        return Size;
    }
    static __device__ HAUL_TC_INLINE unsigned int thread_rank() {
        return details::rank_in_block() & (Size - 1);
    }
    static __device__ HAUL_TC_INLINE unsigned int meta_group_rank() {
        return details::rank_in_block() / Size;
    }
    static __device__ HAUL_TC_INLINE unsigned int meta_group_size() {
        return (details::threads_of_block() + Size - 1) / Size;
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl(const T &value, int rank) const {
        return details::shuffle(haul_mask, value,
                                (int)((details::lane() & ~(Size - 1)) | ((unsigned)rank & (Size - 1))));
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl_up(const T &value, unsigned int by) const {
        return moved(value, details::lane() - by, (details::lane() & (Size - 1)) >= by);
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl_down(const T &value, unsigned int by) const {
        return moved(value, details::lane() + by, (details::lane() & (Size - 1)) + by < Size);
    }
    template <class T> __device__ HAUL_TC_INLINE T shfl_xor(const T &value, unsigned int by) const {
        return moved(value, details::lane() ^ by, by < Size);
    }
    __device__ HAUL_TC_INLINE int any(int predicate) const {
        return (__ballot_sync(haul_mask, predicate) & haul_mask) != 0;
    }
    __device__ HAUL_TC_INLINE int all(int predicate) const {
        return (__ballot_sync(haul_mask, predicate) & haul_mask) == haul_mask;
    }
    __device__ HAUL_TC_INLINE unsigned int ballot(int predicate) const {
        return packed(__ballot_sync(haul_mask, predicate));
    }
    template <class T> __device__ HAUL_TC_INLINE unsigned int match_any(T value) const {
        return packed(__match_any_sync(haul_mask, value));
    }
    template <class T> __device__ HAUL_TC_INLINE unsigned int match_all(T value, int &agree) const {
        return packed(__match_all_sync(haul_mask, value, &agree));
    }

  private:
    template <class T> __device__ HAUL_TC_INLINE T moved(const T &value, unsigned int lane, bool inside) const {
        return details::shuffle(haul_mask, value, (int)(inside ? lane : details::lane()));
    }
    __device__ HAUL_TC_INLINE unsigned int packed(unsigned int lanes) const {
        return (lanes & haul_mask) >> (details::lane() & ~(Size - 1));
    }
};

/* ---- groups of groups ---- */

template <unsigned int Size, class Parent>
HAUL_TC_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
    return thread_block_tile<Size, Parent>();
}
/* Consecutive ranks of a group, `size` each. */
HAUL_TC_DEVICE coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
    const unsigned int rank = parent.thread_rank(), first = rank / size * size;
    unsigned int mask = 0;
    for (unsigned int i = first; i < first + size && i < parent.size(); i++) mask |= 1u << parent.haul_lane(i);
    return coalesced_group(mask, rank / size, (parent.size() + size - 1) / size);
}
HAUL_TC_DEVICE thread_group tiled_partition(const thread_group &parent, unsigned int size) {
    if (parent.haul_kind == thread_scope_kind::lanes) return tiled_partition(coalesced_group(parent.haul_mask), size);
    return thread_group(thread_scope_kind::lanes, (unsigned int)((1ull << size) - 1)
                                                      << (details::lane() / size * size));
}
template <class Group> HAUL_TC_DEVICE coalesced_group labeled_partition(const Group &group, int label) {
    return coalesced_group(__match_any_sync(group.haul_mask, label));
}
template <class Group> HAUL_TC_DEVICE coalesced_group binary_partition(const Group &group, bool predicate) {
    const unsigned int yes = __ballot_sync(group.haul_mask, predicate) & group.haul_mask;
    return coalesced_group(predicate ? yes : group.haul_mask & ~yes, predicate ? 0 : 1, 2);
}

template <class Group> HAUL_TC_DEVICE void sync(const Group &group) {
    group.sync();
}
template <class Group> HAUL_TC_DEVICE auto thread_rank(const Group &group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group> HAUL_TC_DEVICE auto group_size(const Group &group) -> decltype(group.size()) {
    return group.size();
}

template <class Group, class Function> HAUL_TC_DEVICE void invoke_one(const Group &group, Function function) {
    if (group.thread_rank() == 0) function();
}
template <class Group, class Function>
HAUL_TC_DEVICE auto invoke_one_broadcast(const Group &group, Function function) -> decltype(function()) {
    decltype(function()) value{};
    if (group.thread_rank() == 0) value = function();
    return group.shfl(value, 0);
}

/* ---- a cluster ---- */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group {
  public:
    struct arrival_token {};
    static __device__ HAUL_TC_INLINE void sync() {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static __device__ HAUL_TC_INLINE arrival_token barrier_arrive() {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    static __device__ HAUL_TC_INLINE void barrier_wait() {
        __cluster_barrier_wait();
    }
    static __device__ HAUL_TC_INLINE void barrier_wait(arrival_token &&) {
        __cluster_barrier_wait();
    }
    static __device__ HAUL_TC_INLINE unsigned int block_rank() {
        return __clusterRelativeBlockRank();
    }
    static __device__ HAUL_TC_INLINE dim3 block_index() {
        return __clusterRelativeBlockIdx();
    }
    static __device__ HAUL_TC_INLINE dim3 dim_blocks() {
        return __clusterDim();
    }
    static __device__ HAUL_TC_INLINE unsigned int num_blocks() {
        return __clusterSizeInBlocks();
    }
    static __device__ HAUL_TC_INLINE unsigned int num_threads() {
        return num_blocks() * details::threads_of_block();
    }
    static __device__ HAUL_TC_INLINE unsigned int size() {
        return num_threads();
    }
    static __device__ HAUL_TC_INLINE unsigned int thread_rank() {
        return block_rank() * details::threads_of_block() + details::rank_in_block();
    }
    /* Returns the address of the same variable in another block. */
    template <class T> static __device__ HAUL_TC_INLINE T *map_shared_rank(T *address, int rank) {
        T *mapped;
        asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
        return mapped;
    }
    static __device__ HAUL_TC_INLINE unsigned int query_shared_rank(const void *address) {
        unsigned int rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
};
HAUL_TC_DEVICE cluster_group this_cluster() {
    return cluster_group();
}
#endif

} // namespace cooperative_groups

#endif
#endif
