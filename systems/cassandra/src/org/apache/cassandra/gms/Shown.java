package org.apache.cassandra.gms;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Cassandra's messages and states as Kilter shows and compares them. In Cassandra's package because it keeps the fields to itself. */
public final class Shown {
    private Shown() {}

    public static String name(InetAddress address) {
        return "n" + (address.getAddress()[3] & 0xff);
    }

    /** What a gossip message says; empty for an echo and its answer. */
    public static Map<String, Object> message(Object payload) {
        Map<String, Object> shown = new TreeMap<>();
        if (payload instanceof GossipDigestSyn) {
            shown.put("digests", digests(((GossipDigestSyn) payload).getGossipDigests()));
        } else if (payload instanceof GossipDigestAck) {
            shown.put("digests", digests(((GossipDigestAck) payload).getGossipDigestList()));
            shown.put("states", states(((GossipDigestAck) payload).getEndpointStateMap()));
        } else if (payload instanceof GossipDigestAck2) {
            shown.put("states", states(((GossipDigestAck2) payload).getEndpointStateMap()));
        }
        return shown;
    }

    /** Of each node that this one has heard of: generation and version. */
    public static Map<String, List<Integer>> known() {
        return states(Gossiper.instance.endpointStateMap);
    }

    /** The nodes that this one takes for alive, without itself. */
    public static Set<String> live() {
        Set<String> live = new TreeSet<>();
        Gossiper.instance.getLiveMembers().forEach(address -> live.add(name(address)));
        live.remove(name(org.apache.cassandra.utils.FBUtilities.getBroadcastAddress()));
        return live;
    }

    private static Map<String, List<Integer>> digests(List<GossipDigest> digests) {
        Map<String, List<Integer>> shown = new TreeMap<>();
        digests.forEach(digest -> shown.put(name(digest.getEndpoint()), Arrays.asList(digest.getGeneration(), digest.getMaxVersion())));
        return shown;
    }

    private static Map<String, List<Integer>> states(Map<InetAddress, EndpointState> states) {
        Map<String, List<Integer>> shown = new TreeMap<>();
        states.forEach((address, state) -> shown.put(name(address),
            Arrays.asList(state.getHeartBeatState().getGeneration(), state.getHeartBeatState().getHeartBeatVersion())));
        return shown;
    }
}
