//! Writes down to the bytes on the disk.

mod faults;
mod flow;

use super::{Source, Target, WriteSpec};
use crate::options::Options;
use crate::workspace::App;
use palimpsest_formats::Places;
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A program with one session of pi: four turns, a compaction, and a turn behind it.
struct Desk {
    app: Arc<App>,
    session: PathBuf,
    /// The ids of its entries.
    ids: Vec<String>,
    _home: TempHome,
}

impl Desk {
    fn new() -> Desk {
        Desk::at(TempHome::new())
    }

    fn at(home: TempHome) -> Desk {
        let mut made = PiSession::new();
        let mut ids = Vec::new();
        for turn in 0..4 {
            ids.push(made.user(&format!("Question {turn}.")));
            ids.push(made.assistant(Reply::new().text(&format!("Answer {turn}."))));
        }
        ids.push(made.compact(CompactionSpec::new("Stored.").first_kept(&ids[6])));
        ids.push(made.user("And then?"));
        ids.push(made.assistant(Reply::new().text("Done.")));
        let session = home.add_pi_session(&made).unwrap();
        Desk {
            app: app(home.path()),
            session,
            ids,
            _home: home,
        }
    }

    fn spec(&self, source: Source, target: Target) -> WriteSpec {
        WriteSpec {
            session: Some(self.session.display().to_string()),
            source,
            leaf: None,
            target,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.session).unwrap()
    }

    /// The files beside the session.
    fn beside(&self) -> Vec<PathBuf> {
        let folder = self.session.parent().unwrap();
        let all = std::fs::read_dir(folder).unwrap();
        let paths = all.map(|entry| entry.unwrap().path());
        paths.filter(|path| *path != self.session).collect()
    }
}

fn app(home: &Path) -> Arc<App> {
    let options = Options {
        data_dir: home.join("data"),
        places: Places {
            home: home.to_owned(),
            env: Default::default(),
        },
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    App::start(options, Arc::new(|_| {})).unwrap()
}

fn navigation(to: &str, summary: Option<&str>) -> Source {
    Source::Navigation {
        to: to.to_owned(),
        from: None,
        summary: summary.map(str::to_owned),
    }
}

fn new_file() -> Target {
    Target::New { out: None }
}
