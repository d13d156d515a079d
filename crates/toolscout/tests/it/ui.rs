//! 1. `toolscout ui` serves the UI, prints a sign-in link that works once, and accepts `/api`
//!    requests of that browser session.
//! 2. If the UI is already served, it requests a link from that process and exits.
//! 3. Errors about the command line contain a hint.

use crate::browser::Site;
use crate::serve::Web;
use crate::world::World;
use serde_json::Value;

/// The response to a `GET` with these headers.
fn get(addr: &str, path: &str, headers: &[&str]) -> crate::serve::HttpResponse {
    crate::serve::Client { addr: addr.to_owned() }.send("GET", path, headers, "")
}

/// Follows a sign-in link; returns the address and the headers that the UI sends from then on.
fn follow(link: &str) -> (String, Vec<String>) {
    let rest = link.strip_prefix("http://").unwrap_or_else(|| panic!("no address: {link}"));
    let (addr, path) = rest.split_once('/').expect("a path");
    let response = get(addr, &format!("/{path}"), &[]);
    assert_eq!(response.status, 303, "{response:?}");
    let location = response.header("location").unwrap_or_default();
    let key = location.strip_prefix("/#key=").unwrap_or_else(|| panic!("redirected to {location}"));
    let cookie = response.header("set-cookie").expect("a cookie");
    let cookie = cookie.split(';').next().unwrap_or_default();
    (addr.to_owned(), vec![format!("Cookie: {cookie}"), format!("X-Toolscout-Key: {key}")])
}

fn role(addr: &str, headers: &[String]) -> Option<String> {
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let answer = get(addr, "/api/me", &headers);
    let output: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    output["role"].as_str().map(str::to_owned)
}

fn link(output: &str) -> String {
    let link = output.lines().map(str::trim).find(|line| line.starts_with("http://"));
    link.unwrap_or_else(|| panic!("no link in {output}")).to_owned()
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
fn a_second_ui_gets_its_link_from_the_first() {
    let world = World::trusted();
    let site = Site::open(&world);
    // The first process opens its control socket shortly after its HTTP port.
    crate::servers::fixture::wait_until("the first process can be reached", || {
        let output = world.run(&["ui", "--no-open", "--dry-run"]).exits(0);
        assert!(output.err.contains("Would open the web UI of this project"), "{output:?}");
        world.temp_dir().join("state/run").read_dir().is_ok_and(|mut dir| dir.next().is_some())
    });
    let second = link(&world.run(&["ui", "--no-open"]).exits(0).out);
    assert_eq!(second.split('/').nth(2), site.link.split('/').nth(2), "the same address");
    let (addr, headers) = follow(&second);
    assert_eq!(role(&addr, &headers).as_deref(), Some("operator"));
}

#[test]
fn serve_over_http_includes_the_ui() {
    let world = World::trusted();
    for args in [&[][..], &["--auth", "none"]] {
        let web = Web::start(&world, args);
        crate::servers::fixture::wait_until("the process can be reached", || {
            world.temp_dir().join("state/run").read_dir().is_ok_and(|mut dir| dir.next().is_some())
        });
        let (addr, headers) = follow(&link(&world.run(&["ui", "--no-open"]).exits(0).out));
        assert_eq!(addr, web.addr);
        assert_eq!(role(&addr, &headers).as_deref(), Some("operator"), "{args:?}");
        let expected = if args.is_empty() { None } else { Some("agent") };
        assert_eq!(role(&addr, &[]).as_deref(), expected, "{args:?}");
    }
}

#[test]
fn usage_errors_of_ui_suggest_a_fix() {
    let world = World::trusted();
    world
        .run(&["ui", "--port", "http"])
        .exits(2)
        .stderr_contains(&["`http` is not a port", "65535"]);
    let site = Site::open(&world);
    let taken = site.link.split(['/', ':']).nth(4).unwrap_or_default().to_owned();
    let other = World::trusted();
    other
        .run(&["ui", "--no-open", "--port", &taken])
        .exits(3)
        .stderr_contains(&["cannot listen on"]);
}
