use super::options::Options;
use super::texts;

fn parse(words: &[&str]) -> Result<Options, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    Options::parse(&words).map_err(|err| err.to_string())
}

#[test]
fn words_become_options() {
    assert_eq!(parse(&[]), Ok(Options::default()));
    let options =
        parse(&["--check", "--weights", "a.whl", "--texts", "b"]).expect("the options are valid");
    assert_eq!(
        options,
        Options { weights: Some("a.whl".into()), is_check: true, texts: Some("b".into()) }
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(parse(&["--weights"]).is_err_and(|error| error.starts_with("usage")));
    assert!(parse(&["--quick"]).is_err_and(|error| error.contains("`--quick`")));
    assert!(parse(&["--texts", "b"]).is_err_and(|error| error.contains("for checking only")));
}

#[test]
fn a_sample_is_taken_from_all_of_the_text_and_leaves_out_what_says_nothing() {
    let text: String =
        (1000..3500).map(|index| format!(" this line has number {index}\n}}\n\n")).collect();
    let sample = texts::sample(&text);
    assert_eq!(sample.len(), 834);
    assert_eq!(
        (sample[0].as_str(), sample[833].as_str()),
        ("this line has number 1000", "this line has number 3499")
    );
    assert!(texts::sample("").is_empty());
}
