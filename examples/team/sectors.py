"""Fails when row_sums loads more sectors than the matrix has, computes wrong sums, or has a defect. haul's docs/python.md is the guide."""

from array import array

import haul

ROWS, COLUMNS = 1024, 64

device = haul.Device("sim:h100", check=True)
row_sums = device.compile("kernels/row_sums.cu")["row_sums"]
values = device.array(array("f", [1]) * (ROWS * COLUMNS))
sums = device.zeros(ROWS)
launch = row_sums[ROWS // 8, 256](values, sums, ROWS, COLUMNS)

loaded = launch.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"]
print(f"row_sums: {loaded} sectors loaded, {ROWS * COLUMNS * 4 // 32} are needed")
print(launch.line_table())
assert set(sums.tolist()) == {COLUMNS}, "the sums are wrong"
assert not launch.findings, launch.finding_table()
assert loaded <= ROWS * COLUMNS * 4 // 32, "row_sums loads more than it needs"
