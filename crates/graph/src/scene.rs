//! The picture with an index for the screen: where each row lies, and what is at a place.

use palimpsest_core::EntryIx;
use palimpsest_core::layout::{Picture, PictureRow, Sections};
use std::collections::HashMap;
use std::ops::Range;

/// A picture, indexed by height. Heights are in units: a row takes 1 to 4 of them.
#[derive(Debug, Default)]
pub struct Scene {
    picture: Picture,
    sections: Sections,
    /// Upper edge of each row, and below them the lower edge of the last.
    tops: Vec<u32>,
    /// The rows of each lane.
    lane_rows: Vec<Vec<u32>>,
    /// Per phase, rows from first to last.
    most: u64,
    columns: u32,
    /// Texts that were fetched, by row.
    texts: HashMap<u32, String>,
}

impl Scene {
    /// Indexes `picture`; linear in its size.
    pub fn new(picture: Picture) -> Scene {
        let mut tops = Vec::with_capacity(picture.rows.len() + 1);
        let mut top = 0;
        tops.push(0);
        let mut lane_rows = vec![Vec::new(); picture.lanes.len()];
        for row in &picture.rows {
            top += u32::from(row.height.max(1));
            tops.push(top);
            if let Some(rows) = lane_rows.get_mut(row.lane as usize) {
                rows.push(row.id);
            }
        }
        let columns = picture.lanes.iter().map(|lane| lane.column).max();
        let sizes = picture.rows.iter().map(|row| row.size);
        Scene {
            sections: Sections::of(&picture),
            most: sizes.max().unwrap_or(0),
            columns: columns.unwrap_or(0),
            tops,
            lane_rows,
            picture,
            texts: HashMap::new(),
        }
    }

    /// Takes the texts of a picture of the same session over, as far as the rows are the same.
    pub fn keep_texts(&mut self, before: &mut Scene) {
        for (row, text) in std::mem::take(&mut before.texts) {
            let entry = before.row(row).map(|row| row.entry);
            if let Some(row) = entry.and_then(|entry| self.row_of(entry)) {
                self.texts.insert(row.id, text);
            }
        }
    }

    /// The picture that is indexed.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// Its turns and phases.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// Number of units of all rows together.
    pub fn height(&self) -> u32 {
        self.tops.last().copied().unwrap_or(0)
    }

    /// Largest context of all rows, in tokens.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Number of columns beside that of the active path.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The rows of a lane, from the top.
    pub fn lane_rows(&self, lane: usize) -> &[u32] {
        self.lane_rows.get(lane).map_or(&[], Vec::as_slice)
    }

    /// A row by its number.
    pub fn row(&self, id: u32) -> Option<&PictureRow> {
        self.picture.rows.get(id as usize)
    }

    /// The row that shows `entry`: its own, or the nearest above where it is not shown itself.
    pub fn row_of(&self, entry: EntryIx) -> Option<&PictureRow> {
        self.row(*self.picture.row_of.get(entry.get())?)
    }

    /// Upper edge of a row in units; of a row behind the last the end.
    pub fn top(&self, row: u32) -> u32 {
        let at = self.tops.get(row as usize).copied();
        at.unwrap_or_else(|| self.height())
    }

    /// Lower edge of a row in units.
    pub fn bottom(&self, row: u32) -> u32 {
        self.top(row.saturating_add(1))
    }

    /// The row at a height, the first or last where it is beyond them; `None` without rows.
    pub fn row_at(&self, units: f64) -> Option<u32> {
        let last = self.picture.rows.len().checked_sub(1)?;
        let above = self.tops.partition_point(|&top| f64::from(top) <= units);
        u32::try_from(above.saturating_sub(1).min(last)).ok()
    }

    /// The rows that reach between two heights.
    pub fn rows_in(&self, units: Range<f64>) -> Range<u32> {
        match (self.row_at(units.start), self.row_at(units.end)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// The text of a row that was fetched.
    pub fn text(&self, row: u32) -> Option<&str> {
        self.texts.get(&row).map(String::as_str)
    }

    /// Keeps a fetched text; an empty one tells that there is none to fetch.
    pub fn set_text(&mut self, entry: EntryIx, text: String) {
        if let Some(row) = self.row_of(entry).filter(|row| row.entry == entry) {
            let id = row.id;
            self.texts.insert(id, text);
        }
    }

    /// The name of a row's kind or tools.
    pub fn name(&self, row: &PictureRow) -> &str {
        let name = self.picture.names.get(row.name as usize);
        name.map_or("", String::as_str)
    }

    /// The words that stand for a row: its text, else its label, else the name of its kind.
    pub fn words<'a>(&'a self, row: &'a PictureRow) -> &'a str {
        let text = self.text(row.id).filter(|text| !text.is_empty());
        text.or(Some(row.label.as_str()).filter(|label| !label.is_empty()))
            .unwrap_or_else(|| self.name(row))
    }
}

#[cfg(test)]
mod tests;
