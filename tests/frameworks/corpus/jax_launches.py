"""JAX: what XLA makes of ordinary array programs; products by XLA's own Triton kernels, and Pallas kernels."""
import functools
import os

# The steps use constants, which XLA would compute with while it compiles.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0 --xla_gpu_triton_gemm_any=true --xla_gpu_enable_cublaslt=false "
                      "--xla_gpu_cublas_fallback=false --xla_disable_hlo_passes=constant_folding")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
import numpy

from tensors import Corpus, digest

corpus = Corpus()
numbers = numpy.random.default_rng(3)
x = jnp.asarray(numbers.standard_normal((64, 96)).astype(numpy.float32))
y = jnp.asarray(numbers.standard_normal((64, 96)).astype(numpy.float32))
w = jnp.asarray(numbers.standard_normal((96, 128)).astype(numpy.float32))
n = jnp.asarray(numbers.integers(0, 64, 2000).astype(numpy.int32))


def layer_norm(v):
    return (v - v.mean(-1, keepdims=True)) / jnp.sqrt(v.var(-1, keepdims=True) + 1e-5)


def attention(q, k, v):
    s = jnp.einsum("td,sd->ts", q, k) / jnp.sqrt(q.shape[-1])
    return jnp.einsum("ts,sd->td", jax.nn.softmax(jnp.where(jnp.tril(jnp.ones_like(s)) > 0, s, -1e9)), v)


def mlp(params, v):
    for p in params:
        v = jax.nn.gelu(v @ p)
    return (v**2).mean()


STEPS = {
    "element-wise": lambda: jnp.sin(x) * jnp.exp(y) + jnp.where(x > y, x, -y),
    "softmax": lambda: jax.nn.softmax(x, axis=-1),
    "softmax of columns": lambda: jax.nn.softmax(x, axis=0),
    "layer norm": lambda: layer_norm(x),
    "gradient of a norm": lambda: jax.grad(lambda v: (layer_norm(v) * y).sum())(x),
    "sums": lambda: (x.sum(), x.sum(0), x.sum(1), (x * y).max(0), x.argmax(1)),
    "cumsum": lambda: jnp.cumsum(x, axis=1),
    "cumsum of columns": lambda: jnp.cumsum(x, axis=0),
    "cumulative logsumexp": lambda: jax.lax.cumlogsumexp(x, axis=1),
    "associative scan": lambda: jax.lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x * 0.1, y), axis=1)[1],
    "scan": lambda: jax.lax.scan(lambda c, v: (c * 0.9 + v, c), x[0], y)[1],
    "while": lambda: jax.lax.while_loop(lambda s: s[1] < 10, lambda s: (jnp.sin(s[0]) + 1, s[1] + 1), (x, 0))[0],
    "sort": lambda: jnp.sort(x, axis=1),
    "sort of columns": lambda: jnp.sort(x, axis=0),
    "sort of pairs": lambda: jnp.argsort(n),
    "largest": lambda: jax.lax.top_k(x, 8)[0],
    "median": lambda: jnp.median(x, axis=1),
    "gather": lambda: x[n[:40]],
    "scatter": lambda: jnp.zeros(64).at[n].add(1.0),
    "scatter of rows": lambda: jnp.zeros((64, 96)).at[n[:64]].max(x),
    "segments": lambda: jax.ops.segment_sum(jnp.ones(2000), n, 64),
    "histogram": lambda: jnp.histogram(x, bins=20)[0],
    "transpose": lambda: x.T + 1,
    "turn": lambda: jnp.transpose(x.reshape(8, 8, 96), (2, 0, 1)) * 2,
    "concatenate": lambda: jnp.concatenate([x, y * 2], 1),
    "pad": lambda: jnp.pad(x, 3, mode="reflect"),
    "roll": lambda: jnp.roll(x, 5, 1),
    "reverse": lambda: x[::-1, ::-2],
    "windows": lambda: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (3, 3), (2, 2), "SAME"),
    "dynamic slices": lambda: jax.lax.dynamic_update_slice(x, y[:4, :4], (n[0], n[1])),
    "random": lambda: jax.random.normal(jax.random.key(0), (1000,)),
    "random whole": lambda: jax.random.randint(jax.random.key(1), (1000,), 0, 9),
    "permutation": lambda: jax.random.permutation(jax.random.key(2), 500),
    "categorical": lambda: jax.random.categorical(jax.random.key(3), x),
    "product": lambda: x @ w,
    "product of halves": lambda: (x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)).astype(jnp.float32),
    "product and gelu": lambda: jax.nn.gelu((x.astype(jnp.float16) @ w.astype(jnp.float16)).astype(jnp.float32)),
    "batched product": lambda: jnp.einsum("bij,bjk->bik", x.reshape(4, 16, 96), jnp.stack([w] * 4)),
    "attention": lambda: attention(x, y, x),
    "gradient of layers": lambda: jax.grad(mlp)([w, w.T, w], x)[0],
    "einsum": lambda: jnp.einsum("ij,kj->ik", x, y),
    "integers": lambda: jnp.bitwise_count(n) + n // 7 + n % 5 + (n << 3),
    "complex": lambda: jnp.abs(jnp.exp(x + 1j * y)),
    "special": lambda: jax.scipy.special.erf(x) + jax.scipy.special.gammaln(jnp.abs(y) + 1),
    "vmap": lambda: jax.vmap(lambda r: jnp.convolve(r, r[:7]))(x),
    "interp": lambda: jnp.interp(x, jnp.linspace(-3, 3, 30), jnp.arange(30.0)),
    "one hot": lambda: jax.nn.one_hot(n, 64).sum(0),
    "unique": lambda: jnp.unique(n, size=64),
    "searchsorted": lambda: jnp.searchsorted(jnp.arange(64), n),
    "cross entropy": lambda: -jnp.take_along_axis(jax.nn.log_softmax(x), n[:64, None], 1).mean(),
}


def told(value):
    return " ".join(digest(numpy.abs(numpy.asarray(v, numpy.float64 if v.dtype.kind != "c" else None))) for v in jax.tree.leaves(value))


for name, work in STEPS.items():
    corpus.step(name, lambda work=work: told(jax.jit(work)()))


def pallas():
    from jax.experimental import pallas as pl

    def add(a, b, out):
        out[...] = a[...] + b[...]

    def product(a, b, out):
        total = jnp.zeros(out.shape, jnp.float32)
        for k in range(0, a.shape[1], 32):
            total += jnp.dot(a[:, k : k + 32], b[k : k + 32, :], preferred_element_type=jnp.float32)
        out[...] = total

    def row_softmax(v, out):
        e = jnp.exp(v[...] - jnp.max(v[...], axis=-1, keepdims=True))
        out[...] = e / jnp.sum(e, axis=-1, keepdims=True)

    call = functools.partial(pl.pallas_call, interpret=False)
    a, b = x[:, :64], y[:, :64]
    yield "pallas add", lambda: call(add, out_shape=jax.ShapeDtypeStruct(a.shape, a.dtype))(a, b)
    yield "pallas softmax", lambda: call(row_softmax, out_shape=jax.ShapeDtypeStruct(a.shape, a.dtype))(a)
    yield "pallas grid", lambda: call(add, grid=(4,), in_specs=[pl.BlockSpec((16, 64), lambda i: (i, 0))] * 2,
                                      out_specs=pl.BlockSpec((16, 64), lambda i: (i, 0)),
                                      out_shape=jax.ShapeDtypeStruct(a.shape, a.dtype))(a, b)
    yield "pallas product", lambda: call(product, out_shape=jax.ShapeDtypeStruct((64, 64), a.dtype))(
        a.astype(jnp.float16), b.astype(jnp.float16))


try:
    for name, work in pallas():
        corpus.step(name, lambda work=work: told(work()))
except ImportError as error:
    print("pallas: not there:", error)
corpus.end()
