//! Proves that
//! 1. the repository passes each of its own checks,
//! 2. each check finds its problem.

use super::dependencies::DependencyRules;
use super::{
    arrows, cases, cycles, dependencies, designs, leaks, links, names, prose, signs, threats,
};
use crate::repo;
use cargo_metadata::DependencyKind::{self, Build, Development, Normal};

#[test]
fn crates_depend_only_on_allowed_crates() {
    assert_eq!(arrows::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn no_sibling_modules_use_each_other_in_a_circle() {
    assert_eq!(cycles::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn every_case_is_listed_and_named_by_a_test() {
    assert_eq!(cases::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn ids_of_cases_are_told_from_other_words() {
    let found: Vec<&str> =
        cases::ids("D-13, (T22) and S7: not UTF-8, P-256, B-2, T-shirt, S100 or XD-13; M-01b")
            .collect();
    assert_eq!(found, ["D-13", "T22", "S7", "M-01b"]);
    let list = "| id | input |\n|---|---|\n| A-01 | see B-02 |\n| tool | x |\n| S16 | y |\n";
    assert_eq!(cases::cases(list).collect::<Vec<_>>(), ["A-01", "S16"]);
}

#[test]
fn every_license_is_allowed() {
    assert_eq!(dependencies::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn licenses_registries_and_bans_are_checked() {
    let rules = DependencyRules::parse(
        "[licenses]\nallow = ['MIT', 'ISC']\n[bans]\ndeny = [{ crate = 'bad' }]\n[sources]\nallow-registry = ['https://good']",
    )
    .unwrap();
    let good = Some("registry+https://good");
    for license in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR ISC", "MIT AND ISC"] {
        assert_eq!(rules.violations("a", Some(license), good), Vec::<String>::new());
    }
    for license in ["GPL-3.0", "MIT AND GPL-3.0", "my own", ""] {
        let found = rules.violations("a", Some(license), good);
        assert_eq!(found, [format!("`a` has the license `{license}`")]);
    }
    assert_eq!(rules.violations("a", None, None), ["`a` has the license `none`"]);
    assert_eq!(rules.violations("bad", Some("MIT"), good), ["`bad` is banned in deny.toml"]);
    for source in ["registry+https://evil", "git+https://good"] {
        let found = rules.violations("a", Some("MIT"), Some(source));
        assert_eq!(found, [format!("`a` comes from `{source}`")]);
    }
}

#[test]
fn every_claim_of_the_threat_model_names_existing_tests() {
    assert_eq!(threats::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn claims_without_tests_are_found() {
    let tests = ["one".to_owned()].into_iter().collect();
    let page =
        "| claim | shown by |\n|---|---|\n| a | `one` |\n| b | `two` |\n| c | no test |\n| d |\n";
    let name = "docs/guide/threat-model.md";
    assert_eq!(
        threats::findings(page, &tests),
        [
            format!("{name}: there is no test `two`"),
            format!("{name}: no test shows `c`"),
            format!("{name}: a row needs a claim and its tests: | d |"),
        ]
    );
    assert_eq!(threats::findings("", &tests), [format!("{name}: there are no claims")]);
}

#[test]
fn every_feature_of_the_designs_names_existing_tests() {
    assert_eq!(designs::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn missing_tests_and_wrong_numbers_of_features_are_found() {
    let code =
        "#[test]\nfn one() {}\n#[tokio::test(flavor = \"x\")]\nasync fn two() {}\nfn three() {}";
    let tests = designs::names_of_tests(code);
    assert_eq!(tests, ["one", "two"]);
    let page = "All 3 features are here.\n## 0: 2 features\n| feature | where | shown by |\n|---|---|---|\n\
                | a | x | `one`, `two` |\n| b | y | B-22 |\n## 1: 2 features\n| c | z | `three` |\n| d | z | none |\n\
                | e | z | `one` |\n";
    assert_eq!(
        designs::findings(page, &tests.into_iter().collect()),
        [
            "docs/reference/designs.md: there is no test `three`",
            "docs/reference/designs.md: no test shows `d`",
            "docs/reference/designs.md: `1: 2 features` has 3 rows",
            "docs/reference/designs.md: the text does not name the number of all rows, 5",
        ]
    );
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    assert_eq!(links::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn every_source_file_opens_with_a_sentence() {
    assert_eq!(signs::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn no_file_holds_a_path_of_one_machine() {
    assert_eq!(leaks::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn no_name_in_the_code_is_retired() {
    assert_eq!(names::check(repo::root()).unwrap(), Vec::<String>::new());
}

#[test]
fn no_phrase_in_the_prose_is_retired() {
    assert_eq!(prose::check(repo::root()).unwrap(), Vec::<String>::new());
}

fn broken(from: &str, to: &str) -> Option<String> {
    broken_as(Normal, from, to)
}

fn broken_as(kind: DependencyKind, from: &str, to: &str) -> Option<String> {
    arrows::broken(&arrows::Arrow { from: from.to_owned(), to: to.to_owned(), kind })
}

#[test]
fn arrows_run_in_one_direction() {
    assert_eq!(broken("toolscout-surface", "toolscout-gateway"), None);
    assert_eq!(broken("toolscout", "toolscout-source"), None);
    for hidden in [
        "toolscout-source",
        "toolscout-folder",
        "toolscout-mcp-client",
        "toolscout-catalog",
        "toolscout-store",
        "toolscout-index",
    ] {
        assert_eq!(
            broken("toolscout-surface", hidden),
            Some(format!("`toolscout-surface` must not know `{hidden}`"))
        );
    }
    assert!(broken("toolscout-core", "toolscout-index").is_some());
    assert!(broken("toolscout-gateway", "toolscout-source").is_some());
}

#[test]
fn a_crate_for_tests_is_used_by_tests_only() {
    assert_eq!(broken_as(Development, "toolscout-mcp-client", "toolscout-hostile"), None);
    for kind in [Normal, Build] {
        assert_eq!(
            broken_as(kind, "toolscout", "toolscout-hostile").as_deref(),
            Some("`toolscout` may use `toolscout-hostile` in its tests only")
        );
    }
    assert!(broken_as(Development, "toolscout-core", "toolscout-hostile").is_some());
    assert!(broken_as(Development, "toolscout-hostile", "toolscout-core").is_some());
}

#[test]
fn libraries_are_used_only_by_their_crates() {
    assert_eq!(broken("toolscout-store", "rusqlite"), None);
    assert_eq!(broken("toolscout-gateway", "tokio"), None);
    assert_eq!(
        broken("toolscout", "rusqlite").as_deref(),
        Some("`toolscout` uses `rusqlite`, which lives in `toolscout-store` only")
    );
    assert_eq!(
        broken("toolscout-index", "tokio").as_deref(),
        Some("`toolscout-index` must stay pure, and uses `tokio`")
    );
    assert!(broken("toolscout-gateway", "reqwest").is_some());
}

#[test]
fn a_version_outside_the_workspace_table_is_found() {
    let manifest = r#"
        [dependencies]
        serde.workspace = true
        regex = "1"
        [target.'cfg(unix)'.dev-dependencies]
        nix = { version = "0.30" }
    "#;
    let found = arrows::own_versions("x", &manifest.parse().unwrap());
    assert_eq!(found.len(), 2);
    assert!(found[0].contains("`regex`") && found[1].contains("`nix`"));
}

#[test]
fn links_in_code_are_not_links() {
    let page =
        "see [a](a.md) and [b](docs/b.md#top \"title\")\n```text\n[c](c.md)\n```\nnor `[d](d.md)`";
    assert_eq!(links::links(page), ["a.md", "docs/b.md#top"]);
}

#[test]
fn a_page_that_is_not_in_the_summary_is_found() {
    let pages = ["SUMMARY.md", "a.md", "guide/b.md"].map(str::to_owned);
    let summary = "# Summary\n[A](a.md)\n- [B](guide/b.md)\n";
    assert_eq!(links::not_in_summary(summary, &pages), [""; 0]);
    let found = links::not_in_summary("[A](a.md)\n[A](a.md)", &pages);
    assert_eq!(
        found,
        ["docs/SUMMARY.md: lists `a.md` 2 times", "docs/SUMMARY.md: lists `guide/b.md` 0 times"]
    );
}

#[test]
fn a_link_from_the_guide_to_a_source_file_is_found() {
    assert!(links::leaves_book("docs/guide/a.md", "../../demo/README.md").is_some());
    assert_eq!(links::leaves_book("docs/guide/a.md", "../reference/b.md"), None);
    assert_eq!(links::leaves_book("docs/measurements/a.md", "../../xtask/src/main.rs"), None);
}

#[test]
fn headings_are_linked_to_as_forges_do_it() {
    let page =
        "# The `house`\n## Run inputs: stdin, args, env\n```sh\n# not a heading\n```\n## The house";
    assert_eq!(links::anchors(page), ["the-house", "run-inputs-stdin-args-env", "the-house-1"]);
}

#[test]
fn a_file_without_a_sign_is_found() {
    assert_eq!(signs::fault("crates/x/src/a.rs", "//! Ranks tools against a question.\n"), None);
    assert_eq!(signs::fault("crates/x/src/a/tests.rs", "use super::*;"), None);
    assert!(signs::fault("crates/x/src/a.rs", "use std::fs;").is_some());
    assert!(signs::fault("crates/x/src/a.rs", "").is_some());
    assert!(
        signs::fault("crates/x/src/a/mod.rs", "//! Ranks tools against a question.\n").is_some()
    );
}

#[test]
fn a_path_of_one_machine_is_found_and_an_example_is_not() {
    // Built at run time, so that this file does not contain the forbidden path.
    let checkout = ["", "home", "jdoe", "toolscout"].join("/");
    assert_eq!(
        leaks::leak(&format!("see {checkout}, please")),
        Some(format!("`{checkout}` is a path of one machine"))
    );
    assert_eq!(leaks::leak("for example /home/me/project"), None);
    assert_eq!(leaks::leak("docs/work/plan.md, $HOME/work/x, https://example.com/home/page"), None);
    assert!(leaks::leak(&format!("{} ours", "<".repeat(7))).is_some());
}

#[test]
fn a_cycle_is_named_with_the_lines_that_make_it() {
    let file = |module: &[&str], text: &str| {
        (
            module.iter().map(|module| (*module).to_owned()).collect(),
            format!("{}.rs", module.join("/")),
            text.to_owned(),
        )
    };
    let files = [
        file(&[], "mod a;\nmod b;"),
        file(&["a"], "use crate::{b::Two, a::own};\nmod deep;"),
        file(&["a", "deep"], "// A child may use its parent.\nuse super::One;"),
        file(
            &["b"],
            "mod c;\n#[cfg(test)]\nuse crate::a::Only;\npub fn two() -> super::a::One { todo!() }",
        ),
        file(&["b", "c"], "use super::super::a::deep;"),
    ];
    let found = cycles::cycles_of_crate("x", &files).unwrap();
    assert_eq!(
        found,
        [
            "the modules of `x` use each other in a circle: a -> b -> a\n    a.rs:1: crate::b::Two\n    b.rs:4: super::a::One"
        ]
    );
    assert!(cycles::cycles_of_crate("x", &files[..3]).unwrap().is_empty());
}

#[test]
fn a_retired_type_name_is_found() {
    let code =
        "pub(crate) struct Witness;\nenum Diagnostic {}\nfn f() -> Witness {}\ntype Shelf = u8;";
    let found: Vec<usize> = names::faults(code).into_iter().map(|(line, _)| line).collect();
    assert_eq!(found, [1, 4]);
}

#[test]
fn a_match_on_a_bool_is_found() {
    let fault = |code: &str| names::faults(code).len();
    assert_eq!(fault("match a.b(|c| c) {\n    true => 1,\n    false => 2,\n}"), 1);
    assert_eq!(fault("match a { false => 1, _ => 2 }"), 1);
    assert_eq!(fault("match a { (true, _) => 1, _ => 2 }; match b { Some(true) => 1, _ => 2 }"), 0);
    assert_eq!(fault("match a { truest => 1 }"), 0);
}

#[test]
fn a_closure_of_it_in_another_is_found() {
    let fault = |code: &str| names::faults(code).len();
    assert_eq!(fault("a.map(|it| it.b.map(|it| it.c))"), 1);
    assert_eq!(fault("a.map(|it| it.b).map(|it| it.c)"), 0);
    assert_eq!(fault("f(|it| it.b, |it| it.c); let d = |it| it.e; g(|it| it)"), 0);
}

#[test]
fn it_is_rare_in_product_code() {
    let uses = |count: usize| vec![(count, "a.rs".to_owned()), (0, "b.rs".to_owned())];
    assert_eq!(names::too_much_it(uses(5), 1000), None);
    let found = names::too_much_it(uses(6), 1000).unwrap();
    assert!(found.starts_with("`it` 6 times in 1,000 lines, at most 5"), "{found}");
}
