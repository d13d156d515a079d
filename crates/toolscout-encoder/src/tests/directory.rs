use super::plain::{Plain, cosine};
use super::tiny::Tiny;
use crate::MiniLm;
use crate::kernel::KernelPath;
use serde_json::json;

const TEXTS: [&str; 4] = ["send a mail", "", "the mailboxer. ab b", "unheard of"];

fn refusal(tiny: &Tiny) -> String {
    MiniLm::open(&tiny.path()).expect_err("the model is invalid").to_string()
}

#[test]
fn a_model_directory_gives_the_vectors_of_plain_arithmetic() {
    let tiny = Tiny::new();
    let model = MiniLm::open(&tiny.path()).expect("the directory is a model");
    let plain = Plain::open(&tiny.path()).expect("the plain implementation opens the model");
    assert_eq!(model.dimensions(), 30);
    for text in TEXTS {
        let expected = plain.encode(&model.tokens(text)).expect("the tokens are known");
        let found = cosine(&model.encode(text), &expected);
        assert!(found > 0.999, "{found} for {text}");
    }
}

#[test]
fn sizes_that_fill_no_block_give_the_same_bits_on_every_kernel() {
    let tiny = Tiny::new();
    let model = MiniLm::open(&tiny.path()).expect("the directory is a model");
    let portable = model.encode_by(KernelPath::Portable, &TEXTS, 1);
    for path in KernelPath::all() {
        assert!(model.encode_by(path, &TEXTS, 1) == portable, "{path:?}");
    }
}

#[test]
fn a_text_is_truncated_to_the_positions_of_the_model() {
    let tiny = Tiny::new();
    let model = MiniLm::open(&tiny.path()).expect("the directory is a model");
    assert_eq!(model.tokens(&"send ".repeat(100)).len(), 24);
}

#[test]
fn a_model_is_named_after_its_directory_and_its_bytes() {
    let tiny = Tiny::new();
    let id = MiniLm::open(&tiny.path()).expect("the directory is a model").id().to_owned();
    assert!(id.starts_with("tiny-model-"), "{id}");
    tiny.configure("layer_norm_eps", json!(1e-6));
    assert_ne!(MiniLm::open(&tiny.path()).expect("the model is still valid").id(), id);
}

#[test]
fn a_saved_model_is_the_same_model() {
    let tiny = Tiny::new();
    let model = MiniLm::open(&tiny.path()).expect("the directory is a model");
    let file = tiny.path().join("saved.model");
    model.save(&file).expect("the model is saved");
    let again = MiniLm::open(&file).expect("the saved model opens");
    assert_eq!((again.id(), again.encode("send")), (model.id(), model.encode("send")));
}

#[test]
fn pooling_is_as_the_directory_says() {
    let tiny = Tiny::new();
    let mean = MiniLm::open(&tiny.path()).expect("mean pooling").encode("send a mail");
    tiny.write(
        "1_Pooling/config.json",
        r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
    );
    let first = MiniLm::open(&tiny.path()).expect("first piece").encode("send a mail");
    assert_ne!(mean, first);
    tiny.write("1_Pooling/config.json", r#"{"pooling_mode_max_tokens": true}"#);
    assert!(refusal(&tiny).contains("neither mean nor CLS"), "{}", refusal(&tiny));
}

#[test]
fn weights_may_have_sixteen_bits_of_either_kind() {
    let tiny = Tiny::new();
    let whole = MiniLm::open(&tiny.path()).expect("32 bits").encode("send a mail");
    for dtype in ["F16", "BF16"] {
        tiny.write_weights(dtype);
        let found = cosine(&MiniLm::open(&tiny.path()).expect(dtype).encode("send a mail"), &whole);
        assert!(found > 0.999, "{found} for {dtype}");
    }
    tiny.write_weights("F64");
    assert!(refusal(&tiny).contains("weights of type `F64`"), "{}", refusal(&tiny));
}

#[test]
fn nan_weights_give_zero_vectors() {
    let tiny = Tiny::new();
    tiny.write_weights("NaN");
    let model = MiniLm::open(&tiny.path()).expect("the shapes of the weights are valid");
    assert_eq!(model.encode("send a mail"), vec![0.0; 30]);
}

#[test]
fn unsupported_models_are_errors_with_the_feature() {
    let tiny = Tiny::new();
    for (name, value, named) in [
        ("model_type", json!("mpnet"), "a model of type `mpnet`"),
        ("hidden_act", json!("swish"), "the activation `swish`"),
        (
            "position_embedding_type",
            json!("relative_key"),
            "position embeddings of type `relative_key`",
        ),
    ] {
        tiny.configure(name, value);
        assert!(refusal(&tiny).contains(named), "{}", refusal(&tiny));
    }
    let tiny = Tiny::new();
    tiny.write(
        "modules.json",
        r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#,
    );
    assert!(refusal(&tiny).contains("a module `Dense`"), "{}", refusal(&tiny));
    let tiny = Tiny::new();
    tiny.write("tokenizer.json", r#"{"model": {"type": "BPE", "vocab": {}}}"#);
    assert!(refusal(&tiny).contains("a tokenizer of type `BPE`"), "{}", refusal(&tiny));
}

#[test]
fn broken_files_are_errors_with_the_path() {
    let tiny = Tiny::new();
    tiny.configure("num_attention_heads", json!(7));
    assert!(
        refusal(&tiny).contains("width 30 is not a multiple of its 7 heads"),
        "{}",
        refusal(&tiny)
    );
    tiny.configure("num_hidden_layers", json!(3));
    assert!(
        refusal(&tiny).contains("`encoder.layer.2.attention.self.query.weight` is missing"),
        "{}",
        refusal(&tiny)
    );
    tiny.configure("intermediate_size", json!(71));
    assert!(refusal(&tiny).contains("intermediate.dense.weight"), "{}", refusal(&tiny));
    let tiny = Tiny::new();
    tiny.write("vocab.txt", "mail\nsend");
    assert!(refusal(&tiny).contains("its vocabulary has no token `[CLS]`"), "{}", refusal(&tiny));
    let tiny = Tiny::new();
    tiny.write("model.safetensors", "\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f} and more");
    assert!(refusal(&tiny).contains("does not start with a list of tensors"), "{}", refusal(&tiny));
}

#[test]
fn missing_and_cut_off_files_are_errors() {
    let tiny = Tiny::new();
    let weights = tiny.path().join("model.safetensors");
    let whole = std::fs::read(&weights).expect("read the weights");
    for len in [0, 7, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&weights, &whole[..len]).expect("truncate the weights");
        assert!(refusal(&tiny).contains("model.safetensors"), "{len}: {}", refusal(&tiny));
    }
    for name in ["model.safetensors", "vocab.txt", "config.json"] {
        std::fs::remove_file(tiny.path().join(name)).expect("remove the file");
        assert!(refusal(&tiny).contains(name), "{}", refusal(&tiny));
    }
    assert!(MiniLm::open(&tiny.path().join("nowhere")).is_err());
}
