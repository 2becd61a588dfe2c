/* tcgen05: tensor memory, its products, copies and waits. Factors are the first 256 bytes of s; sums have eight columns
 * of the 32 that a block allocates. sm_100a. */
#include "asyncbugs.cuh"

#define tmem_alloc(to, columns)                                                                             \
    PTX("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(SHARED(to)), "n"(columns) \
        : "memor"                                                                                           \
          "y")
#define tmem_free(columns_at, columns) \
    PTX("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(columns_at), "n"(columns) : "memory")
#define tmem_multiply(to)                                                                                           \
    PTX("{\n.reg .pred p;\nsetp.ne.u32 p, 0, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, p;\n}" ::"r"( \
            to),                                                                                                    \
        "l"((uint64_t)(SHARED(s) >> 4) | 0x0000400000080000), "r"(0x08020010)                                       \
        : "memory")
#define tmem_copy(to)                                                 \
    PTX("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), \
        "l"((uint64_t)(SHARED(s) >> 4) | 0x0000400800080000)          \
        : "memory")
#define tmem_commit(b) \
    PTX("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(SHARED(b)) : "memory")
#define tmem_load(value, from) \
    PTX("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(from) : "memory")
#define tmem_load_wait(value) PTX("tcgen05.wait::ld.sync.aligned;" : "+r"(value)::"memory")
#define tmem_store(to, value) PTX("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(to), "r"(value) : "memory")
#define tmem_store_wait() PTX("tcgen05.wait::st.sync.aligned;" ::: "memory")

/* Stores the factors, initialises `done`, and allocates: `columns` is their address, `mine` that of the warp's lanes.
 */
#define TENSOR_MEMORY                                 \
    __shared__ alignas(128) unsigned s[256];          \
    __shared__ mbarrier done;                         \
    __shared__ unsigned address;                      \
    s[T % 128] = 0x3c003c00 + T % 128;                \
    s[T % 128 + 128] = __float_as_uint(in[T]);        \
    fence_async();                                    \
    START(&done, 1);                                  \
    if (WARP == 0) tmem_alloc(&address, 32);          \
    __syncthreads();                                  \
    const unsigned columns = address;                 \
    const unsigned mine = columns + (WARP % 4 << 21); \
    unsigned value = 0;                               \
    (void)mine, (void)value
#define FREE         \
    __syncthreads(); \
    if (WARP == 0) tmem_free(columns, 32)

/* ---- products ---- */

/* The sums are loaded without a wait for the product. */
KERNEL(sums_loaded_before_wait) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_multiply(columns);
        tmem_commit(&done);
    }
    __syncthreads();
    if (FIXED) barrier_wait(&done, 0);
    tmem_load(value, mine); /* BUG */
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    barrier_wait(&done, 0);
    FREE;
}

/* The commit comes before the product that it should cover. */
KERNEL(commit_before_product) {
    TENSOR_MEMORY;
    if (T == 0) {
        if (!FIXED) tmem_commit(&done);
        tmem_multiply(columns);
        if (FIXED) tmem_commit(&done);
    }
    barrier_wait(&done, 0);
    tmem_load(value, mine); /* BUG */
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    __syncthreads();
    if (!FIXED) {
        if (T == 0) tmem_commit(&done);
        barrier_wait(&done, 1);
    }
    FREE;
}

/* The product is never committed. */
KERNEL(tensor_product_not_committed) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_multiply(columns);
        if (FIXED) tmem_commit(&done);
    }
    barrier_wait(&done, 0); /* BUG */
    tmem_load(value, mine);
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    FREE;
}

/* The product is committed to another barrier than the one that is waited for. */
KERNEL(commit_to_other_barrier) {
    TENSOR_MEMORY;
    __shared__ mbarrier other;
    START(&other, 1);
    if (T == 0) {
        tmem_multiply(columns);
        tmem_commit(FIXED ? &done : &other);
    }
    barrier_wait(&done, 0); /* BUG */
    tmem_load(value, mine);
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    FREE;
}

/* The second product is waited for with the first one's parity. */
KERNEL(second_product_old_parity) {
    TENSOR_MEMORY;
    for (int k = 0; k < 2; k++) {
        if (T == 0) {
            tmem_multiply(columns);
            tmem_commit(&done);
        }
        barrier_wait(&done, FIXED ? k : 0);
        tmem_load(value, mine); /* BUG */
        tmem_load_wait(value);
        out[128 * k + T] = __uint_as_float(value);
        __syncthreads();
    }
    barrier_wait(&done, 1);
    FREE;
}

/* The next product overwrites sums that other warps may still load. */
KERNEL(product_over_unread_sums) {
    TENSOR_MEMORY;
    for (int k = 0; k < 2; k++) {
        if (T == 0) {
            tmem_multiply(columns); /* BUG */
            tmem_commit(&done);
        }
        __syncwarp();
        barrier_wait(&done, k);
        tmem_load(value, mine);
        tmem_load_wait(value);
        out[128 * k + T] = __uint_as_float(value);
        if (FIXED) __syncthreads();
    }
    FREE;
}

/* ---- shared memory ---- */

/* The factors are stored again, and no proxy fence follows. */
KERNEL(factors_stored_without_fence) {
    TENSOR_MEMORY;
    s[T] += 1;
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        tmem_multiply(columns); /* BUG */
        tmem_commit(&done);
    }
    barrier_wait(&done, 0);
    out[T] = 1;
    FREE;
}

/* The factors are overwritten while the product may still read them. */
KERNEL(factors_overwritten_in_flight) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_multiply(columns);
        tmem_commit(&done);
    }
    if (FIXED) barrier_wait(&done, 0);
    __syncthreads();
    s[T] = 0; /* BUG */
    barrier_wait(&done, 0);
    out[T] = (float)s[T];
    FREE;
}

/* The source of a copy to tensor memory is overwritten while it may still be read. */
KERNEL(copied_scales_overwritten) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_copy(columns);
        tmem_commit(&done);
    }
    if (FIXED) barrier_wait(&done, 0);
    __syncthreads();
    s[T] = 0; /* BUG */
    barrier_wait(&done, 0);
    out[T] = (float)s[T];
    FREE;
}

/* A copy to tensor memory is loaded without a wait for it. */
KERNEL(copy_loaded_before_wait) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_copy(columns);
        tmem_commit(&done);
    }
    __syncthreads();
    if (FIXED) barrier_wait(&done, 0);
    tmem_load(value, mine); /* BUG */
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    barrier_wait(&done, 0);
    FREE;
}

/* ---- loads and stores ---- */

/* A register is used before its load is over. */
KERNEL(loaded_register_before_wait) {
    TENSOR_MEMORY;
    tmem_store(mine, T);
    tmem_store_wait();
    tmem_load(value, mine);
    if (FIXED) tmem_load_wait(value);
    out[T] = (float)value; /* BUG */
    if (!FIXED) tmem_load_wait(value);
    FREE;
}

/* The columns are freed under loads that nobody has waited for. */
KERNEL(columns_freed_under_loads) {
    TENSOR_MEMORY;
    tmem_store(mine, T);
    tmem_store_wait();
    tmem_load(value, mine);
    if (FIXED) tmem_load_wait(value);
    __syncthreads();
    if (WARP == 0) tmem_free(columns, 32); /* BUG */
    if (!FIXED) tmem_load_wait(value);
    out[T] = __uint_as_float(value);
}

/* A store is published to other warps before the wait for it. 256 threads. */
KERNEL(store_published_before_wait) {
    TENSOR_MEMORY;
    if (WARP < 4) {
        tmem_store(mine, T);
        if (FIXED) tmem_store_wait();
        PTX("tcgen05.fence::before_thread_sync;" ::: "memory");
    }
    __syncthreads();
    if (WARP >= 4) {
        PTX("tcgen05.fence::after_thread_sync;" ::: "memory");
        tmem_load(value, mine); /* BUG */
        tmem_load_wait(value);
        out[T] = (float)value;
    } else if (!FIXED)
        tmem_store_wait();
    FREE;
}

/* ---- allocation ---- */

/* The columns are freed while the product still writes them. */
KERNEL(columns_freed_under_product) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_multiply(columns);
        tmem_commit(&done);
    }
    if (FIXED) barrier_wait(&done, 0);
    __syncthreads();
    if (WARP == 0) tmem_free(columns, 32); /* BUG */
    barrier_wait(&done, 0);
    out[T] = 1;
}

/* The block ends with its columns. */
KERNEL(columns_never_freed) {
    __shared__ unsigned address;
    if (WARP == 0) {
        tmem_alloc(&address, 32); /* BUG */
        if (FIXED) tmem_free(address, 32);
    }
    out[T] = in[T];
}

/* A warp reads the columns' address before the allocating warp has stored it. */
KERNEL(address_read_without_barrier) {
    __shared__ unsigned address;
    unsigned value = T;
    if (WARP == 0) tmem_alloc(&address, 32); /* BUG */
    if (FIXED) __syncthreads();
    const unsigned columns = address;
    tmem_store(columns + (WARP << 21), value);
    tmem_store_wait();
    tmem_load(value, columns + (WARP << 21));
    tmem_load_wait(value);
    out[T] = (float)value;
    __syncthreads();
    if (WARP == 0) tmem_free(address, 32);
}

/* The block asks for more columns while it holds half of them. */
KERNEL(more_columns_than_there_are) {
    __shared__ unsigned address[2];
    if (WARP == 0) {
        tmem_alloc(&address[0], 256);
        tmem_alloc(&address[1], FIXED ? 256 : 512); /* BUG */
        tmem_free(address[0], 256);
        tmem_free(address[1], FIXED ? 256 : 512);
    }
    out[T] = in[T];
}

/* ---- threads, lanes and fences ---- */

/* The rows that tcgen05.shift moves are loaded before its commit has arrived. */
KERNEL(shifted_rows_loaded_before_wait) {
    TENSOR_MEMORY;
    tmem_store(mine, value + T);
    tmem_store_wait();
    PTX("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (T == 0) {
        PTX("tcgen05.fence::after_thread_sync;" ::: "memory");
        PTX("tcgen05.shift.cta_group::1.down [%0];" ::"r"(columns) : "memory");
        tmem_commit(&done);
    }
    if (FIXED) barrier_wait(&done, 0);
    __syncthreads();
    PTX("tcgen05.fence::after_thread_sync;" ::: "memory");
    tmem_load(value, mine); /* BUG */
    tmem_load_wait(value);
    out[T] = (float)value;
    barrier_wait(&done, 0);
    FREE;
}

/* A copy and a product follow each other without a wait in one thread only. Here another thread multiplies. */
KERNEL(product_behind_another_threads_copy) {
    TENSOR_MEMORY;
    __shared__ mbarrier copied;
    START(&copied, 1);
    if (T == 0) {
        tmem_copy(columns);
        tmem_commit(&copied);
    }
    __syncthreads();
    if (T == 32) {
        if (FIXED) barrier_wait(&copied, 0);
        PTX("tcgen05.fence::after_thread_sync;" ::: "memory");
        tmem_multiply(columns); /* BUG */
        tmem_commit(&done);
    }
    barrier_wait(&copied, 0);
    barrier_wait(&done, 0);
    tmem_load(value, mine);
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    FREE;
}

/* A relaxed wait orders nothing; tcgen05.fence::after_thread_sync has to put the load behind it. */
KERNEL(relaxed_wait_without_tensor_fence) {
    TENSOR_MEMORY;
    if (T == 0) {
        tmem_multiply(columns);
        tmem_commit(&done);
    }
    PTX("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::
            "r"(SHARED(&done))
        : "memory");
    if (FIXED) PTX("tcgen05.fence::after_thread_sync;" ::: "memory");
    tmem_load(value, mine); /* BUG */
    tmem_load_wait(value);
    out[T] = __uint_as_float(value);
    FREE;
}

/* A warp has the 32 lanes of its number modulo 4, no others. */
KERNEL(lanes_of_another_warp) {
    TENSOR_MEMORY;
    tmem_store(mine, T);
    tmem_store_wait();
    __syncthreads();
    tmem_load(value, columns + (((FIXED ? WARP : WARP + 1) % 4) << 21)); /* BUG */
    tmem_load_wait(value);
    out[T] = (float)value;
    FREE;
}

/* The block has said that it allocates no more, and does. */
KERNEL(columns_allocated_after_giving_up_the_right) {
    TENSOR_MEMORY;
    __shared__ unsigned second;
    if (WARP == 0) {
        if (!FIXED) PTX("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
        tmem_alloc(&second, 64); /* BUG */
        if (FIXED) PTX("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    __syncthreads();
    out[T] = second != columns;
    __syncthreads();
    if (WARP == 0) tmem_free(second, 64);
    FREE;
}

/* ---- blocks that are cancelled ---- */

#define cancel(to, b)                                                                                            \
    PTX("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"( \
            SHARED(to)),                                                                                         \
        "r"(SHARED(b))                                                                                           \
        : "memory")
/* The number of the block that the answer at `from` has cancelled, or -1. */
#define cancelled(block, from)                                                        \
    PTX("{\n.reg .b128 h;\n.reg .pred p;\nld.shared.b128 h, [%1];\nmov.u32 %0, -1;\n" \
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\n"             \
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, h;\n}"  \
        : "=r"(block)                                                                 \
        : "r"(SHARED(from))                                                           \
        : "memory")

/* The answer to try_cancel comes asynchronously, and is read before its mbarrier's phase is over. */
KERNEL(answer_read_before_wait) {
    __shared__ alignas(16) uint4 answer;
    __shared__ mbarrier full;
    int block = (int)blockIdx.x;
    if (T == 0) answer = make_uint4(0, 0, 0, 0);
    fence_async();
    START(&full, 1);
    for (unsigned k = 0; block >= 0; k++) {
        if (T == 0) {
            barrier_expect(&full, 16);
            cancel(&answer, &full);
        }
        out[128 * block + T] = in[128 * block + T];
        if (FIXED) barrier_wait(&full, k % 2);
        cancelled(block, &answer); /* BUG */
        if (!FIXED) barrier_wait(&full, k % 2);
        fence_async();
        __syncthreads();
    }
}

/* The next answer comes into the same place when slow warps have not read the last one. */
KERNEL(answer_overwritten_before_read) {
    __shared__ alignas(16) uint4 answer;
    __shared__ mbarrier full[2];
    int block = (int)blockIdx.x;
    START(&full[0], 1);
    START(&full[1], 1);
    for (unsigned k = 0; block >= 0; k++) {
        if (T == 0) {
            barrier_expect(&full[k % 2], 16);
            cancel(&answer, &full[k % 2]); /* BUG */
        }
        out[128 * block + T] = in[128 * block + T];
        barrier_wait(&full[k % 2], k / 2 % 2);
        cancelled(block, &answer); /* BUG */
        fence_async();
        if (FIXED) __syncthreads();
    }
}
