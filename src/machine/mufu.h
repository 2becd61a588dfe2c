/* Tables of the GPU's unit for approximate functions. Each row covers one slice of an interval: value, slope and bend
 * at its start, as integers. tools/device/mufu/fit.c made them from an H100's results for every significand: exactly
 * one row fits all results in a slice. lower/mufu.def evaluates them. */
#ifndef HAUL_MACHINE_MUFU_H
#define HAUL_MACHINE_MUFU_H

#include <stdint.h>

typedef struct sim_mufu_row {
    int32_t value, slope, bend;
} sim_mufu_row;

extern const sim_mufu_row sim_mufu_rcp[128], sim_mufu_rsq[128], sim_mufu_sqrt[128];
extern const sim_mufu_row sim_mufu_ex2[64], sim_mufu_lg2[64], sim_mufu_sin[64];
extern const sim_mufu_row sim_mufu_tanh[51];

/* For each octave of tanh: its first slice, the binary logarithm of its number of slices (from bit 8 on), and the
 * fraction bits of the sum (from bit 16 on). */
extern const uint32_t sim_mufu_octaves[11];

/* The tables by number. */
typedef enum sim_mufu_table {
    SIM_MUFU_RCP,
    SIM_MUFU_RSQ,
    SIM_MUFU_SQRT,
    SIM_MUFU_EX2,
    SIM_MUFU_LG2,
    SIM_MUFU_SIN,
    SIM_MUFU_TANH,
    SIM_MUFU_OCTAVES,
    SIM_MUFU_TABLES
} sim_mufu_table;

/* A row's parabola, x into its slice: value * 2^scale + slope * x + bend * times * x^2 + more. */
typedef struct sim_mufu_parabola {
    const sim_mufu_row *rows;
    uint32_t count, scale;
    int32_t times, more;
} sim_mufu_parabola;

static const sim_mufu_parabola sim_mufu_parabolas[SIM_MUFU_OCTAVES] = {
    [SIM_MUFU_RCP] = {sim_mufu_rcp, 128, 13, 1, 0x47e7},   [SIM_MUFU_RSQ] = {sim_mufu_rsq, 128, 14, 4, 0x7fff},
    [SIM_MUFU_SQRT] = {sim_mufu_sqrt, 128, 14, 2, 0x7fff}, [SIM_MUFU_EX2] = {sim_mufu_ex2, 64, 13, 1, 0x77e2},
    [SIM_MUFU_LG2] = {sim_mufu_lg2, 64, 12, 2, 0x7345},    [SIM_MUFU_SIN] = {sim_mufu_sin, 64, 11, 1, 0},
    [SIM_MUFU_TANH] = {sim_mufu_tanh, 51, 15, 2, 0},
};

/* The same tables in columns, for hosts that look up many lanes at once: `lines` has the slope times
 * 2^SIM_MUFU_BEND_BITS plus the bend, which is made positive by SIM_MUFU_BEND_BIAS. The octaves are a column of
 * values. */
enum { SIM_MUFU_ROWS = 128, SIM_MUFU_BEND_BITS = 14, SIM_MUFU_BEND_BIAS = 12288 };

typedef struct sim_mufu_columns {
    _Alignas(64) uint32_t values[SIM_MUFU_ROWS];
    uint32_t lines[SIM_MUFU_ROWS];
} sim_mufu_columns;

/* Returns a table's columns. They are made at the first call, by any thread. */
const sim_mufu_columns *sim_mufu_columns_of(sim_mufu_table table);

#endif
