//! Texts in Rust code: string literals by the code around them, and doc comments of types with a
//! JSON Schema.

use super::{TextKind, UserText, is_sentence, translations};
use crate::check::is_cfg_test;
use anyhow::Context;
use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, LitStr, Macro, Meta};

pub(super) fn texts(file: &str, source: &str) -> anyhow::Result<Vec<UserText>> {
    let parsed = syn::parse_file(source).context("parse")?;
    let mut collector = Collector { file, around: Vec::new(), found: Vec::new() };
    collector.visit_file(&parsed);
    Ok(collector.found)
}

/// Crates whose texts are mostly reasons of errors.
const BELOW_SURFACES: [&str; 7] = [
    "toolscout-config/",
    "toolscout-encoder/",
    "toolscout-folder/",
    "toolscout-gateway/",
    "toolscout-mcp-client/",
    "toolscout-process/",
    "toolscout-store/",
];

/// Collects texts. `around` has the names of the calls, macros and fields around the current
/// place, the innermost last.
struct Collector<'a> {
    file: &'a str,
    around: Vec<String>,
    found: Vec<UserText>,
}

impl Collector<'_> {
    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.around.push(name);
        visit(self);
        self.around.pop();
    }

    fn add(&mut self, literal: &LitStr) {
        let is_log = self.kind() == TextKind::Logs;
        let is_shown = is_log || is_sentence(&literal.value());
        if !is_shown || self.around.iter().any(|name| is_internal(name)) {
            return;
        }
        let line = literal.span().start().line;
        self.found.push(UserText { kind: self.kind(), line, text: literal.value() });
    }

    fn kind(&self) -> TextKind {
        let is_in = |part: &str| self.file.contains(part);
        let by_place = if is_in("/doctor") {
            Some(TextKind::Doctor)
        } else if is_in("toolscout-telemetry/src/metrics") {
            Some(TextKind::Metrics)
        } else {
            None
        };
        let by_name = || self.around.iter().rev().find_map(|name| kind_of_name(name));
        let by_file = || {
            if is_in("error") {
                TextKind::Errors
            } else if is_in("toolscout-surface/src/mcp/") || is_in("/skill") {
                TextKind::Agents
            } else if is_in("/api/") {
                TextKind::Api
            } else if is_in("progress") || is_in("notes") || is_in("/findings") {
                TextKind::Notes
            } else if is_in("toolscout/src/line.rs") {
                TextKind::Help
            } else if BELOW_SURFACES.iter().any(|name| is_in(name)) {
                TextKind::Errors
            } else {
                TextKind::Output
            }
        };
        by_place.or_else(by_name).unwrap_or_else(by_file)
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(literal) = syn::parse2::<LitStr>(TokenTree::Literal(literal).into()) {
                        self.add(&literal);
                    }
                }
                _ => {}
            }
        }
    }

    /// Doc comments of a type with a JSON Schema, and of its fields and variants.
    fn add_docs(&mut self, attributes: &[Attribute], kind: TextKind) {
        let docs: Vec<(usize, String)> = attributes.iter().filter_map(doc_line).collect();
        let Some((line, _)) = docs.first() else { return };
        let text = docs.iter().map(|(_, text)| text.trim()).collect::<Vec<_>>().join(" ");
        self.found.push(UserText { kind, line: *line, text });
    }

    fn add_schema(&mut self, item: &Item) {
        let (attributes, name) = match item {
            Item::Struct(item) => (&item.attrs, &item.ident),
            Item::Enum(item) => (&item.attrs, &item.ident),
            _ => return,
        };
        if !derives(attributes, "JsonSchema") {
            return;
        }
        let kind = if self.file.contains("toolscout-config") {
            TextKind::Settings
        } else if name.to_string().ends_with("Input") {
            TextKind::Help
        } else {
            TextKind::Api
        };
        self.add_docs(attributes, kind);
        let fields = match item {
            Item::Struct(item) => item.fields.iter().map(|field| &field.attrs).collect(),
            Item::Enum(item) => item.variants.iter().map(|variant| &variant.attrs).collect(),
            _ => Vec::new(),
        };
        fields.into_iter().for_each(|attributes| self.add_docs(attributes, kind));
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if attributes(item).iter().any(is_cfg_test) {
            return;
        }
        self.add_schema(item);
        visit::visit_item(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if attribute.path().is_ident("error")
            && let Meta::List(list) = &attribute.meta
        {
            self.within("error".to_owned(), |this| this.add_tokens(list.tokens.clone()));
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.add(literal);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        if name.as_deref() == Some("table") {
            self.found.extend(translations::of_table(call.tokens.clone()));
            return;
        }
        // Arguments as of `vec!` and `format!`; other macros have a syntax of their own.
        let arguments = call.parse_body_with(Punctuated::<Expr, syn::Token![,]>::parse_terminated);
        self.within(name.unwrap_or_default() + "!", |this| match arguments {
            Ok(arguments) => {
                // Expressions of a macro live as long as this call.
                let mut inner =
                    Collector { file: this.file, around: this.around.clone(), found: Vec::new() };
                arguments.iter().for_each(|argument| inner.visit_expr(argument));
                this.found.extend(inner.found);
            }
            Err(_) => this.add_tokens(call.tokens.clone()),
        });
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let name = match &*call.func {
            Expr::Path(path) => names(&path.path),
            _ => String::new(),
        };
        self.visit_expr(&call.func);
        self.within(name, |this| call.args.iter().for_each(|argument| this.visit_expr(argument)));
    }

    /// The arguments are within the call, and the receiver is not.
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        let name = call.method.to_string();
        self.within(name, |this| call.args.iter().for_each(|argument| this.visit_expr(argument)));
    }

    fn visit_expr_struct(&mut self, item: &'ast syn::ExprStruct) {
        self.within(names(&item.path), |this| visit::visit_expr_struct(this, item));
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        let name = match &field.member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(_) => String::new(),
        };
        self.within(name, |this| visit::visit_field_value(this, field));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let name = match &local.pat {
            syn::Pat::Ident(name) => name.ident.to_string(),
            _ => String::new(),
        };
        self.within(name, |this| visit::visit_local(this, local));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within(item.ident.to_string(), |this| visit::visit_item_const(this, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !item.attrs.iter().any(is_cfg_test) {
            self.within(item.sig.ident.to_string(), |this| visit::visit_item_fn(this, item));
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(item.sig.ident.to_string(), |this| visit::visit_impl_item_fn(this, item));
    }
}

/// Whether a literal in such a call is for maintainers only.
fn is_internal(name: &str) -> bool {
    let name = name.trim_end_matches('!');
    matches!(name, "expect" | "panic" | "unreachable" | "todo" | "cfg" | "include_str" | "concat")
        || name.starts_with("assert")
        || name.starts_with("debug_assert")
}

/// The kind of literals within a call, field or function of this name.
fn kind_of_name(name: &str) -> Option<TextKind> {
    let last = name.rsplit("::").next().unwrap_or(name);
    let lower = name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    if matches!(last, "trace!" | "debug!" | "info!" | "warn!" | "error!" | "event!" | "info_span!")
    {
        Some(TextKind::Logs)
    } else if has(&["commandspec", "optionspec", "positionalspec", "operationspec", "commandname"])
        || matches!(last, "summary" | "about" | "notes" | "examples" | "example" | "option")
    {
        Some(TextKind::Help)
    } else if has(&["error", "hint", "bail", "invalid", "unavailable", "refus", "denied", "fault"])
        || matches!(last, "anyhow!" | "ensure!" | "context" | "with_context" | "failure")
        || matches!(last, "Err" | "map_err" | "ok_or" | "ok_or_else")
    {
        Some(TextKind::Errors)
    } else if has(&["diagnostic", "warn", "note", "progress", "problem", "report", "eprint"]) {
        Some(TextKind::Notes)
    } else if matches!(last, "description" | "descriptions") {
        Some(TextKind::Api)
    } else {
        None
    }
}

fn names(path: &syn::Path) -> String {
    let names: Vec<String> =
        path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

fn doc_line(attribute: &Attribute) -> Option<(usize, String)> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let Expr::Lit(literal) = &meta.value else { return None };
    let syn::Lit::Str(text) = &literal.lit else { return None };
    meta.path.is_ident("doc").then(|| (attribute.span().start().line, text.value()))
}

fn derives(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("derive") => {
            let mut tokens = list.tokens.clone().into_iter();
            tokens.any(|token| matches!(token, TokenTree::Ident(ident) if ident == name))
        }
        _ => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    }
}
