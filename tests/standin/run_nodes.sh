#!/bin/sh
# Nodes of graphs in detail (nodes.c). usage: run_nodes.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_nodes
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

gives() { [ "$(cat "$work/out")" = "$(printf "$1")" ]; } # TEXT
runs() { result "$1" exits_with 0 "$haul" run -- "$program" "$2"; } # WHAT TASK

runs 'kernels of graphs have attributes' attributes
result 'that stay and can be copied' gives 'at first: priority 0, cluster 0, cooperative 0, domains 0 1
set: priority -3, cluster 4, window of 4, domain 1, cooperative 1\ncopied: priority -3, cluster 4, domain 1, cooperative 0
a cluster that does not fit: 1, no attribute: 1, of a stream: 1\nlaunched: 48'
runs 'captured kernels have those of the launch and of the stream' captured
result 'and programmatic edges' gives '2 nodes: priorities -2 -2, clusters 0 2\n1 edge: port 1, type 1'
runs 'launches record events' events
result 'which streams wait for' gives 'set behind the launch: 5, a node for kernels: 801'
runs 'edges have data' edges
result 'which queries return or refuse' gives 'from a fill: 1, without a port: 1, twice: 1
2 edges, that of the second kernel: port 1, type 1\nwithout data: 402, their number: 0\nlaunched: 48
the plain one is not there: 1\nremoved: 1 left'
runs 'a graph within an executable is changed' children
result 'by one with the same nodes' gives 'before 16, changed 160\nmore nodes: 910'
runs 'functions of CUDA 11 are there' forms
result 'with its structures' gives 'function 1, grid 16, n 1, behind it 1\n16\n48\n128, updated: 0\nnot updated: 910, 2'
runs 'a copy node tells its box' copies
result 'in the terms of the runtime' gives 'to the array: 1, at 1, from the host: 1, pitch 12, extent 3 2 1, kind 1'
runs 'streams have attributes' streams
result 'in their ranges' gives 'priority -5, policy -1\ncopied: priority -5, policy 4
domains 0 1, no policy: 1, of kernels: 1'
exit $((failures > 0))
