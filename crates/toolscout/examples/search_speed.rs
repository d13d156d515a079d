//! Measures the time and memory that search needs, inside one process. `cargo xtask bench search`
//! runs it.
//!
//! `search_speed TOOLS QUERIES words|chance|meaning` reads tools (one line `{"source", "name", …}`
//! each, grouped by source) and queries (one per line), and prints one JSON object. With `words`
//! there are no embeddings. With `chance` the tools have random embeddings, which take as much
//! memory and time as real ones. With `meaning` every tool is encoded.

#![expect(clippy::print_stdout, reason = "prints the measurements")]

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};
use toolscout_encoder::MiniLm;
use toolscout_index::{
    Encoder, Index, IndexData, Language, Query, QueryEmbedding, TextStamp, ToolDocument, Vector,
    encoded_text,
};

// The same allocator as in the `toolscout` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

/// Number of repetitions of slow measurements.
const ROUNDS: usize = 5;
/// Number of tools that are encoded to measure the encoder.
const ENCODED: usize = 300;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [tools, queries, vectors] = &words[..] else {
        return Err("usage: search_speed TOOLS QUERIES words|chance|meaning".into());
    };
    let encoder = MiniLm::built_in().ok().filter(|_| vectors != "words");
    // Loads the model before the measurement: its size does not depend on the number of tools.
    encoder.inspect(|encoder| drop(encoder.encode("warm up")));
    let before = resident();
    let tools = read(tools)?;
    let documents: Vec<ToolDocument<'_>> =
        tools.iter().zip(1..).map(|(tool, stamp)| document(tool, stamp)).collect();
    let plain = Index::build(&documents);
    let index = match (encoder, vectors.as_str()) {
        (Some(encoder), "chance") => {
            plain.with_vectors(Encoder::id(encoder), by_chance(tools.len(), encoder.dimensions()))
        }
        (Some(encoder), _) => plain.with_vectors(Encoder::id(encoder), encoded(encoder, &tools)),
        (None, _) => plain,
    };
    // The first search builds the parts of the index that are created on demand.
    index.search(&Query::new("warm up"));
    let held = resident()
        .zip(before)
        .map(|(now, before)| now.saturating_sub(before) / tools.len().max(1) as u64);
    let queries: Vec<String> = fs::read_to_string(queries)?.lines().map(str::to_owned).collect();
    let mut figures =
        json!({"tools": tools.len(), "vectors": index.vectors(), "bytes_per_tool": held});
    figures["build_ms"] =
        times((0..ROUNDS).map(|_| timed(|| Index::build(&documents)).1).collect());
    figures["add_source_ms"] = times((0..ROUNDS).map(|_| added(&index, &documents)).collect());
    figures["lexical_ms"] =
        times(queries.iter().map(|query| timed(|| index.search(&Query::new(query))).1).collect());
    image(&mut figures, &index, &documents)?;
    if let Some(encoder) = encoder {
        meaning(&mut figures, &index, encoder, &queries, &tools);
    }
    println!("{figures}");
    Ok(())
}

/// Semantic searches with and without the encoding of the query, and the speed of encoding tools.
fn meaning(
    figures: &mut Value,
    index: &Index,
    encoder: &MiniLm,
    queries: &[String],
    tools: &[Arc<Tool>],
) {
    let search = |text: &str, meaning: &QueryEmbedding| {
        index.search(&Query { embedding: Some(meaning), ..Query::new(text) })
    };
    let asked = |text: &String| timed(|| search(text, &QueryEmbedding::encode(encoder, text))).1;
    figures["full_ms"] = times(queries.iter().map(asked).collect());
    let again = |text: &String| {
        let meaning = QueryEmbedding::encode(encoder, text);
        timed(|| search(text, &meaning)).1
    };
    figures["repeated_ms"] = times(queries.iter().map(again).collect());
    let some = &tools[..tools.len().min(ENCODED)];
    let (_, took) = timed(|| encoded(encoder, some));
    figures["encoded_per_second"] = json!((some.len() as f64 / took.as_secs_f64()).round());
}

/// Size and load time of the index image, which a new process loads instead of indexing the tools.
fn image(
    figures: &mut Value,
    index: &Index,
    documents: &[ToolDocument<'_>],
) -> Result<(), Failure> {
    let image = index.data().to_bytes();
    let load = || {
        IndexData::from_bytes(&image)
            .map(|value| Index::build_from(&value, Language::default(), documents))
    };
    let loaded = timed(load);
    if loaded.0.is_none_or(|value| value.len() != index.len()) {
        return Err("the image does not give the index back".into());
    }
    figures["image_bytes_per_tool"] = json!(image.len() / index.len().max(1));
    figures["load_ms"] = times((0..ROUNDS).map(|_| timed(load).1).collect());
    Ok(())
}

/// Indexing time if only the last source is new.
fn added(index: &Index, documents: &[ToolDocument<'_>]) -> Duration {
    let last = documents.last().map(|document| &document.tool.id.source);
    let start =
        documents.iter().position(|document| Some(&document.tool.id.source) == last).unwrap_or(0);
    let known = Index::build_from(index.data(), Language::default(), &documents[..start]);
    timed(|| Index::build_from(known.data(), Language::default(), documents)).1
}

#[derive(Deserialize)]
struct Line<'a> {
    source: String,
    name: String,
    description: Option<String>,
    #[serde(borrow, rename = "inputSchema")]
    input_schema: &'a RawValue,
}

/// Reads line by line, so that only the tools stay in memory.
fn read(path: &str) -> Result<Vec<Arc<Tool>>, Failure> {
    let mut tools = Vec::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        let line: Line<'_> = serde_json::from_str(&line)?;
        let mut tool =
            Tool::new(ToolId::new(SourceId::new(&line.source)?, ToolName::new(&line.name)?));
        tool.description = line.description;
        tool.input_schema = RawJson::parse(line.input_schema.get())?;
        tools.push(Arc::new(tool));
    }
    Ok(tools)
}

fn document(tool: &Arc<Tool>, stamp: TextStamp) -> ToolDocument<'_> {
    ToolDocument { tool, stamp, is_approved: true, source_description: "" }
}

fn encoded(encoder: &MiniLm, tools: &[Arc<Tool>]) -> Vec<(TextStamp, Vector)> {
    let texts: Vec<String> = tools.iter().map(|tool| encoded_text(tool)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = encoder.encode_all(&texts, available_parallelism().map_or(1, usize::from));
    (1..).zip(vectors.iter().map(|vector| Vector::quantize(vector))).collect()
}

/// Random embeddings. They take as much memory as real ones.
fn by_chance(count: usize, dimensions: usize) -> impl Iterator<Item = (TextStamp, Vector)> {
    let mut state = 1u32;
    let mut number = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let length = (dimensions as f32 / 3.0).sqrt();
    let mut vector =
        move || Vector::quantize(&(0..dimensions).map(|_| number() / length).collect::<Vec<_>>());
    (1..=count as TextStamp).map(move |stamp| (stamp, vector()))
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

/// Minimum, median and 99th percentile.
fn times(mut all: Vec<Duration>) -> Value {
    all.sort();
    let of = |percent: usize| all.get((all.len() * percent / 100).min(all.len().saturating_sub(1)));
    let shown = |percent| of(percent).map(|value| value.as_secs_f64() * 1e3);
    json!({"best": shown(0), "p50": shown(50), "p99": shown(99)})
}

/// Resident memory in bytes, if the system reports it.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
