package dev.kilter;

/** A copy of what a seat waited for, which stays as it is when the thread goes on. */
final class Waiting {
    final Seat seat;
    final long episode;
    /** Null unless it takes from a queue. */
    final Take take;
    /** Null if it has nothing to offer, or takes from a queue. */
    final Wish wish;

    Waiting(Seat seat) {
        this.seat = seat;
        this.episode = seat.episode;
        this.take = seat.state == Seat.State.TAKES ? seat.take : null;
        this.wish = seat.state == Seat.State.OFFERS || seat.state == Seat.State.WAITS ? seat.wish : null;
    }
}
