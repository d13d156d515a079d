//! Whether two tools are equal for clients that see or call them.

use toolscout_core::Tool;

/// Whether the two have the same definition, and may be called in the same way. The place and time
/// of discovery do not matter: a new discovery mostly finds the same tools again.
pub fn is_equivalent(one: &Tool, other: &Tool) -> bool {
    if std::ptr::eq(one, other) {
        return true;
    }
    // Field by field, so that a new field requires a decision here.
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
    (id, title, description, keywords)
        == (&other.id, &other.title, &other.description, &other.keywords)
        && (input_schema, output_schema) == (&other.input_schema, &other.output_schema)
        && (annotations, extra) == (&other.annotations, &other.extra)
        && (visibility, status, cli) == (&other.visibility, &other.status, &other.cli)
        && provenance.trusted == other.provenance.trusted
}
