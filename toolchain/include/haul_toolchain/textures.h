/* Textures and surfaces: tex2D<T>() and similar functions for T of one, two or four elements of 8, 16 or 32 bits. */
#ifndef HAUL_TOOLCHAIN_TEXTURES_H
#define HAUL_TOOLCHAIN_TEXTURES_H

#include "../texture_types.h"

#if defined(__CUDA__) && defined(__cplusplus)

/* ---- elements: what an instruction gives, and T made of it ---- */

template <class T> struct haul_texel;

#define HAUL_TEXEL(T, R, letter, kind)                                       \
    template <> struct haul_texel<T> {                                       \
        typedef R raw;                                                       \
        static __device__ __forceinline__ T make(R x, R y, R z, R w) {       \
            return (T)x;                                                     \
        }                                                                    \
    };                                                                       \
    template <> struct haul_texel<kind##1> {                                 \
        typedef R raw;                                                       \
        static __device__ __forceinline__ kind##1 make(R x, R y, R z, R w) { \
            return make_##kind##1((T)x);                                     \
        }                                                                    \
    };                                                                       \
    template <> struct haul_texel<kind##2> {                                 \
        typedef R raw;                                                       \
        static __device__ __forceinline__ kind##2 make(R x, R y, R z, R w) { \
            return make_##kind##2((T)x, (T)y);                               \
        }                                                                    \
    };                                                                       \
    template <> struct haul_texel<kind##4> {                                 \
        typedef R raw;                                                       \
        static __device__ __forceinline__ kind##4 make(R x, R y, R z, R w) { \
            return make_##kind##4((T)x, (T)y, (T)z, (T)w);                   \
        }                                                                    \
    };
HAUL_TEXEL(signed char, int, i, char)
HAUL_TEXEL(unsigned char, unsigned int, u, uchar)
HAUL_TEXEL(short, int, i, short)
HAUL_TEXEL(unsigned short, unsigned int, u, ushort)
HAUL_TEXEL(int, int, i, int)
HAUL_TEXEL(unsigned int, unsigned int, u, uint)
HAUL_TEXEL(float, float, f, float)
#undef HAUL_TEXEL
template <> struct haul_texel<char> {
    typedef int raw;
    static __device__ __forceinline__ char make(int x, int, int, int) {
        return (char)x;
    }
};

/* ---- fetches: FETCH(name, instruction, coordinates as asm has them, parameters, operands) ---- */

#define HAUL_FETCH_AS(R, constraint, name, instruction, type, places, parameters, ...)                      \
    static __device__ __forceinline__ void haul_##name(R &x, R &y, R &z, R &w, cudaTextureObject_t texture, \
                                                       HAUL_STRIP parameters) {                             \
        asm(instruction ".v4." type places                                                                  \
            : constraint(x), constraint(y), constraint(z), constraint(w)                                    \
            : "l"(texture), __VA_ARGS__);                                                                   \
    }
#define HAUL_STRIP(...) __VA_ARGS__
#define HAUL_FETCH(name, instruction, coordinates, places, parameters, arguments, ...)                                \
    HAUL_FETCH_AS(float, "=f", name, instruction, "f32" coordinates " {%0, %1, %2, %3}, ", places, parameters,        \
                  __VA_ARGS__)                                                                                        \
    HAUL_FETCH_AS(int, "=r", name, instruction, "s32" coordinates " {%0, %1, %2, %3}, ", places, parameters,          \
                  __VA_ARGS__)                                                                                        \
    HAUL_FETCH_AS(unsigned int, "=r", name, instruction, "u32" coordinates " {%0, %1, %2, %3}, ", places, parameters, \
                  __VA_ARGS__)                                                                                        \
    template <class T> static __device__ __forceinline__ T name(cudaTextureObject_t texture, HAUL_STRIP parameters) { \
        typename haul_texel<T>::raw x, y, z, w;                                                                       \
        haul_##name(x, y, z, w, texture, HAUL_STRIP arguments);                                                       \
        return haul_texel<T>::make(x, y, z, w);                                                                       \
    }                                                                                                                 \
    template <class T>                                                                                                \
    static __device__ __forceinline__ void name(T *value, cudaTextureObject_t texture, HAUL_STRIP parameters) {       \
        *value = name<T>(texture, HAUL_STRIP arguments);                                                              \
    }

HAUL_FETCH(tex1Dfetch, "tex.1d", ".s32", "[%4, {%5}];", (int at), (at), "r"(at))
HAUL_FETCH(tex1D, "tex.1d", ".f32", "[%4, {%5}];", (float at_x), (at_x), "f"(at_x))
HAUL_FETCH(tex2D, "tex.2d", ".f32", "[%4, {%5, %6}];", (float at_x, float at_y), (at_x, at_y), "f"(at_x), "f"(at_y))
HAUL_FETCH(tex3D, "tex.3d", ".f32", "[%4, {%5, %6, %7, %7}];", (float at_x, float at_y, float at_z), (at_x, at_y, at_z),
           "f"(at_x), "f"(at_y), "f"(at_z))
HAUL_FETCH(tex1DLayered, "tex.a1d", ".f32", "[%4, {%5, %6}];", (float at_x, int layer), (at_x, layer), "r"(layer),
           "f"(at_x))
HAUL_FETCH(tex2DLayered, "tex.a2d", ".f32", "[%4, {%5, %6, %7, %7}];", (float at_x, float at_y, int layer),
           (at_x, at_y, layer), "r"(layer), "f"(at_x), "f"(at_y))
HAUL_FETCH(texCubemap, "tex.cube", ".f32", "[%4, {%5, %6, %7, %7}];", (float at_x, float at_y, float at_z),
           (at_x, at_y, at_z), "f"(at_x), "f"(at_y), "f"(at_z))
HAUL_FETCH(texCubemapLayered, "tex.acube", ".f32", "[%4, {%5, %6, %7, %8}];",
           (float at_x, float at_y, float at_z, int layer), (at_x, at_y, at_z, layer), "r"(layer), "f"(at_x), "f"(at_y),
           "f"(at_z))
HAUL_FETCH(tex1DLod, "tex.level.1d", ".f32", "[%4, {%5}], %6;", (float at_x, float level), (at_x, level), "f"(at_x),
           "f"(level))
HAUL_FETCH(tex2DLod, "tex.level.2d", ".f32", "[%4, {%5, %6}], %7;", (float at_x, float at_y, float level),
           (at_x, at_y, level), "f"(at_x), "f"(at_y), "f"(level))
HAUL_FETCH(tex3DLod, "tex.level.3d", ".f32", "[%4, {%5, %6, %7, %7}], %8;",
           (float at_x, float at_y, float at_z, float level), (at_x, at_y, at_z, level), "f"(at_x), "f"(at_y),
           "f"(at_z), "f"(level))
HAUL_FETCH(tex1DLayeredLod, "tex.level.a1d", ".f32", "[%4, {%5, %6}], %7;", (float at_x, int layer, float level),
           (at_x, layer, level), "r"(layer), "f"(at_x), "f"(level))
HAUL_FETCH(tex2DLayeredLod, "tex.level.a2d", ".f32", "[%4, {%5, %6, %7, %7}], %8;",
           (float at_x, float at_y, int layer, float level), (at_x, at_y, layer, level), "r"(layer), "f"(at_x),
           "f"(at_y), "f"(level))
HAUL_FETCH(texCubemapLod, "tex.level.cube", ".f32", "[%4, {%5, %6, %7, %7}], %8;",
           (float at_x, float at_y, float at_z, float level), (at_x, at_y, at_z, level), "f"(at_x), "f"(at_y),
           "f"(at_z), "f"(level))
HAUL_FETCH(texCubemapLayeredLod, "tex.level.acube", ".f32", "[%4, {%5, %6, %7, %8}], %9;",
           (float at_x, float at_y, float at_z, int layer, float level), (at_x, at_y, at_z, layer, level), "r"(layer),
           "f"(at_x), "f"(at_y), "f"(at_z), "f"(level))
HAUL_FETCH(tex1DGrad, "tex.grad.1d", ".f32", "[%4, {%5}], {%6}, {%7};", (float at_x, float along_x, float along_y),
           (at_x, along_x, along_y), "f"(at_x), "f"(along_x), "f"(along_y))
HAUL_FETCH(tex2DGrad, "tex.grad.2d", ".f32", "[%4, {%5, %6}], {%7, %8}, {%9, %10};",
           (float at_x, float at_y, float2 along_x, float2 along_y), (at_x, at_y, along_x, along_y), "f"(at_x),
           "f"(at_y), "f"(along_x.x), "f"(along_x.y), "f"(along_y.x), "f"(along_y.y))
HAUL_FETCH(tex3DGrad, "tex.grad.3d", ".f32", "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
           (float at_x, float at_y, float at_z, float4 along_x, float4 along_y), (at_x, at_y, at_z, along_x, along_y),
           "f"(at_x), "f"(at_y), "f"(at_z), "f"(along_x.x), "f"(along_x.y), "f"(along_x.z), "f"(along_y.x),
           "f"(along_y.y), "f"(along_y.z))
HAUL_FETCH(tex1DLayeredGrad, "tex.grad.a1d", ".f32", "[%4, {%5, %6}], {%7}, {%8};",
           (float at_x, int layer, float along_x, float along_y), (at_x, layer, along_x, along_y), "r"(layer),
           "f"(at_x), "f"(along_x), "f"(along_y))
HAUL_FETCH(tex2DLayeredGrad, "tex.grad.a2d", ".f32", "[%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11};",
           (float at_x, float at_y, int layer, float2 along_x, float2 along_y), (at_x, at_y, layer, along_x, along_y),
           "r"(layer), "f"(at_x), "f"(at_y), "f"(along_x.x), "f"(along_x.y), "f"(along_y.x), "f"(along_y.y))
HAUL_FETCH(tex2Dgather_r, "tld4.r.2d", ".f32", "[%4, {%5, %6}];", (float at_x, float at_y), (at_x, at_y), "f"(at_x),
           "f"(at_y))
HAUL_FETCH(tex2Dgather_g, "tld4.g.2d", ".f32", "[%4, {%5, %6}];", (float at_x, float at_y), (at_x, at_y), "f"(at_x),
           "f"(at_y))
HAUL_FETCH(tex2Dgather_b, "tld4.b.2d", ".f32", "[%4, {%5, %6}];", (float at_x, float at_y), (at_x, at_y), "f"(at_x),
           "f"(at_y))
HAUL_FETCH(tex2Dgather_a, "tld4.a.2d", ".f32", "[%4, {%5, %6}];", (float at_x, float at_y), (at_x, at_y), "f"(at_x),
           "f"(at_y))
#undef HAUL_FETCH
#undef HAUL_FETCH_AS

template <class T>
static __device__ __forceinline__ T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
    switch (component) {
    case 1: return tex2Dgather_g<T>(texture, x, y);
    case 2: return tex2Dgather_b<T>(texture, x, y);
    case 3: return tex2Dgather_a<T>(texture, x, y);
    default: return tex2Dgather_r<T>(texture, x, y);
    }
}

/* ---- surfaces: bytes of T; x counts bytes ---- */

template <int bytes> struct haul_width {};

#define HAUL_SURFACE_PART(name, geometry, beyond, bytes, type, suffix, constraint, places, parameters, ...)            \
    static __device__ __forceinline__ void haul_##name##read_##beyond(type &v, haul_width<bytes>,                      \
                                                                      cudaSurfaceObject_t s, HAUL_STRIP parameters) {  \
        asm volatile("suld.b." geometry "." suffix "." #beyond " %[v], [%[s], " places "];"                            \
                     : [v] "=" constraint(v)                                                                           \
                     : [s] "l"(s), __VA_ARGS__);                                                                       \
    }                                                                                                                  \
    static __device__ __forceinline__ void haul_##name##write_##beyond(type v, haul_width<bytes>,                      \
                                                                       cudaSurfaceObject_t s, HAUL_STRIP parameters) { \
        asm volatile("sust.b." geometry "." suffix "." #beyond " [%[s], " places "], %[v];"                            \
                     :                                                                                                 \
                     : [v] constraint(v), [s] "l"(s), __VA_ARGS__                                                      \
                     : "memory");                                                                                      \
    }
#define HAUL_SURFACE_BEYOND(name, geometry, beyond, places, parameters, ...)                                           \
    HAUL_SURFACE_PART(name, geometry, beyond, 1, unsigned short, "b8", "h", places, parameters, __VA_ARGS__)           \
    HAUL_SURFACE_PART(name, geometry, beyond, 2, unsigned short, "b16", "h", places, parameters, __VA_ARGS__)          \
    HAUL_SURFACE_PART(name, geometry, beyond, 4, unsigned int, "b32", "r", places, parameters, __VA_ARGS__)            \
    HAUL_SURFACE_PART(name, geometry, beyond, 8, unsigned long long, "b64", "l", places, parameters, __VA_ARGS__)      \
    static __device__ __forceinline__ void haul_##name##read_##beyond(uint4 &v, haul_width<16>, cudaSurfaceObject_t s, \
                                                                      HAUL_STRIP parameters) {                         \
        asm volatile("suld.b." geometry ".v4.b32." #beyond " {%[a], %[b], %[c], %[d]}, [%[s], " places "];"            \
                     : [a] "=r"(v.x), [b] "=r"(v.y), [c] "=r"(v.z), [d] "=r"(v.w)                                      \
                     : [s] "l"(s), __VA_ARGS__);                                                                       \
    }                                                                                                                  \
    static __device__ __forceinline__ void haul_##name##write_##beyond(uint4 v, haul_width<16>, cudaSurfaceObject_t s, \
                                                                       HAUL_STRIP parameters) {                        \
        asm volatile("sust.b." geometry ".v4.b32." #beyond " [%[s], " places "], {%[a], %[b], %[c], %[d]};"            \
                     :                                                                                                 \
                     : [a] "r"(v.x), [b] "r"(v.y), [c] "r"(v.z), [d] "r"(v.w), [s] "l"(s), __VA_ARGS__                 \
                     : "memory");                                                                                      \
    }

/* The bits of T, in a register or four. */
template <int bytes> struct haul_bits { typedef unsigned short type; };
template <> struct haul_bits<4> { typedef unsigned int type; };
template <> struct haul_bits<8> { typedef unsigned long long type; };
template <> struct haul_bits<16> { typedef uint4 type; };

#define HAUL_SURFACE(name, geometry, places, parameters, arguments, ...)                                            \
    HAUL_SURFACE_BEYOND(name, geometry, trap, places, parameters, __VA_ARGS__)                                      \
    HAUL_SURFACE_BEYOND(name, geometry, clamp, places, parameters, __VA_ARGS__)                                     \
    HAUL_SURFACE_BEYOND(name, geometry, zero, places, parameters, __VA_ARGS__)                                      \
    template <class T>                                                                                              \
    static __device__ __forceinline__ T name##read(cudaSurfaceObject_t surface, HAUL_STRIP parameters,              \
                                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
        typename haul_bits<sizeof(T)>::type bits;                                                                   \
        T value;                                                                                                    \
        if (mode == cudaBoundaryModeTrap)                                                                           \
            haul_##name##read_trap(bits, haul_width<sizeof(T)>(), surface, HAUL_STRIP arguments);                   \
        else if (mode == cudaBoundaryModeClamp)                                                                     \
            haul_##name##read_clamp(bits, haul_width<sizeof(T)>(), surface, HAUL_STRIP arguments);                  \
        else                                                                                                        \
            haul_##name##read_zero(bits, haul_width<sizeof(T)>(), surface, HAUL_STRIP arguments);                   \
        __builtin_memcpy(&value, &bits, sizeof value);                                                              \
        return value;                                                                                               \
    }                                                                                                               \
    template <class T>                                                                                              \
    static __device__ __forceinline__ void name##read(T *value, cudaSurfaceObject_t surface, HAUL_STRIP parameters, \
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
        *value = name##read<T>(surface, HAUL_STRIP arguments, mode);                                                \
    }                                                                                                               \
    template <class T>                                                                                              \
    static __device__ __forceinline__ void name##write(T value, cudaSurfaceObject_t surface, HAUL_STRIP parameters, \
                                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
        typename haul_bits<sizeof(T)>::type bits = {};                                                              \
        __builtin_memcpy(&bits, &value, sizeof value);                                                              \
        if (mode == cudaBoundaryModeTrap)                                                                           \
            haul_##name##write_trap(bits, haul_width<sizeof(T)>(), surface, HAUL_STRIP arguments);                  \
        else if (mode == cudaBoundaryModeClamp)                                                                     \
            haul_##name##write_clamp(bits, haul_width<sizeof(T)>(), surface, HAUL_STRIP arguments);                 \
        else                                                                                                        \
            haul_##name##write_zero(bits, haul_width<sizeof(T)>(), surface, HAUL_STRIP arguments);                  \
    }
HAUL_SURFACE(surf1D, "1d", "{%[x]}", (int at_x), (at_x), [x] "r"(at_x))
HAUL_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int at_x, int at_y), (at_x, at_y), [x] "r"(at_x), [y] "r"(at_y))
HAUL_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int at_x, int at_y, int at_z),
             (at_x, at_y, at_z), [x] "r"(at_x), [y] "r"(at_y), [z] "r"(at_z))
HAUL_SURFACE(surf1DLayered, "a1d", "{%[layer], %[x]}", (int at_x, int layer),
             (at_x, layer), [x] "r"(at_x), [layer] "r"(layer))
HAUL_SURFACE(surf2DLayered, "a2d", "{%[layer], %[x], %[y], %[y]}", (int at_x, int at_y, int layer),
             (at_x, at_y, layer), [x] "r"(at_x), [y] "r"(at_y), [layer] "r"(layer))
/* A cube's faces are layers. */
HAUL_SURFACE(surfCubemap, "a2d", "{%[layer], %[x], %[y], %[y]}", (int at_x, int at_y, int layer),
             (at_x, at_y, layer), [x] "r"(at_x), [y] "r"(at_y), [layer] "r"(layer))
#undef HAUL_SURFACE
#undef HAUL_SURFACE_BEYOND
#undef HAUL_SURFACE_PART
#undef HAUL_STRIP

#endif
#endif
