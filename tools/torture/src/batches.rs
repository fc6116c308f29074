//! Batches of an attack, each in a folder of its own that goes with it.

use std::fs;
use std::path::Path;
use tokio::runtime::{Builder, Runtime};

/// Calls `batch` with each of `batches` seeds from `seed` on and a folder for it in `folder`, and with
/// what runs the requests of the attack.
///
/// Errors: what the machine says of a folder or a file of the attack itself.
pub fn each_batch(
    (seed, batches): (u64, u64),
    folder: &Path,
    batch: impl Fn(u64, &Path, &Runtime) -> std::io::Result<()>,
) -> std::io::Result<()> {
    crate::panics::report();
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    for seed in seed..seed + batches {
        let here = folder.join(format!("batch-{seed}"));
        batch(seed, &here, &runtime)?;
        fs::remove_dir_all(&here)?;
    }
    Ok(())
}
