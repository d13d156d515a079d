//! Queries in other languages than that of the tools.

use super::search;
use crate::RankingProfile;
use crate::lexicon;

fn in_english(text: &str) -> Option<String> {
    lexicon::in_english(text, |_| false)
}

const TOOLS: &str = "
    mail/send_email -- Send an email to a recipient
    billing/create_invoice -- Create an invoice for a customer
    sky/weather_forecast -- Get the weather forecast for a city
    disk/delete_file -- Delete a file from disk
    git/search_repositories -- Search repositories on GitHub
";

#[test]
fn a_query_in_nine_languages_finds_the_same_tool() {
    let questions = [
        "Erstelle eine Rechnung für den Kunden",
        "crea una factura para el cliente",
        "créer une facture pour le client",
        "crea una fattura per il cliente",
        "criar uma fatura para o cliente",
        "создать счёт для клиента",
        "顧客の請求書を作成してください",
        "为客户创建发票",
        "고객을 위한 송장을 만들어 줘",
    ];
    for question in questions {
        let page = search(TOOLS, RankingProfile::Ranked, question);
        assert!(
            page.starts_with("create_invoice "),
            "{question}: {:?} gives {page}",
            in_english(question)
        );
    }
}

#[test]
fn names_are_not_translated() {
    let english = in_english("Suche Repositories auf GitHub").unwrap();
    assert!(english.contains("github"), "{english}");
    assert!(in_english("在GitHub上搜索仓库").unwrap().contains("github"));
}

#[test]
fn a_compound_is_two_words() {
    let english = in_english("Kundenrechnung erstellen").unwrap();
    assert!(english.contains("customer") && english.contains("invoice"), "{english}");
}

#[test]
fn english_is_not_translated() {
    let questions = [
        "send an email to the team",
        "delete file",
        "search",
        "what is the weather in Berlin",
        "list open issues",
        "pdf",
    ];
    for question in questions {
        assert_eq!(in_english(question), None, "{question}");
    }
}

#[test]
fn inflected_words_of_other_scripts_match() {
    let tools = "ru/find -- Поиск документов в архиве\nru/sing -- Песни";
    assert!(search(tools, RankingProfile::Ranked, "документы").starts_with("find "));
}
