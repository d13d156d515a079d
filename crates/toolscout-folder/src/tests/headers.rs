//! Headers: the comment at the top of a script.

use super::{World, listing};
use crate::header;
use crate::recipe::ArgumentPassing;
use toolscout_core::{Status, Visibility};

const DISK: &str = r#"#!/usr/bin/env bash
# Copyright somebody.

# tool: disk-usage
# title: Disk usage
# description: How full the disks are,
#   and which folders fill them
# keywords: disk, space , du
# visibility: listed
# Usage: prose like this is passed over
# param path string required - Where - really - to look
# param depth int default=2 - How many levels
# param format string enum=table|json default=table
# param label string default="all of it" - With a "quoted" word
# param skip array:string default=["a"]
# input: args
# timeout: 90s
# env: DU_BLOCK_SIZE, LC_ALL
du "$@"
# tool: not-this-one
"#;

/// B-10: the name is preserved as a whole.
#[tokio::test]
async fn a_header_describes_a_plain_script() {
    let world = World::new();
    world.script("tools/du.sh", DISK);
    let found = listing(&world.source()).await;
    let [tool] = found.tools()[..] else { panic!("{}", world.show(&found)) };
    assert_eq!(tool.id.name.as_str(), "disk-usage");
    assert_eq!(tool.status, Status::Ready);
    assert_eq!(tool.title.as_deref(), Some("Disk usage"));
    assert_eq!(
        tool.description.as_deref(),
        Some("How full the disks are, and which folders fill them")
    );
    assert_eq!(tool.keywords, ["disk", "space", "du"]);
    assert_eq!(tool.visibility, Visibility::Listed);
    assert_eq!(
        tool.input_schema.as_str(),
        r#"{"type":"object","properties":{"path":{"type":"string","description":"Where - really - to look"},"depth":{"type":"integer","description":"How many levels","default":2},"format":{"type":"string","enum":["table","json"],"default":"table"},"label":{"type":"string","description":"With a \"quoted\" word","default":"all of it"},"skip":{"type":"array","items":{"type":"string"},"default":["a"]}},"required":["path"]}"#
    );
    let header = header::read(DISK).expect("a header").expect("the header is valid");
    assert_eq!(header.input, Some(ArgumentPassing::Args(vec![])));
    assert_eq!(header.tool.timeout_ms, Some(90_000));
    assert_eq!(header.env, ["DU_BLOCK_SIZE", "LC_ALL"]);
}

#[test]
fn a_header_may_use_the_comments_of_its_language() {
    for text in [
        "// tool: a\n",
        "-- tool: a\n",
        "\u{feff}# tool: a\r\n",
        "#!/usr/bin/env node\n\n// tool: a",
    ] {
        assert!(header::read(text) != Ok(None), "{text:?}");
    }
    for text in [
        "",
        "#!/bin/sh\necho\n# tool: late\n",
        "// # tool: a",
        "/* tool: a */",
        "tool: a",
        "# tools: a\n",
    ] {
        assert!(header::read(text) == Ok(None), "{text:?}");
    }
}

#[test]
fn each_mistake_in_a_header_has_its_line_and_reason() {
    let cases = [
        ("# tool:\n", "header, line 1: `tool:` has no name"),
        ("# tool: a\n# tool: b\n", "header, line 2: `tool:` occurs twice"),
        (
            "# tool: a\n# descripton: b\n",
            "header, line 2: unknown key `descripton:`; did you mean `description`?",
        ),
        (
            "# tool: a\n# visibility: no\n",
            "header, line 2: `visibility` is `no`; it must be `listed` or `searchable`",
        ),
        (
            "# tool: a\n# timeout: 3 weeks\n",
            "header, line 2: `timeout` is `3 weeks`; write it as `500ms`, `30s` or `2m`, a day at most",
        ),
        (
            "# tool: a\n# param x strng\n",
            "header, line 2: parameter `x`: `strng` is not a type; did you mean `string`? valid types: string, number, integer, boolean, object, array, int, float, bool, array:TYPE",
        ),
        (
            "# tool: a\n# param x string mandatory\n",
            "header, line 2: parameter `x`: unexpected `mandatory`; a description starts with ` - `",
        ),
        ("# tool: a\n# param x string default=\"y\n", "header, line 2: unclosed double quote"),
        ("# tool: a\n# param x\n# param x\n", "header: duplicate parameter `x`"),
    ];
    for (text, expected) in cases {
        assert_eq!(header::read(text), Err(expected.to_owned()));
    }
}
