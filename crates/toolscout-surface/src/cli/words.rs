//! All texts of the command line, in all its languages.
//!
//! To add a language: a variant of [`Locale`], its code in [`Locale::ALL`], and a column in the
//! table. The English column is a contract: scripts and tests parse it.

#[cfg(test)]
mod tests;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locale {
    #[default]
    English,
    Japanese,
}

impl Locale {
    /// In the order of the table's columns.
    pub const ALL: [(&'static str, Locale); 2] = [("en", Self::English), ("ja", Self::Japanese)];

    /// The language of the environment: the first of these variables that is set and not empty
    /// decides. English if that language is not supported.
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let variables =
            ["TOOLSCOUT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(lookup);
        let Some(value) = variables.into_iter().find(|item| !item.is_empty()) else {
            return Self::default();
        };
        let language =
            value.split(['_', '-', '.', '@']).next().unwrap_or_default().to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|(code, _)| *code == language)
            .map(|(_, locale)| locale)
            .unwrap_or_default()
    }
}

macro_rules! table {
    ($($word:ident: $($text:literal),+;)*) => {
        /// A text of the command line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Word { $($word),* }

        impl Word {
            /// All words, in the order of the table.
            pub const ALL: &[Word] = &[$(Self::$word),*];

            fn columns(self) -> [&'static str; Locale::ALL.len()] {
                match self { $(Self::$word => [$($text),+]),* }
            }
        }
    };
}

table! {
    Usage:            "Usage", "使い方";
    Arguments:        "Arguments", "引数";
    Options:          "Options", "オプション";
    Commands:         "Commands", "コマンド";
    Tools:            "Tools", "ツール";
    ToolsOf:          "Tools ({0})", "ツール ({0})";
    Examples:         "Examples", "例";
    Required:         "required", "必須";
    Default:          "default: {0}", "既定値: {0}";
    Choices:          "choices: {0}", "選択肢: {0}";
    NoDescription:    "(no description)", "(説明なし)";
    HelpHelp:         "Show this help", "このヘルプを表示する";
    JsonHelp:         "Print the result as JSON", "結果を JSON で出力する";
    InputHelp:        "All arguments as one JSON object, from a file with @FILE, from standard input with -; other options override its members",
                      "すべての引数を 1 つの JSON オブジェクトで渡す。@FILE はファイル、- は標準入力から読む。他のオプションが優先される";
    UnknownOption:    "Unknown option: {0}", "不明なオプション: {0}";
    UnknownCommand:   "Command not found: {0}", "コマンドが見つかりません: {0}";
    DidYouMean:       "Did you mean {0}?", "もしかして: {0}";
    MissingOption:    "Missing required option: {0}", "必須オプションがありません: {0}";
    MissingArgument:  "Missing required argument: {0}", "必須引数がありません: {0}";
    MissingValue:     "Missing value for {0}", "{0} の値がありません";
    DashedValue:      "Missing value for {0} (a value that starts with \"-\" needs \"=\": {0}={1})",
                      "{0} の値がありません (\"-\" で始まる値は \"=\" で渡してください: {0}={1})";
    TakesNoValue:     "{0} takes no value", "{0} は値を取りません";
    GivenTwice:       "{0} was given more than once", "{0} が複数回指定されています";
    NotOneOf:         "Invalid value for {0}: \"{1}\" (choose from: {2})", "{0} の値が正しくありません: \"{1}\" (選択肢: {2})";
    NotA:             "Invalid value for {0}: \"{1}\" is not {2}", "{0} の値が正しくありません: \"{1}\" は{2}ではありません";
    ABoolean:         "true or false", "真偽値";
    AText:            "a string", "文字列";
    ANumber:          "a number", "数値";
    AnInteger:        "an integer", "整数";
    AJson:            "JSON", " JSON ";
    AJsonArray:       "a JSON array", " JSON 配列";
    AJsonObject:      "a JSON object", " JSON オブジェクト";
    Conflict:         "{0} cannot be used together with {1}", "{0} と {1} は同時に使えません";
    Unexpected:       "Unexpected argument: {0}", "余分な引数: {0}";
    Unreadable:       "Cannot read {0}: {1}", "{0} を読み込めません: {1}";
}

impl Word {
    /// The text without its placeholders filled.
    pub fn text(self, locale: Locale) -> &'static str {
        self.columns()[locale as usize]
    }

    /// The text with its placeholders `{0}`, `{1}` … filled. Values are not scanned again, so
    /// they may contain braces.
    pub fn fill(self, locale: Locale, values: &[&str]) -> String {
        let mut out = String::new();
        let mut remaining = self.text(locale);
        while let Some((before, after)) = remaining.split_once('{') {
            out.push_str(before);
            let (placeholder, after) = after.split_once('}').unwrap_or((after, ""));
            out.push_str(
                placeholder
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| values.get(index))
                    .unwrap_or(&""),
            );
            remaining = after;
        }
        out + remaining
    }
}
