//! Whether two tools are one and the same to who sees or calls them.

use toolscout_core::Tool;

/// Whether the two say the same, and may be called alike. Where and when they were seen does not matter: a source that is
/// asked again has looked again, and mostly found what it had.
pub fn alike(one: &Tool, other: &Tool) -> bool {
    if std::ptr::eq(one, other) {
        return true;
    }
    // Field by field, so that one that is new has to be decided about here.
    let Tool {
        id,
        title,
        description,
        keywords,
        input_schema,
        output_schema,
        annotations,
        extra,
        visibility,
        status,
        provenance,
        cli,
    } = one;
    (id, title, description, keywords) == (&other.id, &other.title, &other.description, &other.keywords)
        && (input_schema, output_schema) == (&other.input_schema, &other.output_schema)
        && (annotations, extra) == (&other.annotations, &other.extra)
        && (visibility, status, cli) == (&other.visibility, &other.status, &other.cli)
        && provenance.trusted == other.provenance.trusted
}
