//! Bar charts as SVG images, readable on light and dark pages.

use std::fmt::Write;

/// Grouped bars, one bar of each series per group.
pub(super) struct Plot {
    pub(super) title: String,
    /// The label of the axis, such as `nDCG@10`.
    pub(super) measure: String,
    pub(super) groups: Vec<String>,
    pub(super) series: Vec<Series>,
    /// The value at the upper edge.
    pub(super) most: f64,
}

pub(super) struct Series {
    pub(super) name: String,
    /// One value per group.
    pub(super) values: Vec<f64>,
    /// Whether it is highlighted with colour and figures.
    pub(super) is_ours: bool,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 76.0;
const BOTTOM: f64 = 44.0;
const RIGHT: f64 = 16.0;
/// The share of a group that is left empty.
const GAP: f64 = 0.18;

/// Light pages first, then dark. Other series are grey, so that ours stands out.
const STYLE: &str = "\
svg { font: 12px system-ui, sans-serif; }
.page { fill: #ffffff; } .text { fill: #1f2328; } .quiet { fill: #59636e; } .line { stroke: #d1d9e0; }
.other0 { fill: #d8dee4; } .other1 { fill: #b6bfc8; } .other2 { fill: #8c959f; } .ours0 { fill: #80b3ff; } .ours1 { fill: #0957d0; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; } .text { fill: #f0f6fc; } .quiet { fill: #9198a1; } .line { stroke: #3d444d; }
.other0 { fill: #30363d; } .other1 { fill: #484f58; } .other2 { fill: #6e7681; } .ours0 { fill: #1f6feb; } .ours1 { fill: #79c0ff; }
}";

impl Plot {
    pub(super) fn svg(&self) -> String {
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n\
             <style>\n{STYLE}\n</style>\n<rect class=\"page\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\n",
            escaped(&self.title)
        );
        self.text(
            &mut out,
            LEFT,
            24.0,
            "text",
            "start\" font-weight=\"600\" font-size=\"15",
            &self.title,
        );
        self.legend(&mut out);
        self.axis(&mut out);
        self.bars(&mut out);
        out.push_str("</svg>\n");
        out
    }

    fn legend(&self, out: &mut String) {
        let mut x = LEFT;
        for (series, class) in self.series.iter().zip(self.classes()) {
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" y=\"40\" width=\"12\" height=\"12\" rx=\"2\"/>"
            );
            self.text(out, x + 18.0, 50.0, "text", "start", &series.name);
            x += 36.0 + 6.6 * series.name.chars().count() as f64;
        }
    }

    fn axis(&self, out: &mut String) {
        for step in 0..=4 {
            let value = self.most * f64::from(step) / 4.0;
            let y = self.y(value);
            let _ = writeln!(
                out,
                "<line class=\"line\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
                WIDTH - RIGHT
            );
            self.text(out, LEFT - 8.0, y + 4.0, "quiet", "end", &short(value));
        }
        self.text(out, WIDTH - RIGHT, 24.0, "quiet", "end", &self.measure);
    }

    fn bars(&self, out: &mut String) {
        let group = (WIDTH - LEFT - RIGHT) / self.groups.len().max(1) as f64;
        let bar = group * (1.0 - GAP) / self.series.len().max(1) as f64;
        let classes = self.classes();
        for (at, name) in self.groups.iter().enumerate() {
            let start = LEFT + group * (at as f64 + GAP / 2.0);
            for (place, (series, class)) in self.series.iter().zip(&classes).enumerate() {
                let value = series.values.get(at).copied().unwrap_or_default();
                let (x, y) = (start + bar * place as f64, self.y(value));
                let height = (self.y(0.0) - y).max(0.0);
                let width = (bar - 1.0).max(1.0);
                let _ = writeln!(
                    out,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{}: {}</title></rect>",
                    escaped(&series.name),
                    short(value)
                );
                if series.is_ours && place + 1 == self.series.len() {
                    self.text(out, x + bar / 2.0, y - 5.0, "text", "middle", &short(value));
                }
            }
            self.text(
                out,
                LEFT + group * (at as f64 + 0.5),
                HEIGHT - BOTTOM + 20.0,
                "text",
                "middle",
                name,
            );
        }
    }

    /// The shades, by order among the others and among ours.
    fn classes(&self) -> Vec<String> {
        let (mut ours, mut others) = (0, 0);
        let all = self.series.iter().map(|series| {
            let (word, count) =
                if series.is_ours { ("ours", &mut ours) } else { ("other", &mut others) };
            *count += 1;
            format!("{word}{}", *count - 1)
        });
        all.collect()
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value / self.most.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
    }

    fn text(&self, out: &mut String, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        let text = escaped(text);
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }
}

fn short(value: f64) -> String {
    if value >= 10.0 || value == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
