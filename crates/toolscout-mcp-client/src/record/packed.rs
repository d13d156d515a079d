//! Definitions in a packed format with the offsets of their parts, so that they need not be parsed
//! at every startup.
//!
//! The texts come first, then a table with a row per definition, then the number of rows. A row
//! contains the ranges of the whole definition and of its parts. If a part does not occur verbatim
//! in the definition, because it was escaped or assembled, its text is appended after the
//! definition.

use super::super::definition::split::DefinitionParts;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use toolscout_core::{CheckedText, Digest, RawJson, SourceId, Tool, ToolId, ToolName};

/// The parts whose ranges a row of the table contains, in this order.
enum PackedPart {
    Whole,
    Name,
    Title,
    Description,
    InputSchema,
    OutputSchema,
    Annotations,
    Extra,
}

const PARTS: usize = PackedPart::Extra as usize + 1;
/// The size of a range: start and end with four bytes each. A range whose end is before its start
/// means that the part is absent.
const RANGE_BYTES: usize = 8;
const ROW_BYTES: usize = PARTS * RANGE_BYTES;
const ABSENT: Range<usize> = Range { start: 1, end: 0 };

/// Packed definitions that were read from a record.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct PackedDefinitions {
    text: CheckedText,
    /// Where the definitions begin in the text; ranges are relative to this.
    base: usize,
    table: Arc<[u8]>,
}

/// Packs the definitions.
pub(super) fn pack(definitions: &[RawJson]) -> Vec<u8> {
    let mut packing = Packing::default();
    for definition in definitions {
        let row = packing.row(definition.as_str());
        packing.table.extend(
            row.into_iter()
                .flat_map(|row| [row.start, row.end])
                .flat_map(|item| (item as u32).to_le_bytes()),
        );
    }
    let mut bytes = packing.texts.into_bytes();
    bytes.extend(packing.table);
    bytes.extend((definitions.len() as u32).to_le_bytes());
    bytes
}

/// A keyed hash of packed definitions, which cannot be forged without the key.
pub(super) fn mark(key: &[u8; 32], packed: &[u8]) -> Digest {
    Digest::from_bytes(blake3::keyed_hash(key, packed).into())
}

impl PackedDefinitions {
    /// Reads the packed definitions after `base`. The results of [`PackedDefinitions::parts`] and
    /// [`PackedDefinitions::tools`] are reliable only if the bytes match this mark. `None` if the
    /// format is invalid.
    pub(super) fn read(mut bytes: Vec<u8>, base: usize, mark: Digest) -> Option<Self> {
        let (rest, count) = bytes.split_last_chunk()?;
        let rows = (u32::from_le_bytes(*count) as usize).checked_mul(ROW_BYTES)?;
        let start = rest.len().checked_sub(rows).filter(|sum| *sum >= base)?;
        let table = rest[start..].into();
        bytes.truncate(start);
        // The text is not copied, because it is most of the data that is read at startup.
        let text = CheckedText::new(String::from_utf8(bytes).ok()?, mark);
        Some(Self { text, base, table })
    }

    /// Complete definitions, not parsed.
    pub(super) fn parts(&self) -> Vec<RawJson> {
        self.rows().filter_map(|row| row.json(PackedPart::Whole)).collect()
    }

    /// Complete definitions, each parsed; invalid JSON is left out.
    pub(super) fn parsed(&self) -> Vec<RawJson> {
        self.rows().filter_map(|row| RawJson::parse(row.text(PackedPart::Whole)?).ok()).collect()
    }

    /// The tools they define. Definitions without a valid mark must not be used as tools unchecked.
    pub(in super::super) fn tools(&self, source: &SourceId) -> impl Iterator<Item = Tool> {
        self.rows().filter_map(|row| {
            let name = ToolName::new(row.text(PackedPart::Name)?).ok()?;
            Some(Tool {
                title: row.text(PackedPart::Title).map(str::to_owned),
                description: row.text(PackedPart::Description).map(str::to_owned),
                input_schema: row
                    .json(PackedPart::InputSchema)
                    .unwrap_or_else(RawJson::no_arguments),
                output_schema: row.json(PackedPart::OutputSchema),
                annotations: row.json(PackedPart::Annotations),
                extra: row.json(PackedPart::Extra),
                ..Tool::new(ToolId::new(source.clone(), name))
            })
        })
    }

    fn rows(&self) -> impl Iterator<Item = PackedRow<'_>> {
        self.table.chunks_exact(ROW_BYTES).map(|ranges| PackedRow { packed: self, ranges })
    }
}

struct PackedRow<'a> {
    packed: &'a PackedDefinitions,
    ranges: &'a [u8],
}

impl<'a> PackedRow<'a> {
    fn text(&self, part: PackedPart) -> Option<&'a str> {
        self.packed.text.slice(self.range(part)?)
    }

    fn json(&self, part: PackedPart) -> Option<RawJson> {
        RawJson::part_of(&self.packed.text, self.range(part)?)
    }

    fn range(&self, part: PackedPart) -> Option<Range<usize>> {
        let range = self.ranges.get(part as usize * RANGE_BYTES..)?.first_chunk::<RANGE_BYTES>()?;
        let [a, b, c, d, e, f, g, h] = *range;
        let [start, end] = [[a, b, c, d], [e, f, g, h]]
            .map(|value| self.packed.base + u32::from_le_bytes(value) as usize);
        (start <= end).then_some(start..end)
    }
}

/// Definitions being packed.
#[derive(Default)]
struct Packing {
    texts: String,
    table: Vec<u8>,
}

impl Packing {
    fn row(&mut self, definition: &str) -> [Range<usize>; PARTS] {
        let start = self.texts.len();
        let whole = self.add(definition);
        let within = Within { definition, start };
        // A definition that is not an object is not a tool, but it is stored unmodified.
        let split = DefinitionParts::split(definition).unwrap_or_default();
        let json = |raw_value: Option<&RawValue>| {
            raw_value.map_or(ABSENT, |value| within.range(value.get()))
        };
        let (input, output, annotations) =
            (json(split.input_schema), json(split.output_schema), json(split.annotations));
        let mut text = |value: &Option<Cow<'_, str>>| match value {
            None => ABSENT,
            Some(Cow::Borrowed(text)) => within.range(text),
            Some(Cow::Owned(text)) => self.add(text),
        };
        let (name, title, description) =
            (text(&split.name), text(&split.title), text(&split.description));
        let extra = split.extra().map_or(ABSENT, |extra| self.add(extra.as_str()));
        [whole, name, title, description, input, output, annotations, extra]
    }

    fn add(&mut self, text: &str) -> Range<usize> {
        let start = self.texts.len();
        self.texts.push_str(text);
        start..self.texts.len()
    }
}

/// A definition, and its offset in the texts.
struct Within<'a> {
    definition: &'a str,
    start: usize,
}

impl Within<'_> {
    /// The range of a piece that was borrowed from the definition.
    fn range(&self, piece: &str) -> Range<usize> {
        let from = self.start + (piece.as_ptr().addr() - self.definition.as_ptr().addr());
        from..from + piece.len()
    }
}
