use super::plain::cosine;
use crate::MiniLm;
use crate::kernel::KernelPath;

/// Vectors of all-MiniLM-L6-v2 in 32 bits, by ONNX Runtime, one for each line of the texts beside
/// them.
const REFERENCE: &[u8] = include_bytes!("reference.f32");
const TEXTS: &str = include_str!("reference.txt");

fn model() -> &'static MiniLm {
    MiniLm::built_in().expect("the model is built in")
}

fn texts() -> Vec<&'static str> {
    TEXTS.lines().collect()
}

#[test]
fn the_built_in_model_is_reproducible() {
    model().verify().expect("the checksum matches");
}

#[test]
fn vectors_are_those_of_the_reference() {
    let reference: Vec<f32> =
        REFERENCE.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
    let expected = reference.chunks_exact(model().dimensions());
    assert_eq!(expected.len(), texts().len());
    for (text, expected) in texts().into_iter().zip(expected) {
        let found = cosine(&model().encode(text), expected);
        assert!(found >= 0.99, "{found} for {text}");
    }
}

#[test]
fn similar_texts_are_nearer_than_others() {
    let [one, alike, unlike] =
        ["open a bug report in a repository", "create github issue", "send an email"]
            .map(|value| model().encode(value));
    assert!(cosine(&one, &alike) > cosine(&one, &unlike) + 0.1);
}

#[test]
fn every_kernel_thread_and_batch_gives_the_same_bits() {
    let alone: Vec<Vec<f32>> = texts().into_iter().map(|text| model().encode(text)).collect();
    let many: Vec<&str> = std::iter::repeat_n(texts(), 2).flatten().collect();
    for path in KernelPath::all() {
        for threads in [1, 3] {
            let together = model().encode_by(path, &many, threads);
            assert_eq!(together.len(), many.len());
            for (at, vector) in together.iter().enumerate() {
                assert!(
                    *vector == alone[at % alone.len()],
                    "{path:?}, {threads} threads, text {at}"
                );
            }
        }
    }
}

#[test]
fn every_vector_has_length_one() {
    let long = "a tool that does things ".repeat(45_000);
    let emoji = "🎉".repeat(300);
    for text in ["", " ", "\0\u{1}\u{7f}", "{}", "🧭", "日本語", "\u{301}\u{301}", &long, &emoji]
    {
        let vector = model().encode(text);
        assert_eq!(vector.len(), 384);
        let length: f32 = vector.iter().map(|vector| vector * vector).sum();
        assert!(
            (length - 1.0).abs() < 1e-5,
            "{length} for {:?}",
            &text[..text.floor_char_boundary(20)]
        );
    }
    assert_eq!(model().encode(""), model().encode(" \t"));
}

#[test]
fn no_texts_give_no_vectors() {
    assert!(model().encode_all(&[], 4).is_empty());
}

#[test]
fn the_id_names_the_model_and_the_token_limit() {
    assert!(model().id().starts_with("all-minilm-l6-v2-"));
    assert_ne!(model().id(), model().looking_at(64).id());
    assert_eq!(model().id(), model().looking_at(128).id());
}
