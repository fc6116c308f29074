//! The picture as bytes, as a host sends it to the canvas.
//!
//! A header, then one record for each entry, each row, each lane, each bridge and each name. Numbers
//! count from the record before, so that the bytes of a session that grew differ from those before
//! only where something was added: [`super::patch`] sends the difference. The bytes leave out what
//! follows from the rest, such as the last row of a lane.

use super::lanes::columns;
use super::model::{Band, Lane, LaneKind, NodeClass, PARTS, Picture, PictureRow};
use crate::ids::{EntryId, EntryIx};

/// The version of the bytes; the canvas and the program behind it are built together.
const VERSION: u8 = 2;

/// Bytes of a usual record.
const USUAL_BYTES: usize = 12;

/// Why a picture cannot be read from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GraphBytesError {
    /// The bytes end within a record.
    #[error("the tree's bytes end too early")]
    Short,
    /// A number or a word that no version writes.
    #[error("the tree's bytes are damaged: {0}")]
    Damaged(&'static str),
    /// A difference refers to bytes that the receiver does not have.
    #[error("the tree's bytes are a difference to another tree than the one received before")]
    OtherBase,
}

/// A picture as bytes, and where its records end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphBytes {
    pub(super) bytes: Vec<u8>,
    /// One past the last byte of each record, in order.
    pub(super) ends: Vec<usize>,
}

/// Bits of a row's flags.
mod flag {
    pub const TEXT: u8 = 1;
    pub const ON_ACTIVE_PATH: u8 = 2;
    pub const ACTIVE_LEAF: u8 = 4;
    pub const ERROR: u8 = 8;
    pub const LABELLED: u8 = 16;
    /// A row follows the one before it, in the tree as in the file, in the same lane.
    pub const GOES_ON: u8 = 32;
    pub const SUBAGENTS: u8 = 64;
    pub const LABEL: u8 = 128;
}

/// The classes in the order of their numbers.
const CLASSES: [NodeClass; 10] = [
    NodeClass::User,
    NodeClass::Assistant,
    NodeClass::Tool,
    NodeClass::Error,
    NodeClass::Compaction,
    NodeClass::BranchSummary,
    NodeClass::Label,
    NodeClass::System,
    NodeClass::Custom,
    NodeClass::Other,
];

/// The kinds of lanes in the order of their numbers.
const KINDS: [LaneKind; 4] = [
    LaneKind::Active,
    LaneKind::Branch,
    LaneKind::Root,
    LaneKind::Subagent,
];

/// Heights take the upper bits of the byte of the class.
const HEIGHT_SHIFT: u32 = 4;

impl GraphBytes {
    /// Writes a picture.
    pub fn of(picture: &Picture) -> GraphBytes {
        let records = picture.ids.len() + picture.rows.len() + picture.lanes.len();
        let mut to = GraphBytes {
            bytes: Vec::with_capacity(records * USUAL_BYTES),
            ends: Vec::with_capacity(records + picture.bridges.len() + picture.names.len() + 1),
        };
        to.bytes.push(VERSION);
        put_text(&mut to.bytes, &picture.session);
        for number in [
            picture.ids.len(),
            picture.rows.len(),
            picture.lanes.len(),
            picture.bridges.len(),
            picture.names.len(),
        ] {
            put(&mut to.bytes, number as u64);
        }
        put(&mut to.bytes, picture.window);
        put(&mut to.bytes, picture.threshold);
        to.end_record();
        let mut before = 0;
        // Distances are written, not numbers: most entries are in the row next to that of the entry
        // before, and a difference (patch) then keeps all records behind an insertion.
        for (id, &row) in picture.ids.iter().zip(&picture.row_of) {
            put_from(&mut to.bytes, row, before);
            put_id(&mut to.bytes, id.as_str());
            before = row;
            to.end_record();
        }
        for row in &picture.rows {
            let before = row
                .id
                .checked_sub(1)
                .and_then(|at| picture.rows.get(at as usize));
            let above = row.parent.filter(|&at| at < row.id);
            let parent = above.and_then(|at| picture.rows.get(at as usize));
            put_row(&mut to.bytes, row, before, parent);
            to.end_record();
        }
        for lane in &picture.lanes {
            let kind = KINDS.iter().position(|&kind| kind == lane.kind);
            put(&mut to.bytes, kind.unwrap_or(KINDS.len()) as u64);
            put(
                &mut to.bytes,
                lane.from.map_or(0, |from| u64::from(from) + 1),
            );
            put_text(&mut to.bytes, &lane.name);
            to.end_record();
        }
        let mut before = 0;
        for &(from, row) in &picture.bridges {
            put_from(&mut to.bytes, row, before);
            put_from(&mut to.bytes, from, row);
            before = row;
            to.end_record();
        }
        for name in &picture.names {
            put_text(&mut to.bytes, name);
            to.end_record();
        }
        to
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn end_record(&mut self) {
        self.ends.push(self.bytes.len());
    }
}

impl Picture {
    /// Reads a picture from its bytes.
    ///
    /// Fails on bytes that [`GraphBytes`] does not write; numbers in the picture never lead outside
    /// it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Picture, GraphBytesError> {
        let mut from = Reader { bytes };
        // The page may still run code of the version before an update of the program.
        if from.byte()? != VERSION {
            return Err(GraphBytesError::Damaged("another version"));
        }
        let session = from.text()?.to_owned();
        let [entries, rows, lanes] = [from.count()?, from.count()?, from.count()?];
        let [bridges, names] = [from.count()?, from.count()?];
        let mut picture = Picture {
            session,
            // Safe with damaged bytes: `count` refuses a number above the bytes that follow.
            rows: Vec::with_capacity(rows),
            row_of: Vec::with_capacity(entries),
            ids: Vec::with_capacity(entries),
            lanes: Vec::with_capacity(lanes),
            bridges: Vec::with_capacity(bridges),
            names: Vec::with_capacity(names),
            window: from.number()?,
            threshold: from.number()?,
        };
        let mut before = 0;
        for _ in 0..entries {
            before = from.number_from(before)?;
            if before as usize >= rows.max(1) {
                return Err(GraphBytesError::Damaged("an entry in no row"));
            }
            picture.row_of.push(before);
            picture.ids.push(from.id()?);
        }
        let bounds = Bounds {
            entries,
            rows,
            lanes,
            names,
        };
        for _ in 0..rows {
            let row = from.row(&picture, &bounds)?;
            picture.rows.push(row);
        }
        for _ in 0..lanes {
            let lane = from.lane(rows)?;
            picture.lanes.push(lane);
        }
        let mut before = 0;
        for _ in 0..bridges {
            let to = from.number_from(before)?;
            let left = from.number_from(to)?;
            if to.max(left) as usize >= rows {
                return Err(GraphBytesError::Damaged("a bridge to no row"));
            }
            before = to;
            picture.bridges.push((left, to));
        }
        for _ in 0..names {
            picture.names.push(from.text()?.to_owned());
        }
        if !from.bytes.is_empty() {
            return Err(GraphBytesError::Damaged("more than a picture"));
        }
        picture.close_lanes();
        Ok(picture)
    }

    /// Finds the first and last rows of the lanes, and their columns.
    fn close_lanes(&mut self) {
        let mut is_seen = vec![false; self.lanes.len()];
        for row in &self.rows {
            let lane = &mut self.lanes[row.lane as usize];
            if row.lane > 0 && !is_seen[row.lane as usize] {
                is_seen[row.lane as usize] = true;
                lane.first = row.id;
            }
            lane.last = row.id;
        }
        columns(&mut self.lanes);
    }
}

/// How many of each a picture has.
struct Bounds {
    entries: usize,
    rows: usize,
    lanes: usize,
    names: usize,
}

fn goes_on(row: &PictureRow, before: Option<&PictureRow>) -> bool {
    before.is_some_and(|before| row.parent == Some(before.id) && row.lane == before.lane)
}

fn put_row(
    to: &mut Vec<u8>,
    row: &PictureRow,
    before: Option<&PictureRow>,
    parent: Option<&PictureRow>,
) {
    let goes_on = goes_on(row, before);
    let flags = [
        (row.has_text, flag::TEXT),
        (row.on_active_path, flag::ON_ACTIVE_PATH),
        (row.is_active_leaf, flag::ACTIVE_LEAF),
        (row.has_error, flag::ERROR),
        (row.flag, flag::LABELLED),
        (goes_on, flag::GOES_ON),
        (row.subagents > 0, flag::SUBAGENTS),
        (!row.label.is_empty(), flag::LABEL),
    ];
    let set = flags.iter().filter(|(set, _)| *set);
    to.push(set.map(|(_, bit)| bit).sum());
    // The position in the table is the number on the wire, so the order of the enum may change.
    let class = CLASSES.iter().position(|&class| class == row.class);
    let class = class.and_then(|class| u8::try_from(class).ok());
    to.push(class.unwrap_or(u8::MAX) | row.height << HEIGHT_SHIFT);
    put_from(to, row.entry.0, before.map_or(0, |before| before.entry.0));
    if !goes_on {
        put(to, row.parent.map_or(0, |parent| u64::from(parent) + 1));
        put(to, u64::from(row.lane));
    }
    put(to, u64::from(row.name));
    put(to, row.tokens);
    put_signed(
        to,
        row.size as i64 - parent.map_or(0, |parent| parent.size as i64),
    );
    put_band(to, &row.band, parent.map(|parent| &parent.band));
    put_signed(to, row.at_s - before.map_or(0, |before| before.at_s));
    if row.subagents > 0 {
        put(to, u64::from(row.subagents));
    }
    if !row.label.is_empty() {
        put_text(to, &row.label);
    }
}

/// Which parts differ from the parent's, as bits, then the differences.
fn put_band(to: &mut Vec<u8>, band: &Band, parent: Option<&Band>) {
    let parent = parent.copied().unwrap_or_default();
    let differs = |at: &usize| band[*at] != parent[*at];
    to.push((0..PARTS).filter(differs).map(|at| 1 << at).sum());
    for at in (0..PARTS).filter(differs) {
        put_signed(to, i64::from(band[at]) - i64::from(parent[at]));
    }
}

/// A number that is small in either direction (zigzag: it takes one byte).
fn put_signed(to: &mut Vec<u8>, number: i64) {
    put(to, ((number << 1) ^ (number >> 63)) as u64);
}

/// A number in as many bytes as it needs, 7 bits in each, the lowest first (LEB128).
pub(super) fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// A number as its distance from another, small in either direction.
fn put_from(to: &mut Vec<u8>, number: u32, before: u32) {
    put_signed(to, i64::from(number) - i64::from(before));
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    put(to, text.len() as u64);
    to.extend(text.as_bytes());
}

/// How an id is written, in the lowest two bits before it; the others are a length in bytes.
mod form {
    pub const TEXT: u64 = 0;
    /// Lower-case hexadecimal digits, two in each byte (pi).
    pub const HEX: u64 = 1;
    /// A UUID in lower case (Claude Code, Codex): 16 bytes instead of 36.
    pub const UUID: u64 = 2;
}

/// Length of a UUID.
const UUID_BYTES: usize = 36;
/// Where a UUID has its hyphens.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

fn put_id(to: &mut Vec<u8>, id: &str) {
    let bytes = id.as_bytes();
    // A UUID is tried first, because its form also restores the hyphens.
    let is_uuid = bytes.len() == UUID_BYTES && HYPHENS.iter().all(|&at| bytes[at] == b'-');
    let between = bytes.iter().enumerate();
    let between = between.filter(|(at, _)| !HYPHENS.contains(at));
    if is_uuid && put_hex(to, form::UUID, between.map(|(_, &digit)| digit)) {
        return;
    }
    if !put_hex(to, form::HEX, bytes.iter().copied()) {
        put(to, (bytes.len() as u64) << 2 | form::TEXT);
        to.extend(bytes);
    }
}

/// Writes hexadecimal digits as bytes, two in each; false, with nothing written, where they are none.
/// Ids with an odd number of digits or with upper case are none, so that reading restores them exactly.
fn put_hex(to: &mut Vec<u8>, form: u64, digits: impl Iterator<Item = u8> + Clone) -> bool {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let before = to.len();
    put(to, (digits.clone().count() as u64 / 2) << 2 | form);
    let mut digits = digits.map(value);
    while let Some(high) = digits.next() {
        let (Some(high), Some(Some(low))) = (high, digits.next()) else {
            to.truncate(before);
            return false;
        };
        to.push(high << 4 | low);
    }
    true
}

fn unpacked_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Reads what the functions above write.
pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], GraphBytesError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or(GraphBytesError::Short)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], GraphBytesError> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| GraphBytesError::Short)
    }

    pub(super) fn byte(&mut self) -> Result<u8, GraphBytesError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn number(&mut self) -> Result<u64, GraphBytesError> {
        let mut number = 0;
        // Ten bytes hold 64 bits; a longer number is damage, not a larger number.
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(GraphBytesError::Damaged("a number without an end"))
    }

    /// A number of things of which each takes a byte or more.
    pub(super) fn count(&mut self) -> Result<usize, GraphBytesError> {
        let number = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if number > self.bytes.len() {
            return Err(GraphBytesError::Short);
        }
        Ok(number)
    }

    fn number_from(&mut self, before: u32) -> Result<u32, GraphBytesError> {
        let sum = i64::from(before).checked_add(self.signed()?);
        sum.and_then(|sum| u32::try_from(sum).ok())
            .ok_or(GraphBytesError::Damaged("a number out of range"))
    }

    fn signed(&mut self) -> Result<i64, GraphBytesError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn small(&mut self, below: usize) -> Result<u32, GraphBytesError> {
        let number = self.number()?;
        let small = u32::try_from(number).ok().filter(|&n| (n as usize) < below);
        small.ok_or(GraphBytesError::Damaged("a number out of range"))
    }

    fn text(&mut self) -> Result<&'a str, GraphBytesError> {
        let length = self.count()?;
        text_of(self.take(length)?)
    }

    fn id(&mut self) -> Result<EntryId, GraphBytesError> {
        let head = self.number()?;
        let length = usize::try_from(head >> 2).unwrap_or(usize::MAX);
        let bytes = self.take(length)?;
        let text = match head & 3 {
            form::TEXT => text_of(bytes)?.to_owned(),
            form::HEX => unpacked_hex(bytes),
            form::UUID if length == 16 => {
                let mut text = unpacked_hex(bytes);
                HYPHENS.iter().for_each(|&at| text.insert(at, '-'));
                text
            }
            _ => return Err(GraphBytesError::Damaged("an id of no known form")),
        };
        Ok(EntryId::from(text))
    }

    fn row(&mut self, picture: &Picture, of: &Bounds) -> Result<PictureRow, GraphBytesError> {
        let id = EntryIx::new(picture.rows.len()).0;
        let before = picture.rows.last();
        let flags = self.byte()?;
        let has = |bit: u8| flags & bit != 0;
        let kind = self.byte()?;
        let class = CLASSES.get(usize::from(kind & ((1 << HEIGHT_SHIFT) - 1)));
        let entry = self.number_from(before.map_or(0, |before| before.entry.0))?;
        // Readers index by these positions, so they are checked here once.
        if entry as usize >= of.entries {
            return Err(GraphBytesError::Damaged("a row without an entry"));
        }
        let (parent, lane) = match before.filter(|_| has(flag::GOES_ON)) {
            Some(before) => (Some(before.id), before.lane),
            None => {
                let parent = self.small(of.rows + 1)?.checked_sub(1);
                (parent, self.small(of.lanes)?)
            }
        };
        let name = self.small(of.names)?;
        let tokens = self.number()?;
        // A parent that stands below its child in the file is not read yet; the row is written so.
        let above = parent.and_then(|at| picture.rows.get(at as usize));
        let size = self.signed()?;
        let size = above.map_or(0, |above| above.size).checked_add_signed(size);
        let mut band = above.map(|above| above.band).unwrap_or_default();
        let differs = self.byte()?;
        for (at, part) in band.iter_mut().enumerate() {
            if differs & (1 << at) != 0 {
                let sum = i64::from(*part).checked_add(self.signed()?);
                let sum = sum.and_then(|sum| u16::try_from(sum).ok());
                *part = sum.ok_or(GraphBytesError::Damaged("a part out of range"))?;
            }
        }
        let at_s = before
            .map_or(0, |before| before.at_s)
            .checked_add(self.signed()?);
        Ok(PictureRow {
            id,
            entry: EntryIx(entry),
            parent,
            lane,
            class: *class.ok_or(GraphBytesError::Damaged("a row of no known class"))?,
            height: kind >> HEIGHT_SHIFT,
            name,
            tokens,
            size: size.ok_or(GraphBytesError::Damaged("a size out of range"))?,
            band,
            at_s: at_s.ok_or(GraphBytesError::Damaged("a time out of range"))?,
            subagents: if has(flag::SUBAGENTS) {
                self.small(usize::MAX)?
            } else {
                0
            },
            label: if has(flag::LABEL) {
                self.text()?.to_owned()
            } else {
                String::new()
            },
            on_active_path: has(flag::ON_ACTIVE_PATH),
            is_active_leaf: has(flag::ACTIVE_LEAF),
            has_error: has(flag::ERROR),
            flag: has(flag::LABELLED),
            has_text: has(flag::TEXT),
        })
    }

    fn lane(&mut self, rows: usize) -> Result<Lane, GraphBytesError> {
        let kind = KINDS.get(self.small(KINDS.len())? as usize);
        let from = self.small(rows + 1)?.checked_sub(1);
        Ok(Lane {
            kind: *kind.ok_or(GraphBytesError::Damaged("a lane of no known kind"))?,
            column: 0,
            from,
            first: 0,
            last: 0,
            name: self.text()?.to_owned(),
        })
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, GraphBytesError> {
    std::str::from_utf8(bytes).map_err(|_| GraphBytesError::Damaged("a text that is not UTF-8"))
}
