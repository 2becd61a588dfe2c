/* haul's device library: data between global and shared memory, from plain loads to the tensor copy engine.
 *
 * CUDA C, header only; nvcc, clang and NVRTC compile it; sm_70 and later (asynchronous copies from sm_80 on, bulk and
 * tensor copies from sm_90 on). docs/device.md is the guide. Parts:
 *
 *   haul/flags.h             flags of transfers, and which go together (host code shares them)
 *   haul/transfer.h          descriptors of transfers (likewise)
 *   haul/fields.h            descriptors by named fields (likewise)
 *   haul/device/config.h     HAUL_DEBUG and other settings
 *   haul/device/memory.h     single accesses with cache operators, and copies of one thread
 *   haul/device/barrier.h    mbarriers, named barriers, handovers between warps
 *   haul/device/team.h       who carries out a transfer
 *   haul/device/engine.h     how the engines move pieces (internal)
 *   haul/device/transfers.h  haul_<team>_<verb>: load, store, add, gather, scatter, halo, tile
 *   haul/device/pipeline.h   rings of 1 to 16 stages, unified or with producer and consumer warps
 *   haul/device/peer.h       signals between GPUs, and what goes with them: put, halo, all-gather, reduce-scatter
 *   haul/device/layout.h     padding and swizzles against bank conflicts */
#ifndef HAUL_DEVICE_H
#define HAUL_DEVICE_H

#include <haul/device/config.h>
#include <haul/device/memory.h>
#include <haul/device/barrier.h>
#include <haul/device/team.h>
#include <haul/device/engine.h>
#include <haul/device/transfers.h>
#include <haul/device/pipeline.h>
#include <haul/device/peer.h>
#include <haul/device/layout.h>

#endif
