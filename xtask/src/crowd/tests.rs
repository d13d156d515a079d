use super::greed::BEHAVIORS;
use super::measure;
use crate::hostile::build;

/// The short form of the campaign.
#[test]
fn no_call_of_an_honest_client_is_refused_beside_a_greedy_one() {
    let Some(programs) = build::beside_us() else { return };
    let _alone = crate::repo::CAMPAIGN.lock();
    for behavior in BEHAVIORS {
        for has_same_token in [true, false] {
            let row = measure(&programs, behavior, has_same_token, 10).unwrap();
            assert_eq!((row.alone.refused, row.beside.refused), (0, 0), "{row:?}");
        }
    }
}
