/* Graphs of the virtual GPU: nodes and their dependencies, captured from a stream or built by calls.
 *
 * graph.c has graphs, capture.c the capture of streams, nodes.c the work of nodes, executable.c executable graphs,
 * condition.c conditional nodes. A node's work is a list of what streams execute (work.h), made when the node is set
 * up; launches copy it. */
#ifndef HAUL_VGPU_GRAPH_H
#define HAUL_VGPU_GRAPH_H

#include "vgpu/internal.h"

/* A dependency on another node. */
typedef struct sim_edge {
    CUgraphNode from;
    CUgraphEdgeData data;
} sim_edge;

struct CUgraphNode_st {
    CUgraph graph;
    CUgraphNodeType type; /* fixed: says which member of `of` is valid */
    uint64_t number;      /* unique in the context; copies of the graph keep it */
    size_t at;            /* its index among the graph's nodes */
    sim_edge *behind;     /* the nodes that it depends on */
    size_t behind_count, behind_capacity;
    sim_work *works; /* its work, in order; a launch creates the marks of events */
    size_t work_count;
    void **pointers;          /* to the parameters of a kernel, once the program asked for them */
    bool is_off;              /* disabled in an executable graph */
    CUlaunchAttribute *hints; /* of a kernel: attributes that are only kept for queries */
    size_t hint_count, hint_capacity;
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
    CUstream origin; /* the stream that is captured; NULL: none */
    size_t captured; /* the first node of the capture */
    uint64_t number;
    bool is_owned;   /* by a node or an executable graph */
    CUgraph copy_of; /* NULL: this is an original */
    CUgraph next;
};

/* ---- graph.c ---- */

/* Adds a graph to the context's list; returns NULL, with a message, without memory. */
CUgraph sim_graph_new(CUcontext context);
void sim_graph_free(CUgraph graph);
/* Copies a graph; nodes keep their numbers. Returns NULL, with a message, without memory. */
CUgraph sim_graph_copy(CUgraph graph);
/* Return NULL, with a message, unless the handle is that of a graph or node of the context. */
CUgraph sim_graph_of(CUcontext context, CUgraph handle);
CUgraphNode sim_node_of(CUcontext context, CUgraphNode handle);
/* Finds the graph's node of that number; NULL if there is none. */
CUgraphNode sim_graph_find(CUgraph graph, uint64_t number);
/* Adds a node without work that depends on others; returns NULL, with a message, without memory. */
CUgraphNode sim_graph_add(CUgraph graph, CUgraphNodeType type, const CUgraphNode *behind, size_t count);
/* Whether the node, a kernel, may start as soon as all nodes that it depends on let it. */
bool sim_node_is_programmatic(const struct CUgraphNode_st *node);

/* ---- nodes.c ---- */

/* Set what a node does, and rebuild its work. */
CUresult sim_node_set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *what);
CUresult sim_node_set_copy(CUgraphNode node, const CUDA_MEMCPY3D *what);
CUresult sim_node_set_fill(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *what);
CUresult sim_node_set_host(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *what);
CUresult sim_node_set_values(CUgraphNode node, const sim_value_op *ops, unsigned count);
/* Adds a stream's work to the node, which owns it from then on. */
bool sim_node_take_work(CUgraphNode node, const sim_work *work);
void sim_node_free_works(CUgraphNode node);
/* Copies work, with its own copy of the parameters; returns false without memory. */
bool sim_work_copy(sim_work *to, const sim_work *from);
/* Copies the hints of a kernel's node; false without memory. */
bool sim_node_copy_hints(CUgraphNode to, const struct CUgraphNode_st *from);

/* ---- condition.c ---- */

/* Makes graphs and work of a node that is a copy of another one; false without memory. */
bool sim_condition_copy(CUgraphNode to, const struct CUgraphNode_st *from);
void sim_condition_free(CUgraphNode node);
bool sim_graph_has_condition(const struct CUgraph_st *graph);
/* Gives the stream work that sets the graph's condition values at a launch. */
CUresult sim_conditions_begin(const struct CUgraph_st *graph, CUstream stream);

/* ---- executable.c ---- */

/* Appends the work of a graph that is launched within another one, in order, to a list that ends at *last. */
bool sim_graph_list_works(CUgraph graph, sim_work ***last);

#endif
