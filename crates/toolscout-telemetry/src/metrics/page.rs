//! Prometheus' text format, line by line.

#[cfg(test)]
mod tests;

use std::fmt::{Display, Write as _};

/// The text rendered so far.
#[derive(Default)]
pub(super) struct MetricsPage {
    text: String,
    /// The metric family of the lines that follow.
    name: &'static str,
}

impl MetricsPage {
    pub(super) fn counter(&mut self, name: &'static str, help: &str) {
        self.start_metric(name, help, "counter");
    }

    pub(super) fn gauge(&mut self, name: &'static str, help: &str) {
        self.start_metric(name, help, "gauge");
    }

    pub(super) fn histogram(&mut self, name: &'static str, help: &str) {
        self.start_metric(name, help, "histogram");
    }

    fn start_metric(&mut self, name: &'static str, help: &str, kind: &str) {
        self.name = name;
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    pub(super) fn line(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.sample("", labels, None, value);
    }

    /// Writes a line with a suffix on the metric name; `bound` is the label `le` of a histogram.
    pub(super) fn sample(
        &mut self,
        suffix: &str,
        labels: &[(&str, &str)],
        bound: Option<&str>,
        value: impl Display,
    ) {
        self.text += self.name;
        self.text += suffix;
        let labels = labels.iter().copied().chain(bound.map(|bound| ("le", bound)));
        for (at, (name, value)) in labels.clone().enumerate() {
            self.text += if at == 0 { "{" } else { "," };
            let _ = write!(self.text, "{name}=\"{}\"", escape_label(value));
        }
        let close = if labels.count() == 0 { "" } else { "}" };
        let _ = writeln!(self.text, "{close} {value}");
    }

    pub(super) fn text(self) -> String {
        self.text
    }
}

fn escape_label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
