//! Renders search results for a model: as text, and as structured content.

use super::search_request::Detail;
use super::signature;
use crate::output::json::compact;
use crate::search::HitView;
use serde::Serialize;
use serde_json::{Value, json};
use toolscout_core::{RawJson, ToolOutput, counted, escape};
use toolscout_gateway::SearchHit;

/// Maximum size of the hits in bytes. Larger results would fill the context of the model.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// The text if there are no hits.
pub(super) const NO_TOOLS: &str =
    "No tools found. Try different keywords or a broader search term.";

/// Renders the hits in the requested detail, as far as they fit, with notes.
pub(super) fn render(hits: &[SearchHit], detail: Detail, mut notes: Vec<String>) -> ToolOutput {
    if hits.is_empty() {
        return output(NO_TOOLS, "[]", &notes);
    }
    match detail {
        Detail::Full => {
            let (views, omission_note) = fit(hits);
            notes.extend(omission_note);
            let text = compact(&views);
            output(&text, &text, &notes)
        }
        Detail::Compact => {
            let lines: Vec<_> = hits.iter().map(|hit| signature::line(&hit.tool)).collect();
            let shown = take_fitting(&lines, &mut notes);
            let views = hits.iter().zip(shown).map(
                |(item, line)| json!({"id": id(item), "signature": line, "digest": digest(item)}),
            );
            let views: Vec<_> = views.collect();
            output(&shown.join("\n"), &compact(&views), &notes)
        }
        Detail::Names => {
            let ids: Vec<_> = hits.iter().map(id).collect();
            let shown = take_fitting(&ids, &mut notes);
            let views: Vec<_> = shown.iter().map(|item| json!({"id": item})).collect();
            output(&shown.join("\n"), &compact(&views), &notes)
        }
    }
}

/// A hit as the model sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    id: String,
    name: String,
    source: String,
    description: Option<String>,
    score: f64,
    why: Vec<String>,
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<RawJson>,
    /// Replaces the schema if that does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl View {
    fn from_hit(hit: &SearchHit) -> Self {
        let HitView { id, name, source, description, score, why, digest, input_schema } =
            HitView::from(hit);
        let safe = |text: String| escape::text(&text).into_owned();
        Self {
            id,
            name,
            source,
            description: description.map(safe),
            score,
            why: why.into_iter().map(safe).collect(),
            digest,
            input_schema: Some(escape_descriptions(input_schema)),
            signature: None,
        }
    }

    fn shorten(&mut self, hit: &SearchHit) {
        self.input_schema = None;
        self.signature = Some(signature::signature(&hit.tool));
        self.description = self.description.as_deref().map(signature::sentence);
    }
}

/// Fits the hits into the limit, the first ones with all details. Also returns a note if anything
/// was left out.
fn fit(hits: &[SearchHit]) -> (Vec<View>, Option<String>) {
    let mut views: Vec<_> = hits.iter().map(View::from_hit).collect();
    let mut sizes: Vec<_> = views.iter().map(|view| compact(view).len() + 1).collect();
    let mut total: usize = sizes.iter().sum::<usize>() + 1;
    let mut shortened = 0;
    for index in (0..views.len()).rev() {
        if total <= MAX_BYTES {
            break;
        }
        views[index].shorten(&hits[index]);
        let size = compact(&views[index]).len() + 1;
        total = total + size - sizes[index];
        sizes[index] = size;
        shortened += 1;
    }
    let mut count = views.len();
    while total > MAX_BYTES && count > 1 {
        count -= 1;
        total -= sizes[count];
    }
    let dropped = views.len() - count;
    views.truncate(count);
    (views, omission_note(shortened - dropped, dropped))
}

fn omission_note(shortened: usize, dropped: usize) -> Option<String> {
    let hint = "search for a tool by its id, or use a smaller `max_results` or `detail`: compact";
    match (shortened, dropped) {
        (0, 0) => None,
        (shortened, 0) => {
            Some(format!("schemas omitted for the last {}; {hint}", counted(shortened, "tool")))
        }
        (0, dropped) => Some(format!("{} omitted; {hint}", counted(dropped, "more tool"))),
        (_, dropped) => {
            Some(format!("most schemas and {} omitted; {hint}", counted(dropped, "more tool")))
        }
    }
}

/// As many lines as fit.
fn take_fitting<'a>(lines: &'a [String], notes: &mut Vec<String>) -> &'a [String] {
    let mut total = 0;
    let fits = |text: &&String| {
        total += text.len() + 1;
        total <= MAX_BYTES
    };
    let count = lines.iter().take_while(fits).count();
    notes.extend(omission_note(0, lines.len() - count));
    &lines[..count]
}

fn id(hit: &SearchHit) -> String {
    escape::line(&hit.tool.id.to_string()).into_owned()
}

fn digest(hit: &SearchHit) -> String {
    hit.tool.digest().to_string()
}

/// The schema with invisible characters escaped in its descriptions. The rest stays unchanged,
/// because calls have to use the same keys and values.
fn escape_descriptions(schema: RawJson) -> RawJson {
    let is_plain = matches!(escape::json(schema.as_str()), std::borrow::Cow::Borrowed(_));
    if is_plain && !schema.as_str().contains("\\u") {
        return schema;
    }
    let mut value = schema.to_value();
    let mut pending = vec![&mut value];
    while let Some(next) = pending.pop() {
        match next {
            Value::Array(items) => pending.extend(items),
            Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        Value::String(text)
                            if matches!(key.as_str(), "description" | "title" | "$comment") =>
                        {
                            *text = escape::text(text).into_owned();
                        }
                        other => pending.push(other),
                    }
                }
            }
            _ => {}
        }
    }
    RawJson::from_value(&value)
}

/// Builds the output; `results` is JSON already.
fn output(text: &str, results: &str, notes: &[String]) -> ToolOutput {
    let mut content = vec![json!({"type": "text", "text": text})];
    if !notes.is_empty() {
        let lines: Vec<_> = notes.iter().map(|note| format!("note: {note}")).collect();
        content.push(json!({"type": "text", "text": lines.join("\n")}));
    }
    let (content, notes) = (compact(&content), compact(&notes));
    let raw = format!(
        r#"{{"content":{content},"structuredContent":{{"results":{results},"notes":{notes}}}}}"#
    );
    let output = RawJson::parse(&raw).ok().and_then(|raw_json| ToolOutput::from_raw(raw_json).ok());
    output.unwrap_or_else(|| ToolOutput::failure("the response could not be serialized"))
}
