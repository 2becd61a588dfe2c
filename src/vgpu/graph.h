/* Graphs of the virtual GPU: nodes, and what each has to come behind, made by a stream that is captured or by hand. */
#ifndef HAUL_VGPU_GRAPH_H
#define HAUL_VGPU_GRAPH_H

#include "vgpu/internal.h"

struct CUgraphNode_st {
    CUgraph graph;
    CUgraphNodeType type;
    uint64_t number; /* no other node of the context has it, but this one's in copies of the graph */
    size_t at;       /* its place among the graph's nodes */
    CUgraphNode *behind;
    size_t behind_count, behind_capacity;
    sim_work *works; /* what it does, one behind the other; marks of events are left to the launch */
    size_t work_count;
    void **pointers; /* to the parameters of a kernel, once somebody asked for them */
    bool is_off;     /* in an executable graph */
    union {
        CUDA_KERNEL_NODE_PARAMS kernel; /* its parameters point into what works[0] has packed */
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
        CUDA_MEM_ALLOC_NODE_PARAMS allocation;
        CUgraph child; /* the node's own */
        sim_condition condition;
        CUevent event;
    } of;
};

struct CUgraph_st {
    CUcontext context;
    CUgraphNode *nodes;
    size_t count, capacity;
    CUstream origin; /* that is captured; NULL: none is */
    size_t captured; /* the first node of the capture */
    uint64_t number;
    bool is_owned;   /* by a node, or an executable graph */
    CUgraph copy_of; /* NULL: an original */
    CUgraph next;
};

/* ---- graph.c ---- */

/* A new graph in the context's list; NULL with a message: no memory. */
CUgraph sim_graph_new(CUcontext context);
void sim_graph_free(CUgraph graph);
/* With the same nodes, of the same numbers; NULL with a message: no memory. */
CUgraph sim_graph_copy(CUgraph graph);
/* NULL, with a message, unless the handle is that of a graph of the context. */
CUgraph sim_graph_of(CUcontext context, CUgraph handle);
CUgraphNode sim_node_of(CUcontext context, CUgraphNode handle);
/* The graph's node of that number; NULL: none. */
CUgraphNode sim_graph_find(CUgraph graph, uint64_t number);
/* A node without work behind others; NULL with a message: no memory. */
CUgraphNode sim_graph_add(CUgraph graph, CUgraphNodeType type, const CUgraphNode *behind, size_t count);
bool sim_node_put_behind(CUgraphNode node, CUgraphNode other);

/* ---- nodes.c ---- */

/* Makes the node's work anew of what it is to do. */
CUresult sim_node_set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *what);
CUresult sim_node_set_copy(CUgraphNode node, const CUDA_MEMCPY3D *what);
CUresult sim_node_set_fill(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *what);
CUresult sim_node_set_host(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *what);
/* Likewise of a stream's work, which becomes the node's. */
bool sim_node_take_work(CUgraphNode node, const sim_work *work);
void sim_node_free_works(CUgraphNode node);
/* The same work again, with its own parameters; false: no memory. */
bool sim_work_copy(sim_work *to, const sim_work *from);

/* ---- condition.c ---- */

/* The node's work, once its graphs are there; and that of a copy of another node, with copies of its graphs. */
bool sim_condition_take_work(CUgraphNode node);
bool sim_condition_copy(CUgraphNode to, const struct CUgraphNode_st *from);
void sim_condition_free(CUgraphNode node);
bool sim_graph_has_condition(const struct CUgraph_st *graph);
/* Gives the stream what sets the graph's values at a launch. */
CUresult sim_conditions_begin(const struct CUgraph_st *graph, CUstream stream);

/* ---- executable.c ---- */

/* The works of a graph that is launched within another one, in their order, appended to a list that ends at *last. */
bool sim_graph_list_works(CUgraph graph, sim_work ***last);

#endif
