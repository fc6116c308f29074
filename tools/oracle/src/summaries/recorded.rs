//! A recorded request with what it is compared with, and parts of its texts.

use crate::requests::Request;
use palimpsest_formats::InMemory;

/// What the comparison of one request has.
pub(super) struct Recorded<'a> {
    /// The session, read from its file.
    pub ours: &'a InMemory,
    /// Version of the agent, by the folder.
    pub version: &'a str,
    /// All requests of the file.
    pub all: &'a [Request],
    /// The one compared.
    pub request: &'a Request,
}

/// What stands between the first of one mark and the last of the other.
pub(super) fn within<'t>(text: &'t str, (start, end): (&str, &str)) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.rsplit_once(end).map(|(inside, _)| inside)
}
