"""JAX: fused element-wise operations, a reduction, a scan. Prints the same on the virtual GPU and on a real one."""
import jax
import jax.numpy as jnp

x = jnp.arange(4096, dtype=jnp.float32)


@jax.jit
def f(v):
    return jnp.sum(jnp.where(v % 3 == 0, v * 2, -v)), jnp.max(v), jnp.cumsum(v)[100]


print(jax.devices()[0].platform, [float(r) for r in f(x)])
