//! No address nearer than the server is contacted, in any notation or resolution.

use super::super::reach::{Reach, ResolveName, is_secure};
use super::super::web::OAuthHttp;
use super::*;
use reqwest::Url;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn url(text: &str) -> Url {
    text.parse().expect("an address")
}

/// Resolves names from a table: `name=address,address`, separated by white space.
fn names(table: &'static str) -> ResolveName {
    Arc::new(move |name| {
        let line = table.split_whitespace().find_map(|word| word.strip_prefix(&format!("{name}=")));
        let found = line.map(|line| {
            line.split(',').map(|part| part.parse::<IpAddr>().expect("an address")).collect()
        });
        Box::pin(async move { found.ok_or_else(|| std::io::Error::other("no such name")) })
    })
}

async fn web(server: &str, names: ResolveName) -> OAuthHttp {
    OAuthHttp::new(Reach::for_server(&url(server), names, BTreeSet::new()).await)
}

async fn reach(server: &str) -> Reach {
    let names =
        names("public=203.0.113.9 private=10.0.0.1 mixed=10.0.0.1,203.0.113.9 here=127.0.0.1");
    Reach::for_server(&url(server), names, BTreeSet::new()).await
}

/// T31: all notations of addresses that a public server must not name.
#[tokio::test]
async fn a_public_server_cannot_name_private_addresses() {
    let hosts = "127.0.0.1 127.1 0177.0.0.1 0x7f.1 0x7f000001 2130706433 127.0.0.1. 0.0.0.0 0 [::1] [::] [::ffff:127.0.0.1]
        [::ffff:7f00:1] [0:0:0:0:0:ffff:a9fe:a9fe] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] 169.254.169.254
        169.254.43518 0xa9fea9fe 2852039166 0251.0376.0251.0376 [fe80::1] [fd00:ec2::254] [::ffff:169.254.169.254]
        10.0.0.1 10.1 012.0.0.1 0x0a000001 167772161 172.16.5.4 192.168.0.1 192.168.1 100.64.0.1 [fd00::1] [::ffff:10.0.0.1]
        168.63.129.16 localhost LOCALHOST localhost. a.localhost 255.255.255.255 224.0.0.1 １２７.0.0.1 127。0。0。1";
    let reach = reach("https://public/mcp").await;
    for host in hosts.split_whitespace() {
        let address = url(&format!("https://{host}:8443/token"));
        let error = reach.check(&address).expect_err(host);
        assert!(error.contains("less public than the server's own"), "{error}");
    }
    assert_eq!(reach.check(&url("https://8.8.8.8/token")), Ok(()));
    assert_eq!(reach.check(&url("https://anything.example/token")), Ok(()));
}

#[tokio::test]
async fn a_server_may_name_addresses_as_near_as_itself() {
    let nearest = async |server: &str| {
        let reach = reach(server).await;
        let allows = |text: &str| reach.check(&url(text)).is_ok();
        (
            allows("https://8.8.8.8/"),
            allows("https://10.0.0.7/"),
            allows("https://127.0.0.1/"),
            allows("https://169.254.169.254/"),
        )
    };
    assert_eq!(nearest("https://public/").await, (true, false, false, false));
    assert_eq!(nearest("https://unknown/").await, (true, false, false, false));
    assert_eq!(nearest("https://mixed/").await, (true, false, false, false));
    assert_eq!(nearest("https://private/").await, (true, true, false, false));
    assert_eq!(nearest("https://10.0.0.1/").await, (true, true, false, false));
    assert_eq!(nearest("http://localhost:1/").await, (true, true, true, true));
    assert_eq!(nearest("http://[::1]:1/").await, (true, true, true, true));
}

#[test]
fn only_this_machine_is_spoken_to_in_the_clear() {
    for text in ["https://h/", "http://localhost/", "http://127.8.8.8/", "http://[::1]/"] {
        assert!(is_secure(&url(text)), "{text}");
    }
    for text in [
        "http://h/",
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://localhost.evil/",
        "ftp://localhost/",
        "data:x",
    ] {
        assert!(!is_secure(&url(text)), "{text}");
    }
}

/// T31: a name is judged by its addresses at the moment of connecting.
#[tokio::test]
async fn a_name_that_resolves_to_loopback_is_not_contacted() {
    let canary = Authority::start().await;
    let port = url(&canary.base).port().expect("a port");
    let table = "public=203.0.113.9 trap=127.0.0.1 metadata=169.254.169.254 inner=10.0.0.1";
    let web = web("https://public/mcp", names(table)).await;
    for name in ["trap", "metadata", "inner"] {
        let Err(err) = web.read(&url(&format!("https://{name}:{port}/token"))).await else {
            panic!("connected to {name}")
        };
        assert!(err.to_string().contains(&format!("`{name}` resolves to")), "{err}");
    }
    assert_eq!(canary.paths(), [""; 0]);
}

/// T31: a server whose name resolves differently at the second lookup is contacted at the first
/// address.
#[tokio::test]
async fn the_servers_own_name_is_resolved_once() {
    let lookups = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lookups);
    let names: ResolveName = Arc::new(move |_| {
        let first = count.fetch_add(1, Ordering::SeqCst) == 0;
        let found: IpAddr = if first { [127, 0, 0, 1] } else { [203, 0, 113, 9] }.into();
        Box::pin(async move { Ok(vec![found]) })
    });
    let web = web("https://rebinding/mcp", names).await;
    // The port is closed, so the connection fails at once, and no remote host is contacted.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|bind| bind.local_addr())
        .expect("a port")
        .port();
    let Err(err) = web.read(&url(&format!("https://rebinding:{port}/"))).await else {
        panic!("connected to a closed port")
    };
    assert!(matches!(err, ClientError::Lost { .. }), "{err}");
    assert_eq!(lookups.load(Ordering::SeqCst), 1);
}
