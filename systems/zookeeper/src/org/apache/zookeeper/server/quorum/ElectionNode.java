package org.apache.zookeeper.server.quorum;

import java.io.File;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.QuorumPeer.ServerState;

/**
 * Starts the leader election of a ZooKeeper server, and nothing else of it: no clients, and nobody leads or follows after the election.
 *
 * ZooKeeper's own tests start elections like this (FLETest). The election and its connections are ZooKeeper's own. In its package because fields are.
 */
public final class ElectionNode {
    private static final int LONG_MS = 600_000;

    private static final LinkedBlockingQueue<Object> NOTHING = new LinkedBlockingQueue<>();

    private static QuorumPeer peer;

    private ElectionNode() {}

    /** Arguments: the server's number, its folder, and HOST:PORT:ELECTIONPORT of each server, in the order of their numbers. */
    public static void main(String[] args) throws Exception {
        Map<Long, QuorumServer> servers = new HashMap<>();
        for (int i = 2; i < args.length; i++) {
            String[] parts = args[i].split(":");
            long id = i - 1;
            servers.put(id, new QuorumServer(id, parts[0], Integer.valueOf(parts[1]), Integer.valueOf(parts[2]), LearnerType.PARTICIPANT));
        }
        File folder = new File(args[1]);
        peer = new QuorumPeer(servers, folder, folder, 3, Long.parseLong(args[0]), LONG_MS, 100, 100, null);
        peer.startLeaderElection();
        while (peer.qcm.listener.ss == null || !peer.qcm.listener.ss.isBound()) {
            Thread.sleep(1);
        }
        look();
    }

    /** What QuorumPeer.run does, but that nobody follows or leads. */
    private static void look() {
        new Thread(() -> {
            try {
                while (true) {
                    peer.setCurrentVote(peer.electionAlg.lookForLeader());
                    giveUp();
                    peer.setPeerState(ServerState.LOOKING);
                }
            } catch (InterruptedException reset) {
                // Another thread looks now.
            }
        }, "QuorumPeer").start();
    }

    /** A server that finds no leader to follow, or no followers to lead, gives up after a while (initLimit). Kilter says when. */
    private static void giveUp() throws InterruptedException {
        NOTHING.poll(LONG_MS, TimeUnit.MILLISECONDS);
    }

    /** A new election as after a first start, so that Kilter need not start a JVM for each sequence. Connections stay. */
    static void reset() throws Exception {
        FastLeaderElection old = (FastLeaderElection) peer.electionAlg;
        old.stop = true;
        old.messenger.halt();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches("(QuorumPeer|WorkerReceiver|WorkerSender).*")) {
                thread.interrupt();
                thread.join();
            }
        }
        peer.qcm.recvQueue.clear();
        peer.setPeerState(ServerState.LOOKING);
        peer.setCurrentVote(new Vote(peer.getId(), peer.getLastLoggedZxid(), peer.getCurrentEpoch()));
        peer.electionAlg = new FastLeaderElection(peer, peer.qcm);
        look();
    }
}
