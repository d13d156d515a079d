use super::*;

fn assert_all(wanted: Nearness, addresses: &str) {
    for text in addresses.split_whitespace() {
        assert_eq!(Nearness::from_ip(text.parse().expect("an address")), wanted, "{text}");
    }
}

#[test]
fn local_addresses_are_recognized_in_every_notation() {
    assert_all(
        Nearness::Here,
        "127.0.0.1 127.9.9.9 0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 224.0.0.1 255.255.255.255 240.0.0.1
         192.0.0.192 168.63.129.16 100.100.100.200 ::1 :: fe80::1 febf::1 fec0::1 ff02::1 fd00:ec2::254
         ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0 ::127.0.0.1 ::169.254.169.254
         ::ffff:0:127.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::127.0.0.1 2002:7f00:1:: 2002:a9fe:a9fe::1
         2001::1 2a00::5efe:7f00:1 fe80::200:5efe:10.0.0.1",
    );
}

#[test]
fn private_networks_are_recognized_in_every_notation() {
    assert_all(
        Nearness::Private,
        "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.0.1 198.18.0.1 198.19.0.1 fc00::1
         fd12::1 ::ffff:10.0.0.1 ::ffff:192.168.0.1 64:ff9b::10.0.0.1 2002:a00:1:: ",
    );
}

#[test]
fn the_rest_is_public() {
    assert_all(
        Nearness::Public,
        "8.8.8.8 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 192.0.1.1 198.17.0.1 198.20.0.1 2606:4700::1111
         ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::",
    );
}
