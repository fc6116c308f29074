//! One API for every host: the desktop shell, the loopback server and the command line.
//!
//! A host calls [`Api::call`] with a command's name and its request as JSON, and listens to
//! [`Api::events`]. The commands stand in one table (`table.rs`), their types in [`wire`].

mod bench;
mod commands;
mod error;
mod events;
mod export;
mod numbers;
mod render;
mod table;
mod traffic;
mod waits;
pub mod wire;

pub use bench::{BenchReport, bench};
pub use commands::Empty;
pub use commands::search::search_filters;
pub use events::Events;
pub use palimpsest_core::NextStep;
pub use palimpsest_core::failure::{Input, Listed};
pub use palimpsest_core::words::{noun, thousands};
pub use table::{Answer, CommandInfo, Commands, command_list};
pub use waits::ends_with_its_caller;
pub use wire::{ErrorCode, Event, WireError};

use error::to_wire;
use palimpsest_app::App;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Events kept for a listener that is slower than they come; a streaming run sends some 30 a
/// second.
// About half a minute of a run that streams.
const EVENT_BACKLOG: usize = 1_024;

/// How the program is started.
#[derive(Debug, Clone)]
pub struct Options(palimpsest_app::Options);

impl Options {
    /// Options from the process environment: `data_dir`, or the user's data folder when absent;
    /// with `samples`, the sample sessions are the only ones looked at.
    pub fn from_environment(
        data_dir: Option<PathBuf>,
        samples: bool,
    ) -> Result<Options, WireError> {
        palimpsest_app::Options::from_environment(data_dir, samples)
            .map(Options)
            .map_err(|error| to_wire(&error))
    }

    /// With the folder in which the program of the strategy `external` runs, in place of the
    /// user's home folder.
    pub fn programs_in(self, folder: PathBuf) -> Options {
        Options(palimpsest_app::Options {
            // The command line finds `./program` in the folder where it was called.
            programs_in: Some(folder),
            ..self.0
        })
    }

    /// With no programs started or set up but those that were set up on this machine: for a host
    /// whose callers need not sit at it.
    pub fn only_known_programs(self) -> Options {
        Options(palimpsest_app::Options {
            // Else the holder of a token could start any program by the strategy `external` or a
            // provider.
            only_known_programs: true,
            ..self.0
        })
    }
}

/// The program behind every host. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    app: Arc<App>,
    events: broadcast::Sender<Event>,
}

impl Api {
    /// Starts the program.
    pub fn open(options: Options) -> Result<Api, WireError> {
        // Every host and every open page subscribes by itself, so nobody listens at first.
        let (events, _) = broadcast::channel(EVENT_BACKLOG);
        let sender = events.clone();
        // Translated once, and not by every host again.
        let sink = Arc::new(move |event| {
            // Fails only when nobody listens.
            let _ = sender.send(events::to_wire(event));
        });
        let app = App::start(options.0, sink).map_err(|error| to_wire(&error))?;
        Ok(Api { app, events })
    }

    /// What the program tells without being asked, from now on.
    pub fn events(&self) -> Events {
        Events::of(self.events.subscribe())
    }

    /// Brings the index up to date and watches the sources, in threads of its own.
    pub fn start_background(&self) {
        self.app.start_background();
    }

    /// The folder of the databases.
    pub fn data_dir(&self) -> &std::path::Path {
        &self.app.options().data_dir
    }

    /// What the user should know since the start, such as an index that was damaged and rebuilt.
    pub fn notices(&self) -> Vec<String> {
        self.app.notices()
    }

    /// Cancels everything that runs.
    pub fn cancel_all(&self) -> usize {
        self.app.cancel_all()
    }

    /// Closes the index, before a host ends the process without dropping this.
    pub fn close(&self) {
        self.app.close();
    }

    pub(crate) fn app(&self) -> Arc<App> {
        Arc::clone(&self.app)
    }
}
