//! The model as bytes, as a host sends it to the canvas.
//!
//! A header, then one record for each entry, one for each node and one for each bridge. Numbers
//! count from the record before, so that the bytes of a tree that grew differ from those before
//! only where something was added: [`super::patch`] sends the difference. The bytes leave out what
//! follows from the rest: edges to parents, numbers of entries, a node's last id.

use super::model::{EdgeClass, GraphBounds, GraphEdge, GraphModel, GraphNode, NodeClass};
use crate::ids::{EntryId, EntryIx};

/// The version of the bytes; the canvas and the program behind it are built together.
const VERSION: u8 = 1;

/// Why a tree cannot be read from its bytes.
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

/// A model as bytes, and where its records end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphBytes {
    pub(super) bytes: Vec<u8>,
    /// One past the last byte of each record, in order.
    pub(super) ends: Vec<usize>,
}

/// Bits of a node's flags.
mod flag {
    pub const EXPANDED: u8 = 1;
    pub const ON_ACTIVE_PATH: u8 = 2;
    pub const ACTIVE_LEAF: u8 = 4;
    pub const ERROR: u8 = 8;
    pub const LABELLED: u8 = 16;
    pub const TOKENS_AFTER: u8 = 32;
}

/// The classes in the order of their numbers.
const CLASSES: [NodeClass; 11] = [
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
    NodeClass::Run,
];

impl GraphBytes {
    /// Writes a model.
    pub fn of(model: &GraphModel) -> GraphBytes {
        let bridges = model.edges.iter().filter(|edge| is_bridge(edge));
        let mut to = GraphBytes::default();
        to.bytes.push(VERSION);
        put_text(&mut to.bytes, &model.session);
        for count in [model.ids.len(), model.nodes.len(), bridges.clone().count()] {
            put(&mut to.bytes, count as u64);
        }
        let bounds = model.bounds;
        for side in [bounds.min_x, bounds.min_y, bounds.max_x, bounds.max_y] {
            to.bytes.extend(side.to_le_bytes());
        }
        to.end_record();
        // Distances are written, not numbers: most entries are in the node of the entry before
        // them, and a difference (patch) then keeps all records behind an insertion.
        let mut before = 0;
        for (id, &node) in model.ids.iter().zip(&model.node_of) {
            put_from(&mut to.bytes, node, before);
            put_id(&mut to.bytes, id.as_str());
            before = node;
            to.end_record();
        }
        let mut before = 0;
        for node in &model.nodes {
            put_node(&mut to.bytes, node, before);
            before = node.first.0;
            to.end_record();
        }
        let mut before = 0;
        for edge in bridges {
            put_from(&mut to.bytes, edge.to, before);
            put_from(&mut to.bytes, edge.from, edge.to);
            before = edge.to;
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

impl GraphModel {
    /// Reads a model from its bytes.
    ///
    /// Fails on bytes that [`GraphBytes`] does not write; numbers in the model never lead outside it.
    pub fn from_bytes(bytes: &[u8]) -> Result<GraphModel, GraphBytesError> {
        let mut from = Reader { bytes };
        // The page may still run code of the version before an update of the program.
        if from.byte()? != VERSION {
            return Err(GraphBytesError::Damaged("another version"));
        }
        let session = from.text()?.to_owned();
        let [entries, nodes, bridges] = [from.count()?, from.count()?, from.count()?];
        let bounds = GraphBounds {
            min_x: from.float()?,
            min_y: from.float()?,
            max_x: from.float()?,
            max_y: from.float()?,
        };
        let mut model = GraphModel {
            session,
            // Safe with damaged bytes: `count` refuses a number above the bytes that follow.
            nodes: Vec::with_capacity(nodes),
            edges: Vec::with_capacity(nodes),
            node_of: Vec::with_capacity(entries),
            ids: Vec::with_capacity(entries),
            bounds,
        };
        let mut counts = vec![0; nodes];
        let mut before = 0;
        for _ in 0..entries {
            before = from.number_from(before)?;
            let count = counts
                .get_mut(before as usize)
                .ok_or(GraphBytesError::Damaged("an entry in no node"))?;
            *count += 1;
            model.node_of.push(before);
            model.ids.push(from.id()?);
        }
        let mut before = 0;
        for count in counts {
            let node = from.node(before, count, &model)?;
            before = node.first.0;
            if let Some(parent) = node.parent {
                model.edges.push(GraphEdge {
                    from: parent,
                    to: node.id,
                    class: if node.on_active_path {
                        EdgeClass::Active
                    } else {
                        EdgeClass::Side
                    },
                });
            }
            model.nodes.push(node);
        }
        let mut before = 0;
        for _ in 0..bridges {
            let to = from.number_from(before)?;
            let left = from.number_from(to)?;
            if to.max(left) as usize >= nodes {
                return Err(GraphBytesError::Damaged("a bridge to no node"));
            }
            before = to;
            // Bridges come after the edges to parents, as in `graph_model`.
            model.edges.push(GraphEdge {
                from: left,
                to,
                class: EdgeClass::Bridge,
            });
        }
        if from.bytes.is_empty() {
            Ok(model)
        } else {
            Err(GraphBytesError::Damaged("more than a tree"))
        }
    }
}

fn is_bridge(edge: &GraphEdge) -> bool {
    edge.class == EdgeClass::Bridge
}

fn put_node(to: &mut Vec<u8>, node: &GraphNode, before: u32) {
    put_from(to, node.first.0, before);
    put_from(to, node.last.0, node.first.0);
    // In most nodes the group is the first entry, so the distance is 0 and one byte.
    put_from(to, node.group.0, node.first.0);
    // Parents have smaller numbers; 0 is none.
    put(
        to,
        node.parent.map_or(0, |parent| u64::from(node.id - parent)),
    );
    let flags = [
        (node.is_expanded, flag::EXPANDED),
        (node.on_active_path, flag::ON_ACTIVE_PATH),
        (node.is_active_leaf, flag::ACTIVE_LEAF),
        (node.has_error, flag::ERROR),
        (node.flag, flag::LABELLED),
        (node.tokens_after.is_some(), flag::TOKENS_AFTER),
    ];
    to.push(
        flags
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, bit)| bit)
            .sum(),
    );
    // The position in the table is the number on the wire, so the order of the enum may change.
    let class = CLASSES.iter().position(|&class| class == node.class);
    to.push(
        class
            .and_then(|class| u8::try_from(class).ok())
            .unwrap_or(u8::MAX),
    );
    put(to, node.tokens);
    if let Some(after) = node.tokens_after {
        put(to, after);
    }
    to.extend(node.x.to_le_bytes());
    to.extend(node.y.to_le_bytes());
    put_text(to, &node.label);
    put_text(to, &node.sublabel);
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
    let distance = i64::from(number) - i64::from(before);
    // Zigzag: small distances in either direction take one byte.
    put(to, ((distance << 1) ^ (distance >> 63)) as u64);
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

/// Where a UUID has its hyphens.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

fn put_id(to: &mut Vec<u8>, id: &str) {
    // A UUID is tried first, because its form also restores the hyphens.
    let packed = uuid_digits(id).map(|digits| (form::UUID, digits));
    let packed = packed.or_else(|| Some((form::HEX, packed_hex(id.as_bytes())?)));
    match packed {
        Some((form, bytes)) => {
            put(to, (bytes.len() as u64) << 2 | form);
            to.extend(bytes);
        }
        None => {
            put(to, (id.len() as u64) << 2 | form::TEXT);
            to.extend(id.as_bytes());
        }
    }
}

fn uuid_digits(id: &str) -> Option<Vec<u8>> {
    let bytes = id.as_bytes();
    if bytes.len() != 36 || HYPHENS.iter().any(|&at| bytes[at] != b'-') {
        return None;
    }
    let digits: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'-').collect();
    packed_hex(&digits).filter(|packed| packed.len() == 16)
}

fn packed_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    // Ids with an odd number of digits or with upper case are written as text, so that reading
    // restores them exactly.
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    let byte = |&[high, low]: &[u8; 2]| Some(value(high)? << 4 | value(low)?);
    pairs.iter().map(byte).collect()
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
        let number = self.number()?;
        let distance = (number >> 1) as i64 ^ -((number & 1) as i64);
        let sum = i64::from(before).checked_add(distance);
        sum.and_then(|sum| u32::try_from(sum).ok())
            .ok_or(GraphBytesError::Damaged("a number out of range"))
    }

    fn float(&mut self) -> Result<f32, GraphBytesError> {
        self.array().map(f32::from_le_bytes)
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

    fn node(
        &mut self,
        before: u32,
        count: u32,
        model: &GraphModel,
    ) -> Result<GraphNode, GraphBytesError> {
        let id = EntryIx::new(model.nodes.len()).0;
        let first = self.number_from(before)?;
        let last = self.number_from(first)?;
        let group = self.number_from(first)?;
        // Readers index by these positions, so they are checked here once.
        let entry = |ix: u32| model.ids.get(ix as usize);
        let (Some(_), Some(entry_id)) = (entry(first), entry(last)) else {
            return Err(GraphBytesError::Damaged("a node without entries"));
        };
        let parent = match self.number()? {
            0 => None,
            above => {
                // Written as a distance upwards, so that a parent always has a smaller number and
                // no cycle can be written.
                let parent = u64::from(id).checked_sub(above);
                let parent = parent.and_then(|parent| u32::try_from(parent).ok());
                Some(parent.ok_or(GraphBytesError::Damaged("a node below none"))?)
            }
        };
        let flags = self.byte()?;
        let class = CLASSES.get(usize::from(self.byte()?));
        let tokens = self.number()?;
        let tokens_after = match flags & flag::TOKENS_AFTER {
            0 => None,
            _ => Some(self.number()?),
        };
        Ok(GraphNode {
            id,
            first: EntryIx(first),
            last: EntryIx(last),
            entry_id: entry_id.clone(),
            parent,
            count,
            group: EntryIx(group),
            is_expanded: flags & flag::EXPANDED != 0,
            class: *class.ok_or(GraphBytesError::Damaged("a node of no known class"))?,
            tokens,
            tokens_after,
            x: self.float()?,
            y: self.float()?,
            label: self.text()?.to_owned(),
            sublabel: self.text()?.to_owned(),
            on_active_path: flags & flag::ON_ACTIVE_PATH != 0,
            is_active_leaf: flags & flag::ACTIVE_LEAF != 0,
            has_error: flags & flag::ERROR != 0,
            flag: flags & flag::LABELLED != 0,
        })
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, GraphBytesError> {
    std::str::from_utf8(bytes).map_err(|_| GraphBytesError::Damaged("a text that is not UTF-8"))
}
