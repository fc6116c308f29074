//! What sentences of Chinese and Japanese are, by their cue words: neither parts its words by spaces.

/// Words by which a user asks for something, or says what shall be.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "请", "需要", "改成", "改为", "增加", "添加", "修改", "删除", "实现", "进行", "显示", "应该", "希望", "我想", "我要", "帮我",
    "ください", "下さい", "てほしい", "欲しい", "したい", "お願い", "ようにし", "にして", "てくれ", "ようにでき", "できますか",
    "もらえますか", "いただけますか",
];

/// Words by which a sentence limits.
#[rustfmt::skip]
const LIMITING: &[&str] = &[
    "必须", "不要", "禁止", "只能", "务必", "不需要", "不得", "只针对", "才可以",
    "必ず", "しないで", "のみ", "だけに", "だけで", "必要はありません", "てはいけ", "ないようにして", "ではなく",
];

/// Words by which a model tells what it chose or changed.
#[rustfmt::skip]
const DECIDING: &[&str] = &[
    "改为", "改用", "采用", "决定", "选择使用", "而不是", "不再",
    "に変更し", "に変更する", "に置き換え", "に置換", "ことにし", "を採用", "ではなく", "代わりに", "を削除し", "ように修正", "ように変更",
    "ようにします", "ようにしました", "よう改善",
];

/// Words by which a model tells what it found out.
#[rustfmt::skip]
const FINDING: &[&str] = &[
    "问题是", "原因是", "问题在于", "这是因为", "发现", "由于", "导致",
    "原因です", "原因は", "が原因", "問題は", "ためです", "ことが分かり", "ことがわかり", "されていません", "されないため", "が必要です",
];

/// True for a sentence that has a character of Chinese or Japanese.
fn is_eastern(sentence: &str) -> bool {
    sentence.chars().any(|c| {
        matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
    })
}

fn has(sentence: &str, words: &[&str]) -> bool {
    !sentence.is_ascii() && is_eastern(sentence) && words.iter().any(|word| sentence.contains(word))
}

/// True where it asks for something.
pub(crate) fn asks(sentence: &str) -> bool {
    has(sentence, ASKING)
}

/// Forms of a Chinese question that hold a denial ("can we or can't we").
const OFFERING_BOTH: [&str; 8] = [
    "能不能",
    "要不要",
    "需不需要",
    "可不可以",
    "是不是",
    "会不会",
    "行不行",
    "对不对",
];

/// True where it sets a limit. A question sets none.
pub(crate) fn limits(sentence: &str) -> bool {
    let text = sentence.trim_end_matches(['。', '！', '!', ' ']);
    has(sentence, LIMITING)
        && !text.ends_with(['？', '?', '吗', '呢', 'か'])
        && !OFFERING_BOTH.iter().any(|form| sentence.contains(form))
}

/// True where it tells a choice.
pub(crate) fn decides(sentence: &str) -> bool {
    has(sentence, DECIDING)
}

/// How a sentence of Japanese ends that says what is done next.
const AHEAD: [&str; 2] = ["ます", "ましょう"];

/// The same of what lasts: it is no step.
const LASTING: [&str; 2] = ["ています", "てあります"];

/// How a sentence of Chinese begins that says what is done next.
const AHEAD_STARTS: [&str; 7] = ["让我", "我来", "我将", "我会", "现在我", "接下来", "我需要"];

/// Words for looking something up.
const LOOKING: [&str; 13] = [
    "確認",
    "調べ",
    "見て",
    "探し",
    "検索",
    "調査",
    "查看",
    "检查",
    "看看",
    "看一下",
    "搜索",
    "确认",
    "找",
];

/// True where the model says what it does next.
fn goes_ahead(sentence: &str) -> bool {
    let text = sentence.trim_end_matches(['。', '！', '!', '：', ':', ' ']);
    let ends = |endings: &[&str]| endings.iter().any(|end| text.ends_with(end));
    ends(&AHEAD) && !ends(&LASTING) || AHEAD_STARTS.iter().any(|start| text.starts_with(start))
}

/// Words with which a sentence names what was ruled out: a choice, however it is announced.
const RULING_OUT: [&str; 4] = ["ではなく", "代わりに", "而不是", "决定"];

/// True where the model announces a change, which the next call shows ("I change the reader so that ...").
pub(crate) fn announces(sentence: &str) -> bool {
    decides(sentence)
        && goes_ahead(sentence)
        && !finds(sentence)
        && !RULING_OUT.iter().any(|word| sentence.contains(word))
}

/// True where the model says that it looks at something next.
pub(crate) fn looks(sentence: &str) -> bool {
    !sentence.is_ascii()
        && is_eastern(sentence)
        && goes_ahead(sentence)
        && LOOKING.iter().any(|word| sentence.contains(word))
        && !decides(sentence)
        && !finds(sentence)
}

/// True where it tells what was found out.
pub(crate) fn finds(sentence: &str) -> bool {
    has(sentence, FINDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_apart_by_their_cues() {
        assert!(asks("表の行を名前で並べてください"));
        assert!(asks("表格的行应该按名称排序"));
        assert!(limits("空の行は必ず残す"));
        assert!(limits("不要修改旧的文件"));
        assert!(decides("读取器改为按行读取"));
        assert!(finds("引用符が原因です"));
        assert!(announces("読み込みを行単位に変更します。") && announces("我将读取器改为按行读取"));
        assert!(!announces("読み込みを行単位に変更しました。") && !announces("读取器改为按行读取"));
        assert!(looks("`load`の呼び出しを確認します。") && looks("让我检查读取器"));
        for told in [
            "原因はキャッシュではなくDBにあります。",
            "我将采用SQLite而不是Postgres",
        ] {
            assert!(!announces(told), "{told}");
        }
        assert!(!looks("现在我找到原因了，是缓存没有失效导致的"));
        assert!(!looks("起動時に設定を確認しています。") && !looks("let me check 行"));
        for question in ["能不能把按钮改成红色？", "要不要加个缓存", "需不需要改"]
        {
            assert!(!limits(question), "{question}");
        }
        for sentence in ["行は三つある", "rows are read", "读取器读取行"] {
            assert!(!asks(sentence) && !limits(sentence) && !decides(sentence) && !finds(sentence));
        }
    }
}
