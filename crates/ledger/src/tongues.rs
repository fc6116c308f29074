//! Which language a text is in, by its function words, for languages that part words by spaces: enough to tell that a
//! summary and what it summarizes are in two languages, not to name each language of the world.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::sync::OnceLock;

/// A language that is told from others; the rows of [`WORDS`] stand in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Polish,
    Czech,
    Turkish,
    /// Swedish, Danish and Norwegian.
    Scandinavian,
    Vietnamese,
    /// Indonesian and Malay.
    Indonesian,
    /// Russian and Ukrainian.
    Russian,
}

const TONGUES: [Tongue; 14] = [
    Tongue::English,
    Tongue::German,
    Tongue::French,
    Tongue::Spanish,
    Tongue::Portuguese,
    Tongue::Italian,
    Tongue::Dutch,
    Tongue::Polish,
    Tongue::Czech,
    Tongue::Turkish,
    Tongue::Scandinavian,
    Tongue::Vietnamese,
    Tongue::Indonesian,
    Tongue::Russian,
];

/// Function words of each language. A word that English has as well speaks for neither, so a row may have any of
/// these; words that mean something in code or in technical English (`sin`, `pod`, `per`, `plus`) are left out.
#[rustfmt::skip]
const WORDS: [&[&str]; 14] = [
    &["the", "a", "an", "and", "or", "but", "not", "is", "are", "was", "were", "be", "been", "has", "have", "had", "do",
      "does", "did", "i", "you", "we", "they", "he", "she", "it", "this", "that", "these", "those", "to", "of", "in",
      "on", "at", "for", "from", "with", "by", "as", "if", "when", "how", "why", "what", "where", "which", "who", "can",
      "could", "should", "must", "will", "would", "please", "also", "only", "just", "there", "here", "so", "then",
      "than", "into", "no", "my", "me", "us", "your", "our", "its", "all", "any", "more", "now", "same", "each", "after",
      "before", "over", "her", "die", "men", "am", "let", "use", "up", "out"],
    &["der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem", "einer", "und", "oder", "aber", "nicht",
      "kein", "keine", "keinen", "ist", "sind", "wird", "werden", "wurde", "hat", "haben", "habe", "ich", "du", "wir",
      "ihr", "sie", "es", "mir", "mich", "uns", "zu", "zur", "zum", "mit", "von", "vom", "für", "auf", "bei", "aus",
      "nach", "über", "unter", "wenn", "dass", "weil", "wie", "wieso", "warum", "was", "wo", "welche", "welcher",
      "welches", "kann", "kannst", "können", "soll", "sollen", "sollte", "muss", "müssen", "bitte", "auch", "nur",
      "noch", "schon", "jetzt", "gibt", "nein", "dann", "sich", "im", "am", "nochmal", "damit", "diese", "dieser",
      "dieses", "mein", "meine", "meiner", "immer", "alle", "doch", "denn", "dazu", "niemals", "nie", "ausschließlich",
      "neuen", "in", "an", "so", "also", "will", "man", "war", "hier"],
    &["le", "la", "les", "un", "une", "du", "et", "ou", "mais", "pas", "ne", "est", "sont", "était", "être",
      "avoir", "ont", "je", "tu", "il", "elle", "nous", "vous", "ils", "qui", "quoi", "pour", "avec", "dans", "sans",
      "ce", "cette", "ces", "mon", "ton", "au", "aux", "comme", "faut", "peux", "peut", "dois", "doit", "fait",
      "faire", "merci", "que", "quand", "pourquoi", "aussi", "encore", "déjà", "très", "tout", "toutes", "tous", "où",
      "de", "en", "se", "leur", "ça", "jamais", "toujours", "uniquement", "on", "a", "as", "me"],
    &["el", "la", "los", "las", "un", "una", "pero", "es", "está", "están", "estar", "que", "qué", "por", "para", "en",
      "de", "del", "al", "se", "lo", "le", "su", "mi", "tu", "te", "nos", "como", "cómo", "cuando", "donde", "dónde",
      "si", "sí", "muy", "ya", "también", "hay", "puede", "puedes", "debe", "quiero", "hacer", "favor", "más", "eso",
      "esto", "este", "esta", "porque", "ahora", "todo", "todos", "necesito", "cada", "otro", "otra", "nunca",
      "siempre", "no", "a", "me", "con", "y"],
    &["os", "um", "uma", "mas", "não", "é", "são", "está", "estão", "que", "com", "sem", "por", "para", "em", "de", "da",
      "dos", "das", "nos", "nas", "se", "seu", "sua", "meu", "minha", "eu", "você", "ele", "ela", "nós", "como",
      "quando", "onde", "mais", "muito", "já", "também", "tem", "pode", "deve", "quero", "fazer", "favor", "isso",
      "esse", "essa", "ao", "porque", "agora", "todos", "preciso", "ou", "foi", "só", "faça", "pelo", "nunca", "sempre",
      "do", "no", "as", "a", "me", "o", "e"],
    &["il", "lo", "la", "gli", "le", "un", "una", "ma", "è", "sono", "essere", "che", "chi", "senza", "della", "dei",
      "delle", "alla", "nel", "nella", "si", "mi", "quando", "dove", "più", "molto", "già", "anche", "può", "deve",
      "voglio", "questo", "questa", "perché", "tutti", "tutte", "ho", "hai", "favore", "sempre", "mai", "non", "in",
      "a", "me", "no", "di", "da", "del"],
    &["de", "het", "een", "en", "maar", "niet", "geen", "zijn", "worden", "wordt", "ik", "jij", "je", "wij", "jullie",
      "zij", "dat", "wat", "wie", "met", "van", "voor", "bij", "uit", "naar", "als", "omdat", "hoe", "waarom", "waar",
      "kan", "kun", "moet", "ook", "nog", "nu", "er", "te", "zou", "graag", "deze", "dit", "alle", "mijn", "om", "heb",
      "heeft", "nooit", "altijd", "die", "was", "is", "in", "of", "we", "had", "over", "me", "up", "hier", "al", "op"],
    &["na", "że", "nie", "jest", "są", "był", "być", "jak", "co", "kto", "gdzie", "dla", "po", "przy", "za", "się", "mi",
      "mnie", "ale", "lub", "czy", "już", "jeszcze", "tylko", "może", "musi", "trzeba", "proszę", "mam", "tak", "oraz",
      "teraz", "przez", "które", "tego", "wszystkie", "nigdy", "zawsze", "to", "do", "i", "a"],
    &["na", "že", "ne", "je", "jsou", "byl", "být", "jak", "co", "kdo", "kde", "po", "při", "za", "se", "si", "mi", "mě",
      "ale", "nebo", "jestli", "už", "ještě", "jen", "může", "musí", "prosím", "má", "mám", "tak", "teď", "které",
      "také", "aby", "ať", "všechny", "jako", "není", "to", "do", "a", "i"],
    &["ve", "bir", "bu", "şu", "için", "ile", "değil", "yok", "mı", "mu", "nasıl", "neden", "gibi", "daha", "çok", "ama",
      "veya", "olarak", "olan", "olsun", "lütfen", "biz", "kadar", "sonra", "önce", "şimdi", "tüm", "bunu", "olması",
      "her", "o"],
    &["och", "og", "att", "det", "som", "en", "ett", "et", "är", "er", "inte", "ikke", "på", "för", "av", "til", "den",
      "har", "jag", "jeg", "du", "kan", "ska", "skal", "om", "eller", "från", "fra", "hur", "hvordan", "varför",
      "hvorfor", "med", "så", "nu", "nå", "också", "også", "vil", "vill", "bara", "alla", "alle", "men", "at", "for",
      "i", "at"],
    &["và", "là", "của", "có", "không", "được", "cho", "này", "các", "một", "những", "trong", "với", "để", "khi", "như",
      "tôi", "bạn", "hãy", "thì", "đã", "sẽ", "ở", "từ", "thêm", "lại", "rồi", "cần", "làm"],
    &["yang", "dan", "di", "ke", "dari", "untuk", "dengan", "tidak", "itu", "adalah", "ada", "bisa", "saya", "akan",
      "atau", "jika", "pada", "sudah", "belum", "juga", "tolong", "jangan", "harus", "karena", "apa", "kamu"],
    &["и", "в", "на", "не", "что", "это", "как", "с", "по", "для", "из", "у", "к", "но", "или", "если", "все", "всё",
      "мы", "я", "ты", "он", "она", "они", "так", "же", "бы", "есть", "нет", "только", "уже", "ещё", "еще", "надо",
      "нужно", "можно", "почему", "где", "когда", "чтобы", "при", "за", "от", "до", "та", "що", "це", "як",
      "никогда", "пожалуйста"],
];

/// Fewest function words that show a language other than English.
const FEWEST: u32 = 3;

/// How many of them are enough where they are a good share of a short text.
const FEWEST_OF_SHORT: u32 = 2;

/// Most words of which they are a good share.
const SHORT: u32 = 8;

/// How often function words of each language stand in texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// Words that are looked up at all.
    words: u32,
    english: u32,
    /// By language, its words that English has not.
    own: [u32; TONGUES.len()],
    /// By language, its words that English has as well: they speak for neither.
    shared: [u32; TONGUES.len()],
    /// By language, its own words of three bytes or more: `de`, `ne` and `es` are codes and operators, too.
    long: [u32; TONGUES.len()],
}

impl Heard {
    /// Counts the function words of a text.
    pub fn of(text: &str) -> Heard {
        let mut out = Heard::default();
        out.add(text);
        out
    }

    /// Counts those of another text as well, each word of it once.
    pub fn add(&mut self, text: &str) {
        let known = function_words();
        let mut met: HashSet<&'static str> = HashSet::default();
        let words = text.split(|c: char| !c.is_alphanumeric() && !"_-/.".contains(c));
        for word in words.map(|word| word.trim_matches(['.', '-', '/', '_'])) {
            if word.is_empty() {
                continue;
            }
            self.words += 1;
            let found = known.get_key_value(word).or_else(|| {
                // "Die", and no `CI` or `EST`.
                let is_capitalized = word.chars().skip(1).all(char::is_lowercase);
                let lower = is_capitalized.then(|| word.to_lowercase())?;
                known.get_key_value(lower.as_str())
            });
            let Some((&word, &languages)) = found.filter(|(word, _)| met.insert(word)) else {
                continue;
            };
            let is_english = languages & 1 == 1;
            self.english += u32::from(is_english);
            let is_long = word.len() > 2;
            for at in (1..TONGUES.len()).filter(|at| languages >> at & 1 == 1) {
                let counted = if is_english {
                    &mut self.shared[at]
                } else {
                    &mut self.own[at]
                };
                *counted += 1;
                self.long[at] += u32::from(is_long && !is_english);
            }
        }
    }

    /// The other language that is heard most, by its row.
    fn other(&self) -> usize {
        // Of equal ones the first.
        let rows = (1..TONGUES.len()).rev();
        rows.max_by_key(|&at| self.own[at] * 4 + self.shared[at])
            .unwrap_or_default()
    }

    /// English words that the language of row `at` has not.
    fn only_english(&self, at: usize) -> u32 {
        self.english - self.shared[at]
    }

    /// The language other than English that a text is clearly in.
    pub fn foreign(&self) -> Option<Tongue> {
        let at = self.other();
        let enough = self.own[at] >= FEWEST
            || self.own[at] >= FEWEST_OF_SHORT && self.words <= SHORT && self.only_english(at) == 0;
        (enough && self.long[at] > 0 && self.only_english(at) * 2 <= self.own[at])
            .then(|| TONGUES[at])
    }

    /// The language other than English that a text may be in: it has one of its longer words, and none that only
    /// English has.
    pub fn perhaps_foreign(&self) -> Option<Tongue> {
        let at = self.other();
        let leans = self.long[at] > 0 && self.only_english(at) == 0;
        self.foreign().or(leans.then(|| TONGUES[at]))
    }

    /// True for a short text that may be in a language of which it has a cue word: it has none that only English has, and
    /// of no language more. The letters of the cue may say so alone.
    pub fn may_be(&self, tongue: Tongue, by_letters: bool) -> bool {
        let at = tongue as usize;
        let most = self.own.iter().all(|count| *count <= self.own[at]);
        self.foreign() == Some(tongue)
            || most && self.only_english(at) == 0 && (self.own[at] > 0 || by_letters)
    }

    /// The language that a text of some length is in.
    fn language(&self) -> Option<Tongue> {
        let is_english = self.english >= FEWEST;
        self.foreign().or(is_english.then_some(Tongue::English))
    }

    /// How much of a language is heard in a text of some length.
    fn amount(&self, tongue: Tongue) -> u32 {
        match tongue {
            Tongue::English => self.only_english(self.other()),
            other => self.own[other as usize],
        }
    }

    /// True where a saying is clearly in another language than this text, its summary. Where most of what is said is in
    /// `spoken`, a word of that language and none of English is clear enough.
    pub fn differs_from(&self, saying: &Heard, spoken: Option<Tongue>) -> bool {
        let leaning = || saying.perhaps_foreign().filter(|own| Some(*own) == spoken);
        let (Some(own), Some(other)) = (self.language(), saying.language().or_else(leaning)) else {
            return false;
        };
        // Neighbours (Spanish and Portuguese) share words, and in a text of two languages either can be meant.
        own != other && self.amount(other) * 4 <= self.amount(own).max(1)
    }
}

/// Each function word with the languages that have it, one bit each.
fn function_words() -> &'static HashMap<&'static str, u16> {
    static KNOWN: OnceLock<HashMap<&'static str, u16>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut out: HashMap<&'static str, u16> = HashMap::default();
        for (at, words) in WORDS.iter().enumerate() {
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
            "Also ich will das so in der Tabelle",
            "pourquoi les lignes ne sont pas triées dans le tableau ?",
            "por favor ordena las filas de la tabla por nombre",
            "quero que as linhas da tabela sejam ordenadas por nome",
            "perché le righe della tabella non sono ordinate?",
            "is het in de app of niet?",
            "proszę posortuj wiersze, ale nie usuwaj kolumn",
            "seřaď prosím řádky podle jména a nemaž je, ještě to není hotové",
            "satırları ada göre sırala ve bu tabloyu silme lütfen",
            "kan du sortera raderna och inte ta bort det som finns?",
            "hãy sắp xếp các hàng của bảng theo tên",
            "tolong urutkan baris tabel ini dan jangan hapus kolom",
            "отсортируй строки и не удаляй столбцы",
        ] {
            let heard = Heard::of(saying);
            assert!(summary.differs_from(&heard, None), "{saying}: {heard:?}");
            assert!(heard.foreign().is_some(), "{saying}");
        }
        let short = Heard::of("bitte Tests ausführen");
        assert!(!summary.differs_from(&short, None));
        assert!(summary.differs_from(&short, Some(Tongue::German)));
        assert_eq!(short.perhaps_foreign(), Some(Tongue::German));
    }

    #[test]
    fn terse_orders_in_english_are_english() {
        let summary =
            Heard::of("The user wants the rows to be sorted, and that all tests pass in the end.");
        for saying in [
            "sort the rows by name",
            "Remove `de` and `en` from the list of locales",
            "add locales de, en, es, fr",
            "no, on the a/b page",
            "cargo test -p app --no-run",
            "rename die() to stop()",
            "run tests in CI",
            "one row per item in list",
            "store one file per session in folder",
            "requests come in late",
            "limit retries to ten",
            "convert NA to 0",
            "move pod to node",
            "coverage threshold was met",
            "workers die, reason was OOM",
            "look at HAR file",
            "do OS detection",
            "Use ES modules, no CommonJS",
            "use C++ or C",
            "plot y = sin(x)",
            "gcc -c main.c -o out -e start",
            "Fix comment and docs plus tests",
            "support lt, le, gt, ge, eq, ne",
            "use var, not her",
        ] {
            let heard = Heard::of(saying);
            assert!(!summary.differs_from(&heard, None), "{saying}");
            assert_eq!(heard.foreign(), None, "{saying}");
        }
    }

    #[test]
    fn a_summary_in_the_same_language_is_compared() {
        let summary = Heard::of(
            "Der Nutzer möchte, dass die Zeilen der Tabelle nach dem Namen sortiert sind und dass keine Spalte fehlt.",
        );
        let differs = |saying| summary.differs_from(&Heard::of(saying), None);
        assert!(!differs(
            "bitte sortiere die Zeilen der Tabelle nach dem Namen"
        ));
        assert!(differs(
            "please sort the rows of the table, and do not drop any"
        ));
        let none = Heard::default();
        assert!(!none.differs_from(&Heard::of("bitte sortiere die Zeilen nach dem Namen"), None));
    }

    #[test]
    fn every_language_has_its_row() {
        for (at, tongue) in TONGUES.into_iter().enumerate() {
            assert_eq!(tongue as usize, at);
        }
    }
}
