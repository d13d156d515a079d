//! Labels of metrics.

use super::*;

#[test]
fn label_values_are_escaped() {
    let mut page = MetricsPage::default();
    page.counter("x_total", "What x is.");
    page.line(&[("a", "b\"} 9\n\\")], 1);
    page.line(&[], 2.5);
    page.sample("_bucket", &[("a", "c")], Some("+Inf"), 3);
    let expected = "# HELP x_total What x is.\n# TYPE x_total counter\nx_total{a=\"b\\\"} 9\\n\\\\\"} 1\n\
        x_total 2.5\nx_total_bucket{a=\"c\",le=\"+Inf\"} 3\n";
    assert_eq!(page.text(), expected);
}
