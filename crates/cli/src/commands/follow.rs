//! `kilter follow`

use kilter::Worlds;
use kilter::follow::{self, FollowOptions};
use kilter::program::{self, AnswerArgs};
use kilter::signals::Signals;

/// `kilter follow`
#[derive(clap::Args, Clone, Debug)]
pub struct FollowArgs {
    /// What is followed, and how.
    #[command(flatten)]
    pub options: FollowOptions,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Asks whether a log is a behavior of its specification.
pub fn run(args: &FollowArgs, signals: &Signals) -> anyhow::Result<u8> {
    let mut host = program::host(Worlds::default(), signals, args.answer);
    Ok(program::answer(follow::run(&args.options, &mut host), args.answer.json)?)
}
