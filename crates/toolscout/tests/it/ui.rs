//! 1. `toolscout ui` serves the page, says a link that signs in once, and answers `/api` to who came in by it.
//! 2. Where the page is served already, it asks for a link there, and ends.
//! 3. Mistakes on the command line say what to type.

use crate::browser::Site;
use crate::serve::Web;
use crate::world::World;
use serde_json::Value;

/// The answer to a `GET`, with these headers.
fn get(addr: &str, path: &str, headers: &[&str]) -> crate::serve::Answer {
    crate::serve::Client { addr: addr.to_owned() }.send("GET", path, headers, "")
}

/// Follows a link; gives the headers that a page sends from then on.
fn follow(link: &str) -> (String, Vec<String>) {
    let rest = link.strip_prefix("http://").unwrap_or_else(|| panic!("no address: {link}"));
    let (addr, path) = rest.split_once('/').expect("a path");
    let came = get(addr, &format!("/{path}"), &[]);
    assert_eq!(came.status, 303, "{came:?}");
    let place = came.header("location").unwrap_or_default();
    let key = place.strip_prefix("/#key=").unwrap_or_else(|| panic!("it leads to {place}"));
    let cookie = came.header("set-cookie").expect("a cookie");
    let cookie = cookie.split(';').next().unwrap_or_default();
    (addr.to_owned(), vec![format!("Cookie: {cookie}"), format!("X-Toolscout-Key: {key}")])
}

fn role(addr: &str, headers: &[String]) -> Option<String> {
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let answer = get(addr, "/api/me", &headers);
    let said: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    said["role"].as_str().map(str::to_owned)
}

fn link(said: &str) -> String {
    let link = said.lines().map(str::trim).find(|it| it.starts_with("http://"));
    link.unwrap_or_else(|| panic!("no link in {said}")).to_owned()
}

#[test]
fn the_link_signs_in_as_operator_once() {
    let world = World::trusted();
    let site = Site::open(&world);
    let (addr, headers) = follow(&site.link);
    assert_eq!(role(&addr, &headers).as_deref(), Some("operator"));
    for part in &headers {
        assert_eq!(role(&addr, std::slice::from_ref(part)), None, "{part} alone");
    }
    let path = site.link.split_once(&addr).expect("its path").1;
    assert_eq!(get(&addr, path, &[]).header("location").as_deref(), Some("/#link-used"));
    let page = get(&addr, "/", &[]);
    assert!(page.body.contains("<title>toolscout</title>"), "{page:?}");
}

#[test]
fn a_second_ui_asks_the_first_for_a_link() {
    let world = World::trusted();
    let site = Site::open(&world);
    // The first listens to other commands a moment after it listens to browsers.
    crate::servers::scene::until("the first is reached", || {
        let said = world.run(&["ui", "--no-open", "--dry-run"]).exits(0);
        assert!(said.err.contains("Would open the page"), "{said:?}");
        world.outside().join("state/run").read_dir().is_ok_and(|mut it| it.next().is_some())
    });
    let second = link(&world.run(&["ui", "--no-open"]).exits(0).err);
    assert_eq!(second.split('/').nth(2), site.link.split('/').nth(2), "the same address");
    let (addr, headers) = follow(&second);
    assert_eq!(role(&addr, &headers).as_deref(), Some("operator"));
}

#[test]
fn where_agents_are_served_over_http_the_page_is_part_of_that() {
    let world = World::trusted();
    for args in [&[][..], &["--auth", "none"]] {
        let web = Web::start(&world, args);
        crate::servers::scene::until("it is reached", || {
            world.outside().join("state/run").read_dir().is_ok_and(|mut it| it.next().is_some())
        });
        let (addr, headers) = follow(&link(&world.run(&["ui", "--no-open"]).exits(0).err));
        assert_eq!(addr, web.addr);
        assert_eq!(role(&addr, &headers).as_deref(), Some("operator"), "{args:?}");
        let nobody = if args.is_empty() { None } else { Some("agent") };
        assert_eq!(role(&addr, &[]).as_deref(), nobody, "{args:?}");
    }
}

#[test]
fn mistakes_say_what_to_type() {
    let world = World::trusted();
    world.run(&["ui", "--port", "http"]).exits(2).says(&["`http` is no port", "65535"]);
    let site = Site::open(&world);
    let taken = site.link.split(['/', ':']).nth(4).unwrap_or_default().to_owned();
    let other = World::trusted();
    other.run(&["ui", "--no-open", "--port", &taken]).exits(3).says(&["cannot listen on"]);
}
