use super::{dead_links, has_warning};
use std::fs;

#[test]
fn a_dead_link_of_the_book_is_found() {
    let book = tempfile::tempdir().unwrap();
    fs::create_dir(book.path().join("guide")).unwrap();
    let write = |name: &str, text: &str| fs::write(book.path().join(name), text).unwrap();
    let index = "<a href=\"guide/a.html#one\"></a> <a href=\"guide/a.html#two\"></a> \
                 <a href=\"b.html\"></a> <link href=\"style.css\"> <a href=\"https://x.org/y\"></a>";
    write("index.html", index);
    write("style.css", "");
    write(
        "guide/a.html",
        "<h2 id=\"one\"></h2> <a href=\"../index.html\"></a> <a href=\"../../x.rs\"></a>",
    );
    assert_eq!(
        dead_links(book.path()).unwrap(),
        ["index.html: `b.html` leads nowhere", "index.html: `guide/a.html#two` leads nowhere"]
    );
}

#[test]
fn warnings_of_mdbook_are_found() {
    assert!(has_warning(" INFO Book building has started\n WARN unclosed HTML tag"));
    assert!(!has_warning(" INFO Book building has started"));
}
