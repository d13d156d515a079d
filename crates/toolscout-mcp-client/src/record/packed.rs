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
const PLACE: usize = 8;
const LINE: usize = PARTS * PLACE;
const NONE: Range<usize> = Range { start: 1, end: 0 };

/// Packed definitions that were read from a record.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct PackedDefinitions {
    text: CheckedText,
    /// Where the definitions begin in the text; ranges are relative to this.
    base: usize,
    table: Arc<[u8]>,
}

/// Packs the definitions.
pub(super) fn of(definitions: &[RawJson]) -> Vec<u8> {
    let mut packing = Packing::default();
    for definition in definitions {
        let line = packing.line(definition.as_str());
        packing.table.extend(
            line.into_iter()
                .flat_map(|it| [it.start, it.end])
                .flat_map(|it| (it as u32).to_le_bytes()),
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
        let lines = (u32::from_le_bytes(*count) as usize).checked_mul(LINE)?;
        let start = rest.len().checked_sub(lines).filter(|it| *it >= base)?;
        let table = rest[start..].into();
        bytes.truncate(start);
        // The text is not copied, because it is most of the data that is read at startup.
        let text = CheckedText::new(String::from_utf8(bytes).ok()?, mark);
        Some(Self { text, base, table })
    }

    /// Complete definitions, not parsed.
    pub(super) fn parts(&self) -> Vec<RawJson> {
        self.lines().filter_map(|it| it.json(PackedPart::Whole)).collect()
    }

    /// Complete definitions, each parsed; invalid JSON is left out.
    pub(super) fn parsed(&self) -> Vec<RawJson> {
        self.lines().filter_map(|it| RawJson::parse(it.text(PackedPart::Whole)?).ok()).collect()
    }

    /// The tools they define. Definitions without a valid mark must not be used as tools unchecked.
    pub(in super::super) fn tools(&self, source: &SourceId) -> impl Iterator<Item = Tool> {
        self.lines().filter_map(|line| {
            let name = ToolName::new(line.text(PackedPart::Name)?).ok()?;
            Some(Tool {
                title: line.text(PackedPart::Title).map(str::to_owned),
                description: line.text(PackedPart::Description).map(str::to_owned),
                input_schema: line
                    .json(PackedPart::InputSchema)
                    .unwrap_or_else(RawJson::no_arguments),
                output_schema: line.json(PackedPart::OutputSchema),
                annotations: line.json(PackedPart::Annotations),
                extra: line.json(PackedPart::Extra),
                ..Tool::new(ToolId::new(source.clone(), name))
            })
        })
    }

    fn lines(&self) -> impl Iterator<Item = PackedRow<'_>> {
        self.table.chunks_exact(LINE).map(|places| PackedRow { packed: self, places })
    }
}

struct PackedRow<'a> {
    packed: &'a PackedDefinitions,
    places: &'a [u8],
}

impl<'a> PackedRow<'a> {
    fn text(&self, part: PackedPart) -> Option<&'a str> {
        self.packed.text.piece(self.place(part)?)
    }

    fn json(&self, part: PackedPart) -> Option<RawJson> {
        RawJson::part_of(&self.packed.text, self.place(part)?)
    }

    fn place(&self, part: PackedPart) -> Option<Range<usize>> {
        let place = self.places.get(part as usize * PLACE..)?.first_chunk::<PLACE>()?;
        let [a, b, c, d, e, f, g, h] = *place;
        let [start, end] = [[a, b, c, d], [e, f, g, h]]
            .map(|it| self.packed.base + u32::from_le_bytes(it) as usize);
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
    fn line(&mut self, definition: &str) -> [Range<usize>; PARTS] {
        let start = self.texts.len();
        let whole = self.add(definition);
        let within = Within { definition, start };
        // A definition that is not an object is not a tool, but it is stored unmodified.
        let split = DefinitionParts::of(definition).unwrap_or_default();
        let json = |it: Option<&RawValue>| it.map_or(NONE, |it| within.place(it.get()));
        let (input, output, annotations) =
            (json(split.input_schema), json(split.output_schema), json(split.annotations));
        let mut text = |it: &Option<Cow<'_, str>>| match it {
            None => NONE,
            Some(Cow::Borrowed(text)) => within.place(text),
            Some(Cow::Owned(text)) => self.add(text),
        };
        let (name, title, description) =
            (text(&split.name), text(&split.title), text(&split.description));
        let extra = split.extra().map_or(NONE, |it| self.add(it.as_str()));
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
    fn place(&self, piece: &str) -> Range<usize> {
        let from = self.start + (piece.as_ptr().addr() - self.definition.as_ptr().addr());
        from..from + piece.len()
    }
}
