// Numerical methods: stencils, lattices, transforms, systems of equations, particles, options, rays.

// 27 points in three dimensions.
KERNEL box27__points(float *y, const float *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1 || k < 1 || k >= d - 1) return;
    float s = 0;
    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) s += x[((k + c) * h + j + b) * w + i + a] * (a || b || c ? 0.03f : 0.22f);
    y[(k * h + j) * w + i] = s;
}

KERNEL box27__planes(float *y, const float *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1) return;
    float under = 0, here = 0, centre = 0;
    for (int k = 0; k < d; k++) {
        float s = 0, c = 0;
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) {
                const float v = x[(k * h + j + b) * w + i + a];
                s += v;
                if (!a && !b) c = v;
            }
        if (k > 1) y[((k - 1) * h + j) * w + i] = 0.03f * (under + here + s) + 0.19f * centre;
        under = here, here = s, centre = c;
    }
}

// A wave equation of eighth order in two dimensions.
KERNEL wave__plain(float *next, const float *now, const float *speed, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, at = j * w + i;
    if (i < 4 || i >= w - 4 || j < 4 || j >= h - 4) return;
    const float c[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00179f};
    float s = 2 * c[0] * now[at];
    for (int k = 1; k <= 4; k++) s += c[k] * (now[at - k] + now[at + k] + now[at - k * w] + now[at + k * w]);
    next[at] = 2 * now[at] - next[at] + speed[at] * s;
}

KERNEL wave__tile(float *next, const float *now, const float *speed, int w, int h) {
    __shared__ float t[16][40];
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, at = j * w + i;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 640; k += 256) {
        const int a = blockIdx.x * 32 + k % 40 - 4, b = blockIdx.y * 8 + k / 40 - 4;
        t[k / 40][k % 40] = a >= 0 && a < w && b >= 0 && b < h ? now[b * w + a] : 0;
    }
    __syncthreads();
    if (i < 4 || i >= w - 4 || j < 4 || j >= h - 4) return;
    const float c[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00179f};
    const int a = threadIdx.x + 4, b = threadIdx.y + 4;
    float s = 2 * c[0] * t[b][a];
    for (int k = 1; k <= 4; k++) s += c[k] * (t[b][a - k] + t[b][a + k] + t[b - k][a] + t[b + k][a]);
    next[at] = 2 * t[b][a] - next[at] + speed[at] * s;
}

// Lattice Boltzmann, D2Q9: nine numbers of a cell one after the other, or nine planes.
template <bool PLANES> __device__ __forceinline__ void lattice(float *out, const float *in, int w, int h) {
    const int i = THREAD, x = i % w, y = i / w, cells = w * h;
    if (i >= cells) return;
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0, u = 0, v = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        const int a = (x - ex[q] + w) % w, b = (y - ey[q] + h) % h, from = b * w + a;
        f[q] = in[PLANES ? q * cells + from : from * 9 + q];
        rho += f[q], u += ex[q] * f[q], v += ey[q] * f[q];
    }
    rho += 10, u /= rho, v /= rho;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        const float e = 3 * (ex[q] * u + ey[q] * v), weight = q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36;
        out[PLANES ? q * cells + i : i * 9 + q] = f[q] + 0.6f * (weight * rho * (1 + e + 0.5f * e * e - 1.5f * (u * u + v * v)) - f[q]);
    }
}
KERNEL lattice__planes(float *out, const float *in, int w, int h) { lattice<true>(out, in, w, h); }
KERNEL lattice__cells(float *out, const float *in, int w, int h) { lattice<false>(out, in, w, h); }

// Fourier transforms of 1024 points in shared memory, by steps of two or of four.
KERNEL fourier__2(float2 *out, const float2 *in) {
    __shared__ float2 s[1024];
    const int t = threadIdx.x;
    in += blockIdx.x * 1024, out += blockIdx.x * 1024;
    for (int k = t; k < 1024; k += 512) s[__brev(k) >> 22] = in[k];
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
        const int j = t % half, a = t / half * 2 * half + j, b = a + half;
        float sine, cosine;
        __sincosf(-3.14159265f * j / half, &sine, &cosine);
        const float2 p = s[a], q = s[b], r = {q.x * cosine - q.y * sine, q.x * sine + q.y * cosine};
        s[a] = make_float2(p.x + r.x, p.y + r.y);
        s[b] = make_float2(p.x - r.x, p.y - r.y);
    }
    __syncthreads();
    for (int k = t; k < 1024; k += 512) out[k] = s[k];
}

KERNEL fourier__4(float2 *out, const float2 *in) {
    __shared__ float2 s[2][1024];
    const int t = threadIdx.x;
    in += blockIdx.x * 1024, out += blockIdx.x * 1024;
    for (int k = 0; k < 4; k++) s[0][t + 256 * k] = in[t + 256 * k];
    int now = 0;
    for (int n = 1; n < 1024; n *= 4, now ^= 1) {
        __syncthreads();
        const int j = t % n;
        float2 v[4];
        for (int k = 0; k < 4; k++) {
            float sine, cosine;
            __sincosf(-6.2831853f * j * k / (4 * n), &sine, &cosine);
            const float2 q = s[now][t + 256 * k];
            v[k] = make_float2(q.x * cosine - q.y * sine, q.x * sine + q.y * cosine);
        }
        const float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y};
        const float2 c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
        float2 *o = &s[now ^ 1][t / n * 4 * n + j];
        o[0] = make_float2(a.x + c.x, a.y + c.y);
        o[n] = make_float2(b.x + d.x, b.y + d.y);
        o[2 * n] = make_float2(a.x - c.x, a.y - c.y);
        o[3 * n] = make_float2(b.x - d.x, b.y - d.y);
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) out[t + 256 * k] = s[now][t + 256 * k];
}

// Tridiagonal systems: a thread has one, whose rows lie apart; or a block halves one again and again.
KERNEL tridiagonal__threads(float *x, float *c, const float *a, const float *b, int systems, int n) {
    const int t = THREAD;
    if (t >= systems) return;
    float cp = 0, xp = 0;
    for (int i = 0; i < n; i++) {
        const int at = i * systems + t;
        const float low = i ? a[at] : 0, m = 1 / (8 + fabsf(b[at]) - low * cp);
        cp = c[at] * m;
        xp = (b[at] - low * xp) * m;
        c[at] = cp, x[at] = xp;
    }
    for (int i = n - 2; i >= 0; i--) {
        const int at = i * systems + t;
        xp = x[at] - c[at] * xp;
        x[at] = xp;
    }
}

KERNEL tridiagonal__block(float *x, const float *c, const float *a, const float *b, int n) {
    extern __shared__ float f[];
    float *sa = f, *sb = f + n, *sc = f + 2 * n, *sd = f + 3 * n;
    const int t = threadIdx.x, at = blockIdx.x * n + t;
    sa[t] = t ? a[at] : 0, sb[t] = 8 + fabsf(b[at]), sc[t] = t < n - 1 ? c[at] : 0, sd[t] = b[at];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        float na = 0, nb = sb[t], nc = 0, nd = sd[t];
        if (t >= step) {
            const float k = sa[t] / sb[t - step];
            nb -= k * sc[t - step], nd -= k * sd[t - step], na = -k * sa[t - step];
        }
        if (t + step < n) {
            const float k = sc[t] / sb[t + step];
            nb -= k * sa[t + step], nd -= k * sd[t + step], nc = -k * sc[t + step];
        }
        __syncthreads();
        sa[t] = na, sb[t] = nb, sc[t] = nc, sd[t] = nd;
    }
    x[at] = sd[t] / sb[t];
}

// Forces between neighbours by a list of 32 for each particle.
KERNEL neighbours__thread(float4 *force, const float4 *at, const int *list, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float4 p = at[i];
    float4 f = {0, 0, 0, 0};
    for (int k = 0; k < 32; k++) {
        const float4 q = at[list[k * n + i]];
        const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r = 1 / (x * x + y * y + z * z + 0.1f), r3 = r * r * r, s = r3 * (r3 - 0.5f) * r;
        f.x += x * s, f.y += y * s, f.z += z * s, f.w += r3;
    }
    force[i] = f;
}

KERNEL neighbours__warp(float4 *force, const float4 *at, const int *list, int n) {
    const int i = THREAD / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    const float4 p = at[i], q = at[list[i * 32 + lane]];
    const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r = 1 / (x * x + y * y + z * z + 0.1f), r3 = r * r * r, s = r3 * (r3 - 0.5f) * r;
    float4 f = {x * s, y * s, z * s, r3};
    for (int k = 16; k; k /= 2)
        f.x += __shfl_xor_sync(~0u, f.x, k), f.y += __shfl_xor_sync(~0u, f.y, k), f.z += __shfl_xor_sync(~0u, f.z, k), f.w += __shfl_xor_sync(~0u, f.w, k);
    if (lane == 0) force[i] = f;
}

// Prices of options, by the closed form and by paths.
KERNEL options__closed(float *call, float *put, const float *price, const float *strike, const float *years, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float s = 5 + 25 * fabsf(price[i]), x = 1 + 50 * fabsf(strike[i]), t = 0.25f + fabsf(years[i]), root = sqrtf(t);
    const float d1 = (logf(s / x) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root, e = expf(-0.02f * t);
    const float c1 = normcdff(d1), c2 = normcdff(d2);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (1 - c2) - s * (1 - c1);
}

KERNEL options__paths(float *out, int steps) {
    unsigned a = THREAD * 747796405u + 1, b = THREAD ^ 0x9e3779b9u;
    float logs = 0, sum = 0;
    for (int k = 0; k < steps; k++) {
        a ^= a << 13, a ^= a >> 17, a ^= a << 5;
        b = b * 1664525u + 1013904223u;
        const float r = sqrtf(-2 * __logf((a >> 8) * 5.9604645e-8f + 1e-7f));
        float sine, cosine;
        __sincosf(6.2831853f * (b >> 8) * 5.9604645e-8f, &sine, &cosine);
        logs += 0.001f + 0.02f * r * cosine;
        sum += __expf(logs);
        logs += 0.001f + 0.02f * r * sine;
        sum += __expf(logs);
    }
    out[THREAD] = fmaxf(sum / (2 * steps) - 1, 0);
}

// Random numbers by ten rounds of Philox.
KERNEL philox__store(uint4 *out, unsigned k0, unsigned k1) {
    uint4 c = {THREAD, 0, 7, 9};
#pragma unroll
    for (int r = 0; r < 10; r++) {
        const unsigned h0 = __umulhi(0xD2511F53u, c.x), h1 = __umulhi(0xCD9E8D57u, c.z);
        c = make_uint4(h1 ^ c.y ^ k0, c.z * 0xCD9E8D57u, h0 ^ c.w ^ k1, c.x * 0xD2511F53u);
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    out[THREAD] = c;
}

// Rays against boxes and against triangles.
KERNEL boxes__all(int *hits, const float *rays, const float4 *boxes, int n) {
    const int i = THREAD;
    const float ox = rays[i * 6], oy = rays[i * 6 + 1], oz = rays[i * 6 + 2], ix = 1 / rays[i * 6 + 3], iy = 1 / rays[i * 6 + 4], iz = 1 / rays[i * 6 + 5];
    int count = 0;
    for (int k = 0; k < n; k++) {
        const float4 lo = boxes[2 * k], hi = boxes[2 * k + 1];
        const float ax = (lo.x - ox) * ix, bx = (hi.x - ox) * ix, ay = (lo.y - oy) * iy, by = (hi.y - oy) * iy, az = (lo.z - oz) * iz, bz = (hi.z - oz) * iz;
        const float near = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fminf(az, bz)), far = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
        count += near <= far && far > 0;
    }
    hits[i] = count;
}

KERNEL boxes__tiles(int *hits, const float *rays, const float4 *boxes, int n) {
    __shared__ float4 tile[256];
    const int i = THREAD;
    const float ox = rays[i * 6], oy = rays[i * 6 + 1], oz = rays[i * 6 + 2], ix = 1 / rays[i * 6 + 3], iy = 1 / rays[i * 6 + 4], iz = 1 / rays[i * 6 + 5];
    int count = 0;
    for (int at = 0; at < n; at += 128) {
        for (int k = threadIdx.x; k < 256; k += blockDim.x) tile[k] = boxes[2 * at + k];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++) {
            const float4 lo = tile[2 * k], hi = tile[2 * k + 1];
            const float ax = (lo.x - ox) * ix, bx = (hi.x - ox) * ix, ay = (lo.y - oy) * iy, by = (hi.y - oy) * iy, az = (lo.z - oz) * iz, bz = (hi.z - oz) * iz;
            const float near = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fminf(az, bz)), far = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
            count += near <= far && far > 0;
        }
        __syncthreads();
    }
    hits[i] = count;
}

// The nearest of some centres for each point of four coordinates.
KERNEL nearest__shared(int *best, const float4 *points, const float4 *centres, int n, int k) {
    extern __shared__ float4 c[];
    for (int j = threadIdx.x; j < k; j += blockDim.x) c[j] = centres[j];
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = points[i];
        float least = 3e38f;
        int at = 0;
        for (int j = 0; j < k; j++) {
            const float x = p.x - c[j].x, y = p.y - c[j].y, z = p.z - c[j].z, w = p.w - c[j].w, d = x * x + y * y + z * z + w * w;
            if (d < least) least = d, at = j;
        }
        best[i] = at;
    }
}

KERNEL nearest__global(int *best, const float4 *points, const float4 *centres, int n, int k) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = points[i];
        float least = 3e38f;
        int at = 0;
        for (int j = 0; j < k; j++) {
            const float4 q = __ldg(centres + j);
            const float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, w = p.w - q.w, d = x * x + y * y + z * z + w * w;
            if (d < least) least = d, at = j;
        }
        best[i] = at;
    }
}
