//! Which language a text is in, by its function words, for languages that part words by spaces: enough to tell that a
//! summary and what it summarizes are in two languages, not to name each language of the world.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Function words of English.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "the", "a", "an", "and", "or", "but", "not", "is", "are", "was", "were", "be", "been", "has", "have", "had", "do",
    "does", "did", "i", "you", "we", "they", "it", "this", "that", "these", "those", "to", "of", "in", "on", "at", "for",
    "from", "with", "by", "as", "if", "when", "how", "why", "what", "where", "which", "who", "can", "could", "should",
    "must", "will", "would", "please", "also", "only", "just", "there", "here", "so", "then", "than", "into", "no",
    "my", "your", "our", "its", "all", "any", "more", "now", "same", "each", "after", "before",
];

/// Function words of other languages, one row each. Words that mean something in English or in code are left out where
/// a language has enough others.
#[rustfmt::skip]
const OTHERS: [&[&str]; 13] = [
    // German
    &["der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und", "oder", "aber", "nicht",
      "kein", "keine", "keinen", "ist", "sind", "wird", "werden", "wurde", "hat", "haben", "habe", "ich", "du", "wir",
      "ihr", "sie", "es", "mir", "mich", "uns", "zu", "zur", "zum", "mit", "von", "vom", "für", "auf", "bei", "aus",
      "nach", "über", "unter", "wenn", "dass", "weil", "wie", "wieso", "warum", "was", "wo", "welche", "welcher",
      "welches", "kann", "kannst", "können", "soll", "sollen", "sollte", "muss", "müssen", "bitte", "auch", "nur",
      "noch", "schon", "jetzt", "hier", "gibt", "gib", "mach", "ja", "nein", "dann", "sich", "im", "am", "nochmal",
      "damit", "diese", "dieser", "dieses", "mein", "meine", "meiner", "immer", "alle", "doch", "denn", "dazu"],
    // French
    &["le", "la", "les", "un", "une", "des", "du", "et", "ou", "mais", "pas", "ne", "est", "sont", "était", "être",
      "avoir", "ont", "je", "tu", "il", "elle", "nous", "vous", "ils", "qui", "quoi", "pour", "avec", "sur", "dans",
      "par", "sans", "ce", "cette", "ces", "mon", "ton", "ma", "au", "aux", "plus", "comme", "faut", "peux", "peut",
      "dois", "doit", "fait", "faire", "merci", "que", "quand", "pourquoi", "comment", "aussi", "encore", "déjà", "très",
      "tout", "toutes", "tous", "où", "de", "en", "se", "son", "leur", "il", "y", "ça", "c", "qu", "j", "n", "d", "l"],
    // Spanish
    &["el", "la", "los", "las", "un", "una", "y", "pero", "no", "es", "son", "está", "están", "ser", "estar", "que",
      "qué", "con", "sin", "por", "para", "en", "de", "del", "al", "se", "lo", "le", "su", "mi", "tu", "te", "nos",
      "como", "cómo", "cuando", "donde", "dónde", "si", "sí", "muy", "ya", "también", "hay", "puede", "puedes", "debe",
      "quiero", "hacer", "haz", "favor", "más", "eso", "esto", "este", "esta", "o", "porque", "ahora", "todo", "todos",
      "necesito", "cada", "otro", "otra", "solo"],
    // Portuguese
    &["o", "os", "um", "uma", "e", "mas", "não", "é", "são", "está", "estão", "ser", "que", "com", "sem", "por", "para",
      "em", "de", "do", "da", "dos", "das", "na", "nos", "nas", "se", "seu", "sua", "meu", "minha", "eu", "você", "ele",
      "ela", "nós", "como", "quando", "onde", "mais", "muito", "já", "também", "tem", "pode", "deve", "quero", "fazer",
      "favor", "isso", "esse", "essa", "ao", "porque", "agora", "todos", "preciso", "ou", "foi", "só", "faça", "pelo"],
    // Italian
    &["il", "lo", "la", "gli", "le", "un", "una", "e", "ma", "non", "è", "sono", "era", "essere", "che", "chi", "con",
      "senza", "per", "di", "da", "in", "su", "del", "della", "dei", "delle", "al", "alla", "nel", "nella", "si", "mi",
      "ti", "ci", "come", "quando", "dove", "più", "molto", "già", "anche", "può", "deve", "voglio", "fare", "questo",
      "questa", "perché", "ora", "tutti", "tutte", "ho", "hai", "fai", "solo"],
    // Dutch
    &["de", "het", "een", "en", "maar", "niet", "geen", "zijn", "was", "worden", "wordt", "ik", "jij", "je", "wij",
      "jullie", "zij", "dat", "die", "wat", "wie", "met", "van", "voor", "op", "bij", "uit", "naar", "over", "als",
      "omdat", "hoe", "waarom", "waar", "kan", "kun", "moet", "ook", "nog", "al", "nu", "hier", "er", "te", "zou",
      "graag", "deze", "dit", "alle", "mijn", "wel", "om", "heb", "heeft"],
    // Polish
    &["i", "w", "z", "na", "do", "że", "nie", "jest", "są", "był", "być", "ten", "ta", "to", "jak", "co", "kto", "gdzie",
      "dla", "od", "po", "przy", "za", "pod", "się", "mi", "mnie", "ale", "lub", "czy", "już", "jeszcze", "tylko",
      "może", "musi", "trzeba", "proszę", "ma", "mam", "tak", "oraz", "teraz", "przez", "które", "tego", "wszystkie"],
    // Czech
    &["v", "z", "na", "do", "že", "ne", "je", "jsou", "byl", "být", "ten", "ta", "to", "jak", "co", "kdo", "kde", "pro",
      "od", "po", "při", "za", "pod", "se", "si", "mi", "mě", "ale", "nebo", "jestli", "už", "ještě", "jen", "může",
      "musí", "prosím", "má", "mám", "tak", "teď", "které", "také", "aby", "ať", "všechny", "jako", "není"],
    // Turkish
    &["ve", "bir", "bu", "şu", "için", "ile", "de", "da", "değil", "var", "yok", "mi", "mı", "mu", "ne", "nasıl",
      "neden", "gibi", "daha", "çok", "ama", "veya", "olarak", "olan", "olsun", "lütfen", "ben", "sen", "biz", "kadar",
      "sonra", "önce", "şimdi", "her", "tüm", "bunu", "yap", "olması"],
    // Swedish, Danish and Norwegian
    &["och", "og", "att", "at", "det", "som", "en", "ett", "et", "är", "er", "inte", "ikke", "på", "för", "av", "til",
      "till", "den", "har", "jag", "jeg", "du", "vi", "kan", "ska", "skal", "om", "men", "eller", "från", "fra", "hur",
      "hvordan", "varför", "hvorfor", "med", "så", "nu", "nå", "också", "også", "vil", "vill", "bara", "bare", "alla", "alle"],
    // Vietnamese
    &["và", "là", "của", "có", "không", "được", "cho", "này", "các", "một", "những", "trong", "với", "để", "khi", "như",
      "tôi", "bạn", "hãy", "thì", "đã", "sẽ", "ở", "từ", "thêm", "lại", "rồi", "cần", "làm"],
    // Indonesian and Malay
    &["yang", "dan", "di", "ke", "dari", "untuk", "dengan", "tidak", "ini", "itu", "adalah", "ada", "bisa", "saya",
      "akan", "atau", "jika", "pada", "sudah", "belum", "juga", "tolong", "jangan", "harus", "karena", "apa", "kamu"],
    // Russian and Ukrainian
    &["и", "в", "на", "не", "что", "это", "как", "с", "по", "для", "из", "у", "к", "но", "или", "если", "все", "всё",
      "мы", "я", "ты", "он", "она", "они", "так", "же", "бы", "есть", "нет", "только", "уже", "ещё", "еще", "надо",
      "нужно", "можно", "почему", "где", "когда", "чтобы", "при", "за", "от", "до", "та", "та", "що", "це", "як", "не"],
];

/// Languages that are told apart.
const COUNT: usize = 1 + OTHERS.len();

/// Fewest function words that show a language.
const FEWEST: u32 = 2;

/// How often function words of each language stand in a text; English first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Heard([u32; COUNT]);

impl Heard {
    /// Counts the function words of a text.
    pub fn of(text: &str) -> Heard {
        let mut out = Heard::default();
        out.add(text);
        out
    }

    /// Counts those of another text as well.
    pub fn add(&mut self, text: &str) {
        let known = function_words();
        let words = text.split(|c: char| !c.is_alphanumeric() && !"_-/.".contains(c));
        for word in words.map(|word| word.trim_matches(['.', '-', '/', '_'])) {
            if word.is_empty() || word.len() > LONGEST {
                continue;
            }
            let languages = match known.get(word) {
                Some(languages) => *languages,
                None if word.chars().any(char::is_uppercase) => {
                    let lower = word.to_lowercase();
                    known.get(lower.as_str()).copied().unwrap_or_default()
                }
                None => 0,
            };
            for (at, count) in self.0.iter_mut().enumerate() {
                *count += u32::from(languages >> at & 1);
            }
        }
    }

    /// The language that is heard most, by its row; `None` where none is heard.
    fn most(&self) -> Option<usize> {
        let counts = self.0.iter().enumerate().rev();
        let (at, count) = counts.max_by_key(|(_, count)| **count)?;
        (*count >= FEWEST).then_some(at)
    }

    /// True where a text is clearly in another language than English.
    pub fn is_not_english(&self) -> bool {
        self.most()
            .is_some_and(|at| at != 0 && self.0[0] * 2 <= self.0[at])
    }

    /// True where a saying is clearly in another language than this text, its summary.
    pub fn differs_from(&self, saying: &Heard) -> bool {
        let (Some(own), Some(other)) = (self.most(), saying.most()) else {
            return false;
        };
        own != other
            && saying.0[own] * 2 <= saying.0[other]
            // Neighbours (Spanish and Portuguese) share words; in a text of two languages either can be meant.
            && self.0[other] * 4 <= self.0[own]
    }
}

/// Length in bytes of the longest function word.
const LONGEST: usize = 16;

/// Each function word with the languages that have it, one bit each.
fn function_words() -> &'static HashMap<&'static str, u16> {
    static KNOWN: OnceLock<HashMap<&'static str, u16>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut out: HashMap<&'static str, u16> = HashMap::new();
        for (at, words) in std::iter::once(&ENGLISH).chain(&OTHERS).enumerate() {
            for word in *words {
                *out.entry(word).or_default() |= 1 << at;
            }
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sayings_are_told_from_a_summary_in_english() {
        let summary = Heard::of(
            "1. Primary request: the user wants the table of rows to be sorted by name and the parser to skip empty \
             lines. It was agreed that no column is dropped in the export, and that all tests must pass.",
        );
        for saying in [
            "wieso werden nicht alle Zeilen der Tabelle sortiert?",
            "welche Spalten gibt es?",
            "pourquoi les lignes ne sont pas triées dans le tableau ?",
            "por favor ordena las filas de la tabla por nombre",
            "quero que as linhas da tabela sejam ordenadas por nome",
            "perché le righe della tabella non sono ordinate?",
            "kun je de rijen van de tabel op naam sorteren?",
            "proszę posortuj wiersze, ale nie usuwaj kolumn",
            "seřaď prosím řádky podle jména a nemaž je, ještě to není hotové",
            "satırları ada göre sırala ve bu tabloyu silme lütfen",
            "kan du sortera raderna och inte ta bort det som finns?",
            "hãy sắp xếp các hàng của bảng theo tên",
            "tolong urutkan baris tabel ini dan jangan hapus kolom",
            "отсортируй строки и не удаляй столбцы",
        ] {
            let heard = Heard::of(saying);
            assert!(summary.differs_from(&heard), "{saying}: {heard:?}");
            assert!(heard.is_not_english(), "{saying}");
        }
        for saying in [
            "sort the rows by name",
            "Remove `de` and `en` from the list of locales",
            "no, on the a/b page",
            "cargo test -p app --no-run",
            "rename die() to stop()",
        ] {
            let heard = Heard::of(saying);
            assert!(
                !summary.differs_from(&heard) && !heard.is_not_english(),
                "{saying}"
            );
        }
    }

    #[test]
    fn a_summary_in_the_same_language_is_compared() {
        let summary = Heard::of(
            "Der Nutzer möchte, dass die Zeilen der Tabelle nach dem Namen sortiert sind und dass keine Spalte fehlt.",
        );
        assert!(!summary.differs_from(&Heard::of("bitte sortiere die Zeilen der Tabelle")));
        assert!(summary.differs_from(&Heard::of("please sort the rows of the table")));
        assert!(!Heard::default().differs_from(&Heard::of("bitte sortiere die Zeilen")));
    }

    #[test]
    fn no_function_word_is_longer_than_looked_for() {
        assert!(function_words().keys().all(|word| word.len() <= LONGEST));
    }
}
