//! A worker: fetches what it lacks, checks that it has what the campaign was started with, and plays cases until there are no more.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kilter_campaign::post::{Left, Manner, SHORTER, Status, Told, WORKER};
use kilter_campaign::worker::Counts;
use kilter_campaign::{Broker, BrokerError, Manifest, Phase, Post};
use kilter_report::style::{count, plural};
use kilter_run::lock::{Lock, LockError};
use kilter_run::{Further, Header, Sink, Source, Stopped, Verb, when};
use serde_json::{Value as Json, json};

use super::link::{At, Link, patiently};
use super::start::build;
use super::{change, close, content_of, manifest_of, pack, state_of};
use crate::converge::{self, ConvergeOptions};
use crate::error::{AnyError, Error, Tried, sentence};
use crate::explore::{self, ExploreOptions};
use crate::host::Host;
use crate::part::{Giver, Halt, Part, Planner};
use crate::run::{Ended, Ran, RunOptions};
use crate::test::{self, TestOptions};

/// A worker says so often that it is there, for each time after which it counts as lost.
const HEARTBEATS: u32 = 5;
/// How many workers may share a folder.
const SIDE_BY_SIDE: usize = 256;

/// What a worker plays, and how.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct WorkOptions {
    /// Which campaign, and where its brokers are.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub at: At,
    /// How many systems are run side by side
    #[cfg_attr(feature = "clap", arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256)))]
    pub jobs: u16,
    /// Where files of the campaign are unpacked, and logs of findings kept [default: .kilter/campaign/NAME]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub folder: Option<PathBuf>,
}

/// What a worker has done.
pub struct Worked {
    name: String,
    counts: Counts,
    /// What the worker was told last.
    told: Option<Told>,
    ran: Ran,
}

/// Plays cases of a campaign. `say` tells people when the broker is away.
pub fn work(
    options: &WorkOptions,
    host: &mut Host,
    say: impl Fn(&str) + Send + 'static,
) -> Result<Worked, Error> {
    Ok(work_here(options, host, Box::new(say))?)
}

fn work_here(options: &WorkOptions, host: &mut Host, say: Box<dyn Fn(&str) + Send>) -> Tried<Worked> {
    let (link, manifest) = patiently(|| {
        let link = Link::open(&options.at)?;
        let manifest = manifest_of(&mut *link.hasty_broker())?;
        Ok((link, manifest))
    })?;
    let mine = build();
    manifest.check_build(&mine)?;
    if manifest.kilter.hash != mine.hash {
        host.watch.say(&format!(
            "note: this is another build of Kilter {} than the one that started the campaign\n",
            mine.version
        ));
    }
    let (state, _) = state_of(&mut *link.broker())?;
    match &state.phase {
        Phase::Preparing => {
            return Err("cases are still being put into the queue; start the worker a little later".into());
        }
        Phase::Stopped { why } => return Err(format!("the campaign is stopped: {why}").into()),
        Phase::Running | Phase::Closing { .. } | Phase::Finished => {}
    }
    let me = name();
    let worked = play_here(options, host, say, (&link, manifest, &me), state.cases);
    let left = match &worked {
        Ok(worked) => {
            let trouble = worked.not_runnable();
            Left { is_error: trouble.is_some(), why: trouble.unwrap_or_else(|| worked.why()) }
        }
        Err(error) => Left { why: sentence(&**error), is_error: true },
    };
    let played = worked.as_ref().map_or(0, |worked| worked.counts.kept);
    let (jobs, at_s) = (options.jobs.into(), when::now());
    let status = Status { jobs, played, held: 0, at_s, left: Some(left) };
    // Whoever watches should not take it for lost. If nobody hears that, they will.
    let _ = status.tell(&mut *link.hasty_broker(), &me);
    worked
}

fn play_here(
    options: &WorkOptions,
    host: &mut Host,
    say: Box<dyn Fn(&str) + Send>,
    (link, manifest, me): (&Link, Manifest, &str),
    n_cases: u64,
) -> Tried<Worked> {
    let mut broker = link.broker();
    pack::check_fixed(&manifest.fixed)?;
    let usual = Path::new(".kilter/campaign").join(link.name());
    let (folder, _lock) = free_folder(options.folder.as_deref().unwrap_or(&usual))?;
    pack::unpack(&manifest.files, &folder, &mut *broker)?;
    let halt = Halt::default();
    let raised = halt.clone();
    let manner = Manner {
        name: me.to_owned(),
        jobs: options.jobs.into(),
        batch: manifest.batch,
        heartbeat: manifest.lost_after() / HEARTBEATS,
        cases: n_cases,
        say,
        halt: Box::new(move || raised.raise()),
    };
    let ended = Arc::default();
    let post = Some(Post::start(link.hasty_broker(), manner));
    let config = folder.join(&manifest.config);
    let play = Play::new(&manifest, config, options.jobs);
    let me = me.to_owned();
    host.part = Part::Given(Box::new(Worker { broker, manifest, me, post, halt, ended: Arc::clone(&ended) }));
    let ran = play.run(host);
    // If the run did not begin, the worker is still there.
    host.part = Part::Whole;
    let ending: Option<Ending> = lock(&ended).take();
    let (told, counts) = ending.unwrap_or((None, Ok(Counts::default())));
    let ran = ran?.ran().ok_or("there is nothing to play")?;
    if let Some(why) = last_word(&ran) {
        change(&mut *link.broker(), |state| state.phase = Phase::Stopped { why: why.clone() })?;
    }
    if let Some(Told::Refused(error)) = told {
        return Err(error.into());
    }
    Ok(Worked { name: link.name().to_owned(), counts: counts?, told, ran })
}

/// How the command whose cases these are plays them.
enum Play {
    Test(TestOptions),
    Explore(ExploreOptions),
    Converge(ConvergeOptions),
}

impl Play {
    fn new(manifest: &Manifest, config: PathBuf, jobs: u16) -> Play {
        let run = RunOptions { jobs, ..RunOptions::default() };
        let Manifest { seed, sample, allow_io, .. } = *manifest;
        match manifest.verb {
            Verb::Converge => {
                Play::Converge(ConvergeOptions { sample, seed, run, ..ConvergeOptions::of(config) })
            }
            Verb::Explore => Play::Explore(ExploreOptions { run, ..ExploreOptions::of(config) }),
            Verb::Test | Verb::Follow => {
                let suite = manifest.named_suite.as_ref().map(PathBuf::from);
                Play::Test(TestOptions { suite, seed, run, allow_io, ..TestOptions::of(config) })
            }
        }
    }

    /// Plays what the host gives.
    fn run(&self, host: &mut Host) -> Result<Ended, Error> {
        match self {
            Play::Test(options) => test::run_here(options, host),
            Play::Explore(options) => explore::run_here(options, host),
            Play::Converge(options) => converge::run(options, host).map(Ended::from),
        }
    }
}

/// Why no other case of the campaign can tell more, if so.
fn last_word(ran: &Ran) -> Option<String> {
    match &ran.stopped {
        Some(Stopped::Said(why)) => Some(why.clone()),
        _ => None,
    }
}

/// What the worker was told last, and what it has done.
type Ending = (Option<Told>, Result<Counts, BrokerError>);

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives the cases of a campaign to a run.
struct Worker {
    broker: Box<dyn Broker>,
    manifest: Manifest,
    /// The name of this worker.
    me: String,
    post: Option<Post>,
    halt: Halt,
    ended: Arc<Mutex<Option<Ending>>>,
}

impl Worker {
    fn post(&mut self) -> &mut Post {
        self.post.as_mut().expect("it is there until this is dropped")
    }
}

impl Giver for Worker {
    fn check(&mut self, header: &Header) -> Result<(), AnyError> {
        Ok(self.manifest.check_run(&header.run, &header.system)?)
    }

    fn config(&self) -> PathBuf {
        PathBuf::from(&self.manifest.named)
    }

    fn suite(&mut self) -> Result<Vec<Further>, AnyError> {
        let text = content_of(&mut *self.broker, &self.manifest.suite)?;
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.map(serde_json::from_slice).collect::<Result<_, _>>()?)
    }

    fn ends(&mut self) -> (&mut dyn Source<Further>, &mut dyn Sink) {
        let Post { inbox, outbox, .. } = self.post();
        (inbox, outbox)
    }

    fn halt(&self) -> Halt {
        self.halt.clone()
    }

    fn goes_on(&mut self, plan: &mut Planner<'_>) -> Result<bool, AnyError> {
        for mut finding in self.post().outbox.take_shorter() {
            finding.more.insert(WORKER.to_owned(), self.me.as_str().into());
            self.broker.tell(SHORTER, &finding.group, &serde_json::to_string(&finding)?)?;
        }
        if self.post().told() != Some(Told::AllEnded) {
            return Ok(false);
        }
        let goes_on = close::close(&mut *self.broker, &self.me, plan)?;
        if goes_on {
            self.post().go_on();
        }
        Ok(goes_on)
    }
}

/// However a run ends, its cases go back to the queue.
impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(post) = self.post.take() {
            let told = post.told();
            *lock(&self.ended) = Some((told, post.end()));
        }
    }
}

/// The first folder of this name that no other worker uses: `NAME`, `NAME-2`, and so on.
fn free_folder(usual: &Path) -> Tried<(PathBuf, Lock)> {
    let mut last = None;
    for number in 1..=SIDE_BY_SIDE {
        let mut folder = usual.as_os_str().to_owned();
        if number > 1 {
            folder.push(format!("-{number}"));
        }
        match Lock::folder(Path::new(&folder), "--folder") {
            Ok(lock) => return Ok((folder.into(), lock)),
            Err(held @ LockError::Held { .. }) => last = Some(held),
            Err(other) => return Err(other.into()),
        }
    }
    Err(last.map_or_else(|| "there is no free folder".into(), Into::into))
}

/// A name that no other worker has.
fn name() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    format!("{host}-{}-{}", std::process::id(), when::now())
}

impl Worked {
    /// Why the campaign is over for this worker.
    fn why(&self) -> String {
        match (&self.ran.stopped, &self.told) {
            (Some(Stopped::Interrupted), _) => "interrupted; its cases went back to the queue".to_owned(),
            (Some(stopped), _) => stopped.why().to_owned(),
            (None, Some(Told::Stopped(why))) => format!("stopped: {why}"),
            (None, _) => "every case has its result".to_owned(),
        }
    }

    /// The answer for people.
    pub fn text(&self) -> String {
        let Counts { kept, late, again } = self.counts;
        let mut text = format!("campaign {}: {} played here", self.name, plural(kept, "case"));
        for (n, what) in [(again, "that other workers had lost"), (late, "for which others were faster")] {
            if n > 0 {
                let _ = write!(text, ", {} {what}", count(n));
            }
        }
        let findings = plural(self.ran.record.findings.len() as u64, "finding");
        text + &format!("; {findings}\n{}\n", self.why())
    }

    /// The answer for scripts.
    pub fn json(&self) -> Json {
        let Counts { kept, late, again } = self.counts;
        let findings = self.ran.record.findings.len();
        json!({ "campaign": self.name, "cases": kept, "late": late, "redelivered": again, "findings": findings, "ended": self.why() })
    }

    /// Why the system could not be run, if so.
    pub fn not_runnable(&self) -> Option<String> {
        self.ran.not_runnable()
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.ran.code()
    }
}
