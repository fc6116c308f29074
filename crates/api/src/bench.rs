//! Figures of the program, measured on generated sessions.

use crate::error::to_wire;
use crate::{Options, WireError, traffic};
use palimpsest_app::AppResult;
/// The figures of [`bench`].
pub use palimpsest_app::bench::Report as BenchReport;
use std::path::{Path, PathBuf};

/// Measures the program on generated sessions. `progress` receives each finished figure.
pub fn bench(
    options: Options,
    quick: bool,
    dir: Option<PathBuf>,
    progress: &mut dyn FnMut(&str),
) -> Result<BenchReport, WireError> {
    let sent = |data: &Path, session: &Path, append: &mut dyn FnMut() -> AppResult<()>| {
        // A separate data folder: the measured program must not find what an earlier measurement
        // left.
        let apart = Options(palimpsest_app::Options {
            data_dir: data.to_owned(),
            ..options.0.clone()
        });
        traffic::measure_apart(apart, session, append)
    };
    let report = palimpsest_app::bench::run(&options.0, quick, dir, &sent, progress);
    report.map_err(|error| to_wire(&error))
}
