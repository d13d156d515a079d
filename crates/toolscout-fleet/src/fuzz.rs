//! Fuzz targets. Each panics if a property of the code does not hold for an input.

use crate::{FleetKey, FleetKeys};

/// Reads the keys of a fleet and a wrapped data key. A key keeps its text form; a wrapped key that
/// was not written with the fleet key is refused.
pub fn fleet(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(keys) = FleetKeys::parse(&text) {
        let again = FleetKeys::parse(&keys.current.to_text()).expect("a written key can be read");
        assert!(again.current == keys.current && again.other.is_none());
        assert_eq!(format!("{:?}", keys.current), "FleetKey");
        assert!(keys.unwrap(bytes).is_err());
    }
    let key = FleetKey::generate().expect("random numbers");
    assert!(key.unwrap(bytes).is_none());
    if let Ok(data_key) = bytes.try_into() {
        let mut wrapped = key.wrap(data_key).expect("the key can be wrapped");
        assert_eq!(key.unwrap(&wrapped).as_ref(), Some(data_key));
        let at = usize::from(data_key[0]) % wrapped.len();
        wrapped[at] ^= 1;
        assert!(key.unwrap(&wrapped).is_none());
    }
}

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("fleet", super::fleet);
    }
}
