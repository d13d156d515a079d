//! What the built-in commands say about themselves, in other languages. The English text is the key, as written where the
//! command is; a text without an entry stays English. To add a language, add a column.

#[cfg(test)]
mod tests;

use toolscout_surface::cli::Locale;

/// The text in the reader's language.
pub(crate) fn say(locale: Locale, english: &str) -> &str {
    let entry = TABLE.iter().find(|(key, _)| *key == english);
    match (locale, entry) {
        (Locale::Japanese, Some((_, japanese))) => japanese,
        _ => english,
    }
}

/// English, Japanese.
#[rustfmt::skip]
const TABLE: &[(&str, &str)] = &[
    // The program and its options.
    ("Finds the right tool, and runs it safely", "適切なツールを見つけ、安全に実行します"),
    ("What to do", "行う操作"),
    ("What it takes", "その引数"),
    ("Work on the project in this folder", "このフォルダーのプロジェクトを対象にする"),
    ("How to show results", "結果の表示形式"),
    ("The same as --output json", "--output json と同じ"),
    ("Show what would be done, and do nothing", "実行内容を表示するだけで、何も実行しない"),
    ("Say nothing but errors", "エラー以外は表示しない"),
    ("Say more", "詳しく表示する"),
    ("Language of help and messages", "ヘルプとメッセージの言語"),
    ("Show this help", "このヘルプを表示する"),
    ("Show the version", "バージョンを表示する"),
    ("Log what happens, in this format", "動作の記録をこの形式で出力する"),
    ("Take the tools from what `discover --json` printed",
     "`discover --json` の出力からツールを読み込む"),
    ("Search this folder instead; `default` is the root found upward",
     "代わりにこのフォルダーを探す。`default` は上位に見つかったルート"),
    ("Look at these files instead of the usual ones", "通常のファイルの代わりにこれらを調べる"),
    ("Ignore these files instead of the usual ones", "通常の除外の代わりにこれらを除外する"),
    ("Add the tools of this file, before all others", "このファイルのツールを先頭に加える"),
    ("When two tools have one name", "同じ名前のツールがある場合の扱い"),
    ("Stop at the first problem", "最初の問題で中止する"),
    ("Search no folder", "フォルダーを探さない"),
    ("Trust the project's folders, for this run", "今回に限りプロジェクトのフォルダーを信頼する"),
    // The commands, by name.
    ("Print a shell's completion script", "シェルの補完スクリプトを出力する"),
    ("Which shell", "対象のシェル"),
    ("Answer a shell's completion script", "シェルの補完スクリプトに応答する"),
    ("Show all that is known about a tool", "ツールについて分かっていることをすべて表示する"),
    ("Its name, in any form", "ツールの名前 (どの書き方でもよい)"),
    ("Also name the tools it hides", "隠れている同名のツールも示す"),
    ("Look for tools, and say what was found", "ツールを探し、見つかったものを報告する"),
    ("With --json it prints everything that is known; --tools-from reads that back without looking again.",
     "--json を付けると分かっていることをすべて出力します。--tools-from はそれを読み込み、探し直しません。"),
    ("Say what is found, what is broken, and what to do", "見つかったもの、壊れているもの、すべきことを報告する"),
    ("Exits with 1 if something is broken.", "壊れているものがあれば終了コード 1 を返します。"),
    ("Give tools in the form that something else takes", "ツールを他のソフトウェアの形式で出力する"),
    ("Who takes them", "受け取る側"),
    ("Only these tools", "これらのツールだけ"),
    ("Write files into this folder (opencode)", "このフォルダーにファイルを書き出す (opencode)"),
    ("Write a folder's manifest, or check it", "フォルダーのマニフェストを書き出す、または検査する"),
    ("The folder of tools; the project's `tools` if left out",
     "ツールのフォルダー。省略時はプロジェクトの `tools`"),
    ("Both start the folder's executables and modules to ask what they are.",
     "どちらもフォルダーの実行ファイルとモジュールを起動し、その内容を問い合わせます。"),
    ("Show what there is, what is wrong, and what to type next",
     "あるもの、問題点、次に入力するものを表示する"),
    ("Run a tool by any form of its name", "ツールを名前のどの書き方でも実行する"),
    ("tool, source/tool, source:tool or source__tool",
     "ツール名: tool、source/tool、source:tool、source__tool"),
    ("What the tool takes; see `toolscout run TOOL --help`",
     "ツールの引数。`toolscout run TOOL --help` を参照"),
    ("Show help, of the tool if one is named", "ヘルプを表示する。ツールを指定すればそのヘルプ"),
    ("Find tools that fit a question", "質問に合うツールを探す"),
    ("The question, in your own words", "自分の言葉による質問"),
    ("How to score", "採点の方式"),
    ("At most this many hits", "結果の最大件数"),
    ("List tools", "ツールを一覧する"),
    ("`list` shows each with its source", "`list` はソースも示す"),
    ("Print one JSON object a line, as tools are found",
     "見つかるたびに 1 行に 1 つの JSON オブジェクトを出力する"),
    ("Trust a project's folder, so that its tools may be started",
     "プロジェクトのフォルダーを信頼し、ツールの起動を許可する"),
    ("The folder; the project's root if left out", "フォルダー。省略時はプロジェクトのルート"),
    ("Show the trusted folders", "信頼しているフォルダーを表示する"),
    ("Trust the folder no longer", "フォルダーの信頼を取り消す"),
    ("Until then a folder's files are read and never started, unless you run a tool yourself.",
     "それまでフォルダーのファイルは読まれるだけで、自分でツールを実行しない限り起動されません。"),
];
