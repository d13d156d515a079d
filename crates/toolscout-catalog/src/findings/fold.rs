//! Folds letters to the ones that a reader takes them for: `Ｉ`, `І` and `𝐈` are all `i`.
//!
//! This does not use the Unicode tables, but the few hundred letters that attackers actually use as
//! disguise. Phrases are folded in the same way as the text they are searched in, so other
//! languages keep working.

/// Appends the folded letter in lower case; invisible characters are left out.
pub(super) fn fold(letter: char, out: &mut String) {
    if letter.is_ascii() {
        out.push(letter.to_ascii_lowercase());
    } else if !is_invisible(letter) {
        match to_latin(letter) {
            Some(latin) => out.push_str(latin),
            None => out.extend(letter.to_lowercase()),
        }
    }
}

/// Characters without a width of their own: combining marks, joiners, selectors, tags.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{0300}'..='\u{036f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{20d0}'..='\u{20ff}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}')
}

/// The Latin letters that this letter looks like, if any.
fn to_latin(letter: char) -> Option<&'static str> {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    const DIGITS: &str = "0123456789";
    let nth = |all: &'static str, at: u32| {
        let at = at as usize % all.len();
        Some(&all[at..=at])
    };
    let code = u32::from(letter);
    match code {
        // Full width, the styled alphabets of mathematics, and letters in circles and boxes.
        0xff21..=0xff3a => nth(LETTERS, code - 0xff21),
        0xff41..=0xff5a => nth(LETTERS, code - 0xff41),
        0xff10..=0xff19 => nth(DIGITS, code - 0xff10),
        0x1d400..=0x1d6a3 => nth(LETTERS, code - 0x1d400),
        0x1d7ce..=0x1d7ff => nth(DIGITS, code - 0x1d7ce),
        0x24b6..=0x24cf => nth(LETTERS, code - 0x24b6),
        0x24d0..=0x24e9 => nth(LETTERS, code - 0x24d0),
        0x1f130..=0x1f149 => nth(LETTERS, code - 0x1f130),
        0x1f150..=0x1f169 => nth(LETTERS, code - 0x1f150),
        0x1f170..=0x1f189 => nth(LETTERS, code - 0x1f170),
        0x1f1e6..=0x1f1ff => nth(LETTERS, code - 0x1f1e6),
        0x00c0..=0x017f => accented(letter),
        // Scripts that are not confused with Latin. They cover most other text, so this shortcut is
        // worthwhile.
        0x2e80..=0xa7ff | 0xac00..=0xfaff => None,
        _ => CONFUSABLES.iter().find(|(_, group)| group.contains(letter)).map(|(latin, _)| *latin),
    }
}

/// Letters of Western and Central European languages without their marks.
fn accented(letter: char) -> Option<&'static str> {
    ACCENTED.iter().find(|(_, group)| group.contains(letter)).map(|(latin, _)| *latin)
}

const ACCENTED: [(&str, &str); 26] = [
    ("a", "àáâãäåāăąÀÁÂÃÄÅĀĂĄ"),
    ("ae", "æÆ"),
    ("c", "çćĉċčÇĆĈĊČ"),
    ("d", "ðďđÐĎĐ"),
    ("e", "èéêëēĕėęěÈÉÊËĒĔĖĘĚ"),
    ("g", "ĝğġģĜĞĠĢ"),
    ("h", "ĥħĤĦ"),
    ("i", "ìíîïĩīĭįıÌÍÎÏĨĪĬĮİ"),
    ("j", "ĵĴ"),
    ("k", "ķĸĶ"),
    ("l", "ĺļľŀłĹĻĽĿŁ"),
    ("n", "ñńņňŉŋÑŃŅŇŊ"),
    ("o", "òóôõöøōŏőÒÓÔÕÖØŌŎŐ"),
    ("oe", "œŒ"),
    ("r", "ŕŗřŔŖŘ"),
    ("s", "śŝşšſŚŜŞŠ"),
    ("ss", "ß"),
    ("t", "ţťŧŢŤŦ"),
    ("th", "þÞ"),
    ("u", "ùúûüũūŭůűųÙÚÛÜŨŪŬŮŰŲ"),
    ("w", "ŵŴ"),
    ("y", "ýÿŷÝŶŸ"),
    ("z", "źżžŹŻŽ"),
    ("ij", "ĳĲ"),
    ("x", "×"),
    ("", "÷"),
];

/// Letters of other scripts, and unusual Latin ones, by the letter they look like.
const CONFUSABLES: [(&str, &str); 32] = [
    ("a", "аАαΑɑᴀ"),
    ("b", "вВΒβʙьЬ"),
    ("c", "сСϲᴄⅽ"),
    ("d", "ԁᴅⅾ"),
    ("e", "еЕεΕᴇℯ"),
    ("f", "ꜰϝ"),
    ("g", "ɡɢց"),
    ("h", "һҺнНΗʜհ"),
    ("i", "іІιΙɪⅰ"),
    ("j", "јЈᴊ"),
    ("k", "кКκΚᴋ"),
    ("l", "ӏӀʟⅼ"),
    ("m", "мМΜᴍⅿ"),
    ("n", "ΝηɴոΠ"),
    ("o", "оОοΟᴏօσ"),
    ("p", "рРρΡᴘ"),
    ("q", "ԛ"),
    ("r", "ʀг"),
    ("s", "ѕЅꜱ"),
    ("t", "тТτΤᴛ"),
    ("u", "υμᴜս"),
    ("v", "ѵνᴠⅴ"),
    ("w", "ԝᴡω"),
    ("x", "хХχΧⅹ"),
    ("y", "уУΥγʏү"),
    ("z", "ΖᴢᏃ"),
    ("ff", "ﬀ"),
    ("fi", "ﬁ"),
    ("fl", "ﬂ"),
    ("-", "‐‑‒–—―−﹘﹣－"),
    ("_", "＿"),
    ("/", "⁄∕／"),
];
