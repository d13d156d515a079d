//! What searching costs in time and memory, inside one process; `cargo xtask bench search` asks it.
//!
//! `search_speed TOOLS QUERIES words|chance|meaning` reads tools (a line `{"source", "name", …}` each, sources one after the
//! other) and questions (a line each), and prints one JSON object. With `words` there are no vectors; with `chance` tools have
//! vectors that mean nothing, which take as much room and time as others; with `meaning` every tool is encoded.

#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

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
    text_of,
};

// As in the program that people run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

/// How often what takes long is done again.
const ROUNDS: usize = 5;
/// How many tools are encoded to see how fast that is.
const ENCODED: usize = 300;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [tools, queries, vectors] = &words[..] else {
        return Err("usage: search_speed TOOLS QUERIES words|chance|meaning".into());
    };
    let encoder = MiniLm::built_in().ok().filter(|_| vectors != "words");
    // The model is there once, however many tools there are.
    encoder.inspect(|it| drop(it.encode("warm up")));
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
    // Some of it is made when it is first needed.
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
        times(queries.iter().map(|it| timed(|| index.search(&Query::new(it))).1).collect());
    image(&mut figures, &index, &documents)?;
    if let Some(encoder) = encoder {
        meaning(&mut figures, &index, encoder, &queries, &tools);
    }
    println!("{figures}");
    Ok(())
}

/// Searches that look at vectors, with the encoding of the question and without; and how fast tools are encoded.
fn meaning(
    figures: &mut Value,
    index: &Index,
    encoder: &MiniLm,
    queries: &[String],
    tools: &[Arc<Tool>],
) {
    let search = |text: &str, meaning: &QueryEmbedding| {
        index.search(&Query { meaning: Some(meaning), ..Query::new(text) })
    };
    let asked = |text: &String| timed(|| search(text, &QueryEmbedding::of(encoder, text))).1;
    figures["full_ms"] = times(queries.iter().map(asked).collect());
    let again = |text: &String| {
        let meaning = QueryEmbedding::of(encoder, text);
        timed(|| search(text, &meaning)).1
    };
    figures["repeated_ms"] = times(queries.iter().map(again).collect());
    let some = &tools[..tools.len().min(ENCODED)];
    let (_, took) = timed(|| encoded(encoder, some));
    figures["encoded_per_second"] = json!((some.len() as f64 / took.as_secs_f64()).round());
}

/// What a new process does instead of reading the tools anew.
fn image(
    figures: &mut Value,
    index: &Index,
    documents: &[ToolDocument<'_>],
) -> Result<(), Failure> {
    let image = index.known().to_bytes();
    let load = || {
        IndexData::from_bytes(&image).map(|it| Index::after(&it, Language::default(), documents))
    };
    let loaded = timed(load);
    if loaded.0.is_none_or(|it| it.len() != index.len()) {
        return Err("the image does not give the index back".into());
    }
    figures["image_bytes_per_tool"] = json!(image.len() / index.len().max(1));
    figures["load_ms"] = times((0..ROUNDS).map(|_| timed(load).1).collect());
    Ok(())
}

/// One source is new, the last one; all others are known.
fn added(index: &Index, documents: &[ToolDocument<'_>]) -> Duration {
    let last = documents.last().map(|it| &it.tool.id.source);
    let start = documents.iter().position(|it| Some(&it.tool.id.source) == last).unwrap_or(0);
    let known = Index::after(index.known(), Language::default(), &documents[..start]);
    timed(|| Index::after(known.known(), Language::default(), documents)).1
}

#[derive(Deserialize)]
struct Line<'a> {
    source: String,
    name: String,
    description: Option<String>,
    #[serde(borrow, rename = "inputSchema")]
    input_schema: &'a RawValue,
}

/// Line by line, so that nothing but the tools stays in memory.
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
    ToolDocument { tool, stamp, is_approved: true, about: "" }
}

fn encoded(encoder: &MiniLm, tools: &[Arc<Tool>]) -> Vec<(TextStamp, Vector)> {
    let texts: Vec<String> = tools.iter().map(|it| text_of(it)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = encoder.encode_all(&texts, available_parallelism().map_or(1, usize::from));
    (1..).zip(vectors.iter().map(|it| Vector::of(it))).collect()
}

/// As good as any for how much room they take.
fn by_chance(count: usize, dimensions: usize) -> impl Iterator<Item = (TextStamp, Vector)> {
    let mut state = 1u32;
    let mut number = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let length = (dimensions as f32 / 3.0).sqrt();
    let mut vector =
        move || Vector::of(&(0..dimensions).map(|_| number() / length).collect::<Vec<_>>());
    (1..=count as TextStamp).map(move |stamp| (stamp, vector()))
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

/// The shortest, and those that half and ninety-nine of a hundred do not exceed.
fn times(mut all: Vec<Duration>) -> Value {
    all.sort();
    let of = |percent: usize| all.get((all.len() * percent / 100).min(all.len().saturating_sub(1)));
    let shown = |percent| of(percent).map(|it| it.as_secs_f64() * 1e3);
    json!({"best": shown(0), "p50": shown(50), "p99": shown(99)})
}

/// In bytes; none where the system does not say.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
