//! Prometheus' text format, line by line.

use std::fmt::{Display, Write as _};

/// What is written so far.
#[derive(Default)]
pub(super) struct MetricsPage {
    text: String,
    /// What the next lines are about.
    name: &'static str,
}

impl MetricsPage {
    pub(super) fn counter(&mut self, name: &'static str, help: &str) {
        self.begin(name, help, "counter");
    }

    pub(super) fn gauge(&mut self, name: &'static str, help: &str) {
        self.begin(name, help, "gauge");
    }

    pub(super) fn histogram(&mut self, name: &'static str, help: &str) {
        self.begin(name, help, "histogram");
    }

    fn begin(&mut self, name: &'static str, help: &str, kind: &str) {
        self.name = name;
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    pub(super) fn line(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.part("", labels, None, value);
    }

    /// A line of a histogram; `bound` is the label `le`.
    pub(super) fn part(&mut self, suffix: &str, labels: &[(&str, &str)], bound: Option<&str>, value: impl Display) {
        self.text += self.name;
        self.text += suffix;
        let labels = labels.iter().copied().chain(bound.map(|it| ("le", it)));
        for (at, (name, value)) in labels.clone().enumerate() {
            self.text += if at == 0 { "{" } else { "," };
            let _ = write!(self.text, "{name}=\"{}\"", escaped(value));
        }
        let close = if labels.count() == 0 { "" } else { "}" };
        let _ = writeln!(self.text, "{close} {value}");
    }

    pub(super) fn text(self) -> String {
        self.text
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_what_it_says_and_nothing_more() {
        let mut page = MetricsPage::default();
        page.counter("x_total", "What x is.");
        page.line(&[("a", "b\"} 9\n\\")], 1);
        page.line(&[], 2.5);
        page.part("_bucket", &[("a", "c")], Some("+Inf"), 3);
        let expected = "# HELP x_total What x is.\n# TYPE x_total counter\nx_total{a=\"b\\\"} 9\\n\\\\\"} 1\n\
            x_total 2.5\nx_total_bucket{a=\"c\",le=\"+Inf\"} 3\n";
        assert_eq!(page.text(), expected);
    }
}
