//! The index over the tools of a set: the only module here that depends on the search
//! implementation.

use super::identity;
use super::set::{SetQuery, SetTool};
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{RawJson, Tool, ToolId};
use toolscout_encoder::MiniLm;
use toolscout_index::{
    Encoder, Index, LearnedQueries, LearnedQuery, Query, QueryEmbedding, RankingProfile, TextStamp,
    ToolDocument, Vector, encoded_text,
};

/// The search configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) profile: RankingProfile,
    /// Keyword search only, without embeddings.
    pub(super) lexical: bool,
}

/// Indexed tools, all approved, with all embeddings.
pub(super) struct Ranking {
    index: Index,
    encoder: Option<&'static dyn Encoder>,
    learned: LearnedQueries,
    profile: RankingProfile,
    /// The id in the index for each position in the set.
    ids: Vec<ToolId>,
    places: HashMap<ToolId, usize>,
    /// Positions by the id in the line.
    names: HashMap<String, usize>,
}

impl Ranking {
    /// Indexes the tools, and waits for their embeddings.
    pub(super) fn build(tools: &[SetTool], how: How) -> Self {
        let ids = identity::identities(tools);
        let index = index(tools, &ids);
        let encoder = encoder(how);
        let index = match encoder {
            Some(encoder) => with_vectors(&index, encoder),
            None => index,
        };
        let places = ids.iter().cloned().zip(0..).collect();
        let names = tools.iter().map(|tool| tool.id.clone()).zip(0..).collect();
        Self {
            index,
            encoder,
            learned: LearnedQueries::default(),
            profile: how.profile,
            ids,
            places,
            names,
        }
    }

    /// Whether semantic search is used.
    pub(super) fn has_encoder(&self) -> bool {
        self.encoder.is_some()
    }

    /// Learns that these tools answer these queries.
    pub(super) fn observe(&mut self, queries: &[SetQuery]) {
        let texts: Vec<&str> = queries.iter().map(|query| query.query.as_str()).collect();
        let meanings = match self.encoder {
            Some(encoder) => {
                encoder.encode_all(&texts).iter().map(|item| Some(Vector::quantize(item))).collect()
            }
            None => vec![None; texts.len()],
        };
        let mut lessons = Vec::new();
        for (query, meaning) in queries.iter().zip(&meanings) {
            let known = query.relevant.iter().filter_map(|relevant| self.names.get(relevant));
            lessons.extend(known.map(|at| LearnedQuery {
                tool: self.ids[*at].clone(),
                query: query.query.clone(),
                embedding: meaning.clone(),
            }));
        }
        self.learned = LearnedQueries::new(lessons);
    }

    /// The positions of all matching tools, best first, with any score.
    pub(super) fn search(&self, text: &str) -> Vec<usize> {
        self.search_above(text, false)
    }

    /// Like [`Ranking::search`]; with a floor it omits results that users would not see.
    pub(super) fn search_above(&self, text: &str, has_floor: bool) -> Vec<usize> {
        let meaning = self.encoder.map(|encoder| QueryEmbedding::encode(encoder, text));
        let query = Query {
            profile: self.profile,
            limit: Query::MAX_LIMIT,
            embedding: meaning.as_ref(),
            learned: Some(&self.learned).filter(|value| !value.is_empty()),
            has_floor,
            ..Query::new(text)
        };
        self.index
            .search(&query)
            .iter()
            .filter_map(|item| self.places.get(&item.id).copied())
            .collect()
    }
}

fn index(tools: &[SetTool], ids: &[ToolId]) -> Index {
    let definitions: Vec<Arc<Tool>> =
        tools.iter().zip(ids).map(|(tool, id)| Arc::new(definition(tool, id))).collect();
    let documents =
        tools.iter().zip(&definitions).zip(1..).map(|((line, tool), stamp)| ToolDocument {
            tool,
            stamp,
            is_approved: true,
            source_description: line.server_description.as_deref().unwrap_or_default(),
        });
    Index::build(&documents.collect::<Vec<_>>())
}

fn definition(tool: &SetTool, id: &ToolId) -> Tool {
    let mut definition = Tool::new(id.clone());
    definition.description = tool.description.clone();
    if let Some(schema) = tool.input_schema.as_ref().filter(|input_schema| input_schema.is_object())
    {
        definition.input_schema = RawJson::from_value(schema);
    }
    definition
}

/// The built-in encoder, if semantic search is used; `None` in a program that was built without it.
fn encoder(how: How) -> Option<&'static dyn Encoder> {
    let wants_meaning = !how.lexical && how.profile == RankingProfile::Ranked;
    let encoder = wants_meaning.then(MiniLm::built_in)?.ok()?;
    Some(encoder)
}

fn with_vectors(index: &Index, encoder: &dyn Encoder) -> Index {
    let (stamps, texts): (Vec<TextStamp>, Vec<String>) =
        index.without_vector(encoder.id()).map(|(stamp, tool)| (stamp, encoded_text(tool))).unzip();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = encoder.encode_all(&texts);
    index.with_vectors(
        encoder.id(),
        stamps.into_iter().zip(vectors.iter().map(|vector| Vector::quantize(vector))),
    )
}
