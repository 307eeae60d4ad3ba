-------------------------- MODULE UndirectedGraphs --------------------------
(* Undirected graphs: records of a set of nodes and a set of edges, which are sets of one or two nodes. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Folds
LOCAL INSTANCE Functions

LOCAL Joins(e, N) == \E a, b \in N : e = {a, b}

IsUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : Joins(e, G.node)

IsLoopFreeUndirectedGraph(G) ==
  /\ G = [node |-> G.node, edge |-> G.edge]
  /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}

UndirectedSubgraph(G) ==
  UNION {[node : {N}, edge : SUBSET {e \in G.edge : Joins(e, N)}] : N \in SUBSET G.node}
-----------------------------------------------------------------------------
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}

(* The paths that visit no node twice. *)
SimplePath(G) ==
  LET Longer(paths) ==
        UNION {{Append(p, n) : n \in {n \in G.node : {Last(p), n} \in G.edge /\ ~Contains(p, n)}} : p \in paths}
      RECURSIVE From(_)
      From(paths) == IF paths = {} THEN {} ELSE paths \cup From(Longer(paths))
  IN From({<<n>> : n \in G.node})

LOCAL Component(n, G) ==
  LET RECURSIVE Visit(_, _)
      Visit(seen, new) ==
        IF new = {} THEN seen
        ELSE Visit(seen \cup new, {m \in G.node \ (seen \cup new) : \E k \in new : {k, m} \in G.edge})
  IN Visit({}, {n})

AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ n \in Component(m, G)
-----------------------------------------------------------------------------
ConnectedComponents(G) == {Component(n, G) : n \in G.node}

IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
-----------------------------------------------------------------------------
(* All undirected graphs with the set S of nodes. *)
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{a, b} : a, b \in S}]
=============================================================================
