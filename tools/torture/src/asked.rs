//! What the command line asks for.

use std::io;
use std::path::PathBuf;

/// One kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attack {
    /// Damaged sessions through the whole program.
    Sessions,
    /// Damaged sessions that grow, change, come and go.
    Growth,
    /// Damaged indexes.
    Index,
    /// `kill -9`.
    Kill,
    /// Requests to `serve`.
    Requests,
    /// What is printed of damaged sessions.
    Terminal,
}

impl Attack {
    const ALL: [Attack; 6] = [
        Attack::Sessions,
        Attack::Growth,
        Attack::Index,
        Attack::Kill,
        Attack::Requests,
        Attack::Terminal,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Attack::Sessions => "sessions",
            Attack::Growth => "growth",
            Attack::Index => "index",
            Attack::Kill => "kill",
            Attack::Requests => "requests",
            Attack::Terminal => "terminal",
        }
    }

    fn named(name: &str) -> Option<Attack> {
        Attack::ALL.into_iter().find(|attack| attack.name() == name)
    }

    /// Seeds it takes before the next attack has its turn. A process does not more of them either, so
    /// that a leak in it is not taken for the need of all.
    pub fn seeds_in_turn(self) -> u64 {
        match self {
            Attack::Sessions => 40,
            Attack::Growth => 200,
            Attack::Index => 3,
            Attack::Kill => 3,
            Attack::Requests => 2,
            Attack::Terminal => 4,
        }
    }
}

/// What to do.
#[derive(Debug)]
pub struct Asked {
    /// How long.
    pub seconds: u64,
    /// The first seed.
    pub seed: u64,
    /// Seeds of each attack; without a number, as many as the time allows.
    pub batches: Option<u64>,
    /// Folders with a folder of sessions for each agent.
    pub places: Vec<PathBuf>,
    /// The attacks.
    pub attacks: Vec<Attack>,
    /// The attack whose watched part this process does.
    pub worker: Option<Attack>,
    /// The folder that a worker works in.
    pub folder: PathBuf,
    program: Option<PathBuf>,
}

impl Asked {
    /// Reads the words; `None` for wrong ones.
    pub fn read(mut words: impl Iterator<Item = String>) -> Option<Asked> {
        let mut asked = Asked {
            seconds: 60,
            seed: 1,
            batches: None,
            places: Vec::new(),
            attacks: Vec::new(),
            worker: None,
            folder: PathBuf::new(),
            program: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seconds" => asked.seconds = words.next()?.parse().ok()?,
                "--seed" => asked.seed = words.next()?.parse().ok()?,
                "--batches" => asked.batches = Some(words.next()?.parse().ok()?),
                "--place" => asked.places.push(words.next()?.into()),
                "--program" => asked.program = Some(words.next()?.into()),
                "--folder" => asked.folder = words.next()?.into(),
                "worker" => asked.worker = Some(Attack::named(&words.next()?)?),
                name => asked.attacks.push(Attack::named(name)?),
            }
        }
        if asked.places.is_empty() {
            asked.places = ["crates/formats/tests/fixtures", "../shared/samples"]
                .map(PathBuf::from)
                .to_vec();
        }
        if asked.attacks.is_empty() {
            asked.attacks = Attack::ALL.to_vec();
        }
        Some(asked)
    }

    /// The program that is attacked: the one beside this.
    ///
    /// Errors: `NotFound` with what to do.
    pub fn program(&self) -> io::Result<PathBuf> {
        let own = std::env::current_exe()?;
        let program = self
            .program
            .clone()
            .unwrap_or_else(|| own.with_file_name("palimpsest"));
        if program.exists() {
            return std::path::absolute(program);
        }
        let message = format!(
            "there is no program to attack; build it, or name it with --program: {}",
            program.display()
        );
        Err(io::Error::new(io::ErrorKind::NotFound, message))
    }
}
