------------------------------- MODULE Graphs -------------------------------
(* Directed graphs: records of a set of nodes and a set of edges, which are pairs of nodes. *)
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

IsDirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ G.edge \subseteq G.node \X G.node

(* All graphs with some of the nodes and edges of G. *)
DirectedSubgraph(G) ==
  UNION {[node : {N}, edge : SUBSET {e \in G.edge : e \in N \X N}] : N \in SUBSET G.node}

(* G with all edges turned round. *)
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
-----------------------------------------------------------------------------
(* A graph whose edges all go both ways. *)
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge

UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
-----------------------------------------------------------------------------
(* Paths are sequences of one or more nodes, each but the first at the end of an edge from the one before. *)
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}

(* The paths that visit no node twice. *)
SimplePath(G) ==
  LET Longer(paths) ==
        UNION {{Append(p, n) : n \in {n \in G.node : <<Last(p), n>> \in G.edge /\ ~Contains(p, n)}} : p \in paths}
      RECURSIVE From(_)
      From(paths) == IF paths = {} THEN {} ELSE paths \cup From(Longer(paths))
  IN From({<<n>> : n \in G.node})

LOCAL Reachable(G, start) ==
  LET RECURSIVE Visit(_, _)
      Visit(seen, new) ==
        IF new = {} THEN seen
        ELSE Visit(seen \cup new, {n \in G.node \ (seen \cup new) : \E m \in new : <<m, n>> \in G.edge})
  IN Visit({}, start)

AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ n \in Reachable(G, {m})

IsStronglyConnected(G) == \A m \in G.node : Reachable(G, {m}) = G.node

(* The matrix that says for each pair of nodes if there is a path. *)
ConnectionsIn(G) ==
  FoldSet(LAMBDA u, C : TLCEval([m, n \in G.node |-> C[m, n] \/ (C[m, u] /\ C[u, n])]),
          [m, n \in G.node |-> m = n \/ <<m, n>> \in G.edge],
          G.node)
-----------------------------------------------------------------------------
(* Every node leads to the root r, along edges of which each node has one and the root none. *)
IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ r \in G.node
  /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
  /\ \A n \in G.node : AreConnectedIn(n, r, G)
-----------------------------------------------------------------------------
GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

(* Every edge goes from U to V or from V to U. *)
IsBipartiteWithPartitions(G, U, V) ==
  /\ U \cap V = {}
  /\ G.node \subseteq U \cup V
  /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[1] \in V /\ e[2] \in U)

HasCycle(G) ==
  LET C == ConnectionsIn(G)
  IN \/ \E n \in G.node : <<n, n>> \in G.edge
     \/ \E m, n \in G.node : m # n /\ C[m, n] /\ C[n, m]

IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
-----------------------------------------------------------------------------
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}

AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}

Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}

AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}

(* The nodes from which a path of one or more edges leads to n. *)
Ancestors(G, n) == LET H == Transpose(G) IN Reachable(H, Successors(H, n))

(* The nodes to which a path of one or more edges leads from n. *)
Descendants(G, n) == Reachable(G, Successors(G, n))

InDegree(G, n) == Cardinality(Predecessors(G, n))

OutDegree(G, n) == Cardinality(Successors(G, n))

Roots(G) == {n \in G.node : Predecessors(G, n) = {}}

Leaves(G) == {n \in G.node : Successors(G, n) = {}}
-----------------------------------------------------------------------------
EmptyGraph == [node |-> {}, edge |-> {}]

(* All graphs with the set S of nodes. *)
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
=============================================================================
