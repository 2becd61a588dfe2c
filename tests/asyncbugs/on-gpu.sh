#!/bin/sh
# The suite on a real GPU: on-gpu.sh BUILD_FOLDER [NAME...] runs each pair for sm_80 and sm_90 and prints a JSON line a pair.
# It needs haul in the build folder, NVIDIA's driver, python3 and, for the tools' columns, compute-sanitizer in PATH; no nvcc.
# `wrong`: in how many of `runs` the defect's output differed from the twin's; `end`: ok, hang, or how it failed; `twin`: the
# same of the twin. A word for each tool of compute-sanitizer says what it told of the defect and of the twin: found, nothing,
# hang, failed, or `not run`.
#     on-gpu.sh build >h200.jsonl; python3 asyncbugs.py record h200.jsonl      writes them into suite.jsonl
# RUNS (20), SECONDS_EACH (10), JOBS (12) and BUDGET (230 seconds, after which nothing more is started) change the effort;
# DEVICE (gpu:0) another device, as sim:h100 to try the script.
exec python3 "$(dirname "$0")/on_gpu.py" "$@"
