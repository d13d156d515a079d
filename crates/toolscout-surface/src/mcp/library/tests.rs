use super::template::fits;

#[test]
fn a_uri_matches_the_templates_that_can_expand_to_it() {
    for (template, uri) in [
        ("file:///{path}", "file:///a/b"),
        ("db://{table}/{id}/row", "db://users/7/row"),
        ("test://template/{id}/data", "test://template/123/data"),
        ("x://{a}{b}", "x://12"),
        ("x://plain", "x://plain"),
        ("x://{?q}", "x://?q=1"),
    ] {
        assert!(fits(template, uri), "{uri} is of {template}");
    }
    for (template, uri) in [
        ("file:///{path}", "http:///a"),
        ("db://{table}/{id}/row", "db://users/7"),
        ("db://{table}/{id}/row", "db://users/7/rows"),
        ("x://plain", "x://plain2"),
        ("x://{broken", "x://1"),
        ("", "x://1"),
    ] {
        assert!(!fits(template, uri), "{uri} is not of {template}");
    }
}
