//! Results of reads whose file is read again later.

use crate::vocabulary::input::PlanInput;
use palimpsest_core::BodyError;

/// Of the results at `positions` those of reads whose file is read again later, oldest first.
/// Failed reads are none.
pub(crate) fn older_reads(
    input: &PlanInput<'_>,
    positions: &[usize],
) -> Result<Vec<usize>, BodyError> {
    let read = input.files_read()?;
    let mut seen = vec![false; read.count];
    // On the way back the first read of a file is its newest and stays.
    let mut older: Vec<usize> = positions.iter().rev().copied().collect();
    older.retain(|&at| match read.at(at) {
        Some(file) => std::mem::replace(&mut seen[file as usize], true),
        None => false,
    });
    older.reverse();
    Ok(older)
}
