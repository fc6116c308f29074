//! What the host tells without being asked, and errors.

use super::{LabCellProgress, NextStepView, NoticeLevel, Purpose, RunStatus, SessionChange};

wire! {
    /// An event.
    #[serde(tag = "type", rename_all = "snake_case")]
    pub enum Event {
        /// Indexing goes on.
        IndexProgress {
            /// Sources done.
            done: u64,
            /// Sources in all.
            total: u64,
            /// The source being read.
            path: Option<String>,
        },
        /// A chain is being made.
        ChainProgress {
            /// The session.
            session: String,
            /// Compactions done.
            done: u64,
            /// Compactions in all.
            total: u64,
        },
        /// The list of sessions changed.
        SessionsChanged {
            /// The sessions concerned; empty: any.
            sessions: Vec<String>,
        },
        /// An open session's source changed.
        SessionChanged {
            /// The session.
            session: String,
            /// What happened to it.
            change: SessionChange,
            /// Entries it has now.
            entries: u64,
        },
        /// The stars, notes or labels of a session changed.
        MarksChanged {
            /// The session.
            session: String,
        },
        /// A run got text.
        RunDelta {
            /// The name the caller chose.
            stream: String,
            /// Which call of the plan, from 0.
            call: u32,
            /// What the call is for.
            purpose: Purpose,
            /// The text added.
            text: String,
        },
        /// A run waits to try again.
        RunRetry {
            /// The name the caller chose.
            stream: String,
            /// Which try comes next, from 1.
            attempt: u32,
            /// How many tries at most.
            of: u32,
            /// How long it waits.
            wait_ms: u64,
            /// Why.
            reason: String,
        },
        /// A run ended, in whatever way.
        RunFinished {
            /// The name the caller chose.
            stream: String,
            /// The run's id.
            run_id: String,
            /// How it ended.
            status: RunStatus,
        },
        /// A cell of an experiment began or ended, or the experiment itself did.
        LabProgress {
            /// The experiment's id.
            lab_id: String,
            /// Cells in all.
            cells: u64,
            /// Cells that have ended.
            ended: u64,
            /// False once no further cell is run.
            running: bool,
            /// The cell that began or ended.
            cell: Option<LabCellProgress>,
        },
        /// Events were lost, because they came faster than the host received them. The host loads
        /// again what it shows.
        Missed {
            /// How many were lost.
            events: u64,
        },
        /// Something the user should know.
        Notice {
            /// How much it matters.
            level: NoticeLevel,
            /// What happened.
            text: String,
        },
    }
}

wire! {
    /// An error as the interface gets it.
    pub struct WireError {
        /// What the interface may branch on.
        pub code: ErrorCode,
        /// What happened, to which file.
        pub message: String,
        /// What to do next, in words that hold in every host.
        // Apart from the message: hints cut out of sentences held paths and options of the
        // command line.
        pub hint: Option<String>,
        /// What to do next, for a host that words it itself.
        // In a box, so that results with this error stay small.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub next: Option<Box<NextStepView>>,
        /// The parameter it is about, as the request named it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub field: Option<String>,
    }
}

wire! {
    /// The kinds of failure an interface treats differently.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ErrorCode {
        /// The request makes no sense; a mistake of the caller.
        BadRequest,
        /// Options of the request do not go together; leave one out.
        Usage,
        /// The named thing does not exist.
        NotFound,
        /// The user can mend it; the hint says how.
        UserFixable,
        /// The plan may cost more than the limit of the settings; the user can agree to that.
        AboveLimit,
        /// The provider failed or refused.
        Provider,
        /// It was cancelled.
        Cancelled,
        /// A file or database could not be read or written.
        Io,
        /// A mistake of this program.
        Internal,
    }
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {}
