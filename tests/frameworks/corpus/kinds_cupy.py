"""CuPy's own kernels for the set tests/data/kinds: scans and sums along axes, tables of counts, sampled choices, complex numbers, windows."""
import cupy
import numpy

from cupy_steps import run, there, whole


def own():
    x, small = there(700, 500), there(20, 30)
    for a in (small, x):
        yield lambda a=a: cupy.cumprod(a * 0.1 + 1, axis=1)
        yield lambda a=a: cupy.cumsum(a, axis=0)
        yield lambda a=a: cupy.nanmax(a, axis=0)
        yield lambda a=a: cupy.ptp(a, axis=1)
        yield lambda a=a: cupy.heaviside(a, 0.5) * cupy.sinc(a)
        yield lambda a=a: cupy.diff(a, axis=0)
        yield lambda a=a: cupy.unwrap(a, axis=1)
    z = there(300, 400) + 1j * there(300, 400)
    yield lambda: cupy.exp(z.astype(numpy.complex64)) * z.conj().astype(numpy.complex64)
    yield lambda: abs(z.astype(numpy.complex64))
    yield lambda: cupy.angle(z.astype(numpy.complex64))
    yield lambda: (z.astype(numpy.complex64) ** 2).sum(axis=1)
    yield lambda: cupy.bincount(whole(64, 200000), minlength=64)
    yield lambda: cupy.histogram(x.ravel(), bins=50, range=(-3, 3))
    yield lambda: cupy.searchsorted(cupy.linspace(-3, 3, 1000, dtype=numpy.float32), x.ravel())
    yield lambda: cupy.repeat(x, 3, axis=1)
    yield lambda: cupy.packbits(x.ravel() > 0)
    yield lambda: cupy.unpackbits(whole(256, 100000).astype(numpy.uint8))
    yield lambda: cupy.choose(whole(3, 500), there(3, 500))
    yield lambda: cupy.trapezoid(x, axis=1) if hasattr(cupy, "trapezoid") else cupy.trapz(x, axis=1)
    yield lambda: cupy.gradient(x, axis=0)
    yield lambda: cupy.float_power(abs(x), 1.5)
    yield lambda: cupy.frexp(x)
    yield lambda: cupy.gcd(whole(10000, 100000), whole(10000, 100000))
    fused = cupy.fuse(lambda a, b: cupy.where(a > b, cupy.sqrt(cupy.abs(a)) * b, a - cupy.tanh(b)), kernel_name="mixed_choice")
    yield lambda: fused(x, x[::-1])


def images():
    import cupyx.scipy.ndimage as images
    import cupyx.scipy.special as special

    x = there(300, 400)
    yield lambda: images.rank_filter(x, 3, size=3)
    yield lambda: images.distance_transform_edt(x[:64, :64] > 1)
    yield lambda: images.laplace(x)
    yield lambda: images.map_coordinates(x, abs(there(2, 60000)) * 100, order=3)
    yield lambda: images.label(x[:100, :100] > 0)
    yield lambda: images.sum_labels(x, whole(20, 300, 400), cupy.arange(20))
    yield lambda: special.gammaln(abs(x) + 0.5)
    yield lambda: special.j1(x)
    yield lambda: special.ndtri(abs(x) % 1 * 0.9 + 0.05)
    yield lambda: special.zeta(abs(x.astype(numpy.float64)) + 1.5, 2.0)


run({"own": own, "images": images})
