// The part of linked_other.cu that linked_files.cu uses.
#pragma once

typedef int (*mixer)(int, int);

extern __device__ int calls;
extern __constant__ int weights[3];
__device__ int mix(int value, int weight);
__device__ mixer choose_mixer(bool is_mix);
void set_weights(int a, int b, int c);
void run_other(int *out, int count);
