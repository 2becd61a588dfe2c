/* Every texture and surface function, for elements of one, two and four parts. Behind each stands the instruction that
 * its kernel has to have; run.sh looks for it. */
#include <cuda_runtime.h>

/* As a value, and through a pointer. */
#define FETCH(name, ...)                                                                        \
    extern "C" __global__ void name##_is(cudaTextureObject_t t, float x, int layer, int *out) { \
        out[0] = name<int>(t, __VA_ARGS__);                                                     \
        out[1] = name<unsigned char>(t, __VA_ARGS__);                                           \
        ((float *)out)[2] = name<float>(t, __VA_ARGS__);                                        \
        ((float2 *)out)[2] = name<float2>(t, __VA_ARGS__);                                      \
        ((uchar4 *)out)[6] = name<uchar4>(t, __VA_ARGS__);                                      \
        ((short2 *)out)[7] = name<short2>(t, __VA_ARGS__);                                      \
        ((uint4 *)out)[2] = name<uint4>(t, __VA_ARGS__);                                        \
        name((float4 *)out + 3, t, __VA_ARGS__);                                                \
    }
#define AT3 x, x + 1, x + 2
#define ALONG2 make_float2(x, 1), make_float2(1, x)
#define ALONG3 make_float4(x, 1, 1, 0), make_float4(1, x, 1, 0)

FETCH(tex1Dfetch, layer)                         // tex.1d.v4.f32.s32
FETCH(tex1D, x)                                  // tex.1d.v4.f32.f32
FETCH(tex2D, x, x + 1)                           // tex.2d.v4.f32.f32
FETCH(tex3D, AT3)                                // tex.3d.v4.f32.f32
FETCH(tex1DLayered, x, layer)                    // tex.a1d.v4.f32.f32
FETCH(tex2DLayered, x, x + 1, layer)             // tex.a2d.v4.f32.f32
FETCH(texCubemap, AT3)                           // tex.cube.v4.f32.f32
FETCH(texCubemapLayered, AT3, layer)             // tex.acube.v4.f32.f32
FETCH(tex1DLod, x, 1.0f)                         // tex.level.1d.v4.f32.f32
FETCH(tex2DLod, x, x + 1, 1.0f)                  // tex.level.2d.v4.f32.f32
FETCH(tex3DLod, AT3, 1.0f)                       // tex.level.3d.v4.f32.f32
FETCH(tex1DLayeredLod, x, layer, 1.0f)           // tex.level.a1d.v4.f32.f32
FETCH(tex2DLayeredLod, x, x + 1, layer, 1.0f)    // tex.level.a2d.v4.f32.f32
FETCH(texCubemapLod, AT3, 1.0f)                  // tex.level.cube.v4.f32.f32
FETCH(texCubemapLayeredLod, AT3, layer, 1.0f)    // tex.level.acube.v4.f32.f32
FETCH(tex1DGrad, x, 1.0f, x)                     // tex.grad.1d.v4.f32.f32
FETCH(tex2DGrad, x, x + 1, ALONG2)               // tex.grad.2d.v4.f32.f32
FETCH(tex3DGrad, AT3, ALONG3)                    // tex.grad.3d.v4.f32.f32
FETCH(tex1DLayeredGrad, x, layer, 1.0f, x)       // tex.grad.a1d.v4.f32.f32
FETCH(tex2DLayeredGrad, x, x + 1, layer, ALONG2) // tex.grad.a2d.v4.f32.f32

#define GATHER(name, component)                                                         \
    extern "C" __global__ void name##_is(cudaTextureObject_t t, float x, float4 *out) { \
        out[0] = tex2Dgather<float4>(t, x, x + 1, component);                           \
        ((int4 *)out)[1] = tex2Dgather<int4>(t, x, x + 1, component);                   \
    }
GATHER(gather_red, 0)   // tld4.r.2d.v4.f32.f32
GATHER(gather_green, 1) // tld4.g.2d.v4.f32.f32
GATHER(gather_blue, 2)  // tld4.b.2d.v4.f32.f32
GATHER(gather_alpha, 3) // tld4.a.2d.v4.f32.f32

/* Out of bounds: a fault, the nearest, nothing. */
#define SURFACE(name, mode, ...)                                                                 \
    extern "C" __global__ void name##_##mode(cudaSurfaceObject_t s, int x, int y, float4 *out) { \
        out[0] = name##read<float4>(s, __VA_ARGS__, cudaBoundaryMode##mode);                     \
        ((float2 *)out)[2] = name##read<float2>(s, __VA_ARGS__, cudaBoundaryMode##mode);         \
        ((float *)out)[6] = name##read<float>(s, __VA_ARGS__, cudaBoundaryMode##mode);           \
        ((short *)out)[14] = name##read<short>(s, __VA_ARGS__, cudaBoundaryMode##mode);          \
        name##read((unsigned char *)out + 30, s, __VA_ARGS__, cudaBoundaryMode##mode);           \
        name##write(out[3], s, __VA_ARGS__, cudaBoundaryMode##mode);                             \
        name##write((uchar4){1, 2, 3, 4}, s, __VA_ARGS__, cudaBoundaryMode##mode);               \
        name##write((char)1, s, __VA_ARGS__, cudaBoundaryMode##mode);                            \
    }
SURFACE(surf1D, Trap, x)               // suld.b.1d.v4.b32.trap
SURFACE(surf2D, Trap, x, y)            // suld.b.2d.v4.b32.trap
SURFACE(surf2D, Clamp, x, y)           // suld.b.2d.v4.b32.clamp
SURFACE(surf2D, Zero, x, y)            // suld.b.2d.v4.b32.zero
SURFACE(surf3D, Zero, x, y, y)         // suld.b.3d.v4.b32.zero
SURFACE(surf1DLayered, Zero, x, y)     // suld.b.a1d.v4.b32.zero
SURFACE(surf2DLayered, Clamp, x, y, 1) // suld.b.a2d.v4.b32.clamp
SURFACE(surfCubemap, Trap, x, y, 1)    // suld.b.a2d.v4.b32.trap
