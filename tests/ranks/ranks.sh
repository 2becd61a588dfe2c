# For the scripts of this folder: starts programs under mpirun. Leaves with 77 where there is no MPI.
haul=$2/haul
export HAUL_MPI="$2/libhaul_mpi.so"
command -v mpirun >/dev/null || { echo "skipped: no mpirun here"; exit 77; }
[ -e "$HAUL_MPI" ] || { echo "skipped: haul was built without MPI"; exit 77; }
# Open MPI refuses root and more ranks than cores unless it is told otherwise; its leaks are not haul's.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=false
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

ranks() { # COUNT PROGRAM ARGUMENT...
    count=$1
    shift
    mpirun -n "$count" "$@"
}
