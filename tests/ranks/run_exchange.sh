#!/bin/sh
# Ranks exchange device memory: on virtual GPUs, through the host. usage: run_exchange.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/ranks/ranks.sh"
. "$1/tests/cli/results.sh"

says() { [ "$(grep -c "$1" "$work/out")" = "$2" ]; }
for n in 1 2 4; do
    result "$n ranks" exits_with 0 ranks $n "$2/tests/ranks_program"
    result "$n ranks: all is right" says ': right$' 6
done
result '4 ranks say which way' says '^4 ranks, MPI through the host$' 1
result 'one process needs no MPI' env -u HAUL_MPI "$2/tests/ranks_program"
result 'a library that is not there' exits_with 2 env HAUL_MPI=/nowhere/libhaul_mpi.so OMPI_COMM_WORLD_SIZE=4 "$2/tests/ranks_program"
result 'nor does one that is to be alone' exits_with 0 env HAUL_MPI=off OMPI_COMM_WORLD_SIZE=4 "$2/tests/ranks_program"
result 'a step of Slurm with one task' exits_with 0 env HAUL_MPI=/nowhere PMIX_RANK=0 SLURM_STEP_NUM_TASKS=1 "$2/tests/ranks_program"
another() { exits_with 2 env PMI_SIZE=3 PMI_RANK=0 "$2/tests/ranks_program" && grep -q 'built with another MPI' "$work/err"; }
result 'a launcher of another MPI is refused' another "$@"
exit $((failures > 0))
