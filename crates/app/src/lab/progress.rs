//! How far an experiment is, as it is told while it runs.

/// How far a cell came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabCellState {
    /// Not begun, or cut off.
    Waiting,
    /// Its run is under way.
    Running,
    /// It has a summary with figures.
    Done,
    /// Its run failed, or cannot be made.
    Failed,
}

impl LabCellState {
    /// True for a cell that waits for nothing.
    pub fn has_ended(self) -> bool {
        matches!(self, LabCellState::Done | LabCellState::Failed)
    }
}

/// How far an experiment is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabProgress {
    /// The experiment's id.
    pub lab: String,
    /// Cells in all.
    pub cells: u64,
    /// Cells that have ended.
    pub ended: u64,
    /// False once no further cell is run.
    pub running: bool,
    /// The cell that began or ended.
    pub cell: Option<LabCellProgress>,
}

/// A cell that began or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabCellProgress {
    /// Which row, from 0.
    pub row: u64,
    /// Which cut, from 0.
    pub cut: u64,
    /// Which repeat, from 0.
    pub repeat: u64,
    /// How far it is.
    pub state: LabCellState,
}
