//! What sentences are by their cue words in eight European languages other than English.

use crate::tongues::{Heard, Tongue};
use crate::turns;
use aho_corasick::AhoCorasick;
use std::sync::OnceLock;

/// The cue words of a language.
struct Cues {
    tongue: Tongue,
    /// By which a user asks for something, or says what shall be.
    asking: &'static [&'static str],
    /// By which a sentence limits.
    limiting: &'static [&'static str],
    /// By which a model tells what it chose or changed.
    deciding: &'static [&'static str],
    /// By which a model tells what it found out.
    finding: &'static [&'static str],
}

#[rustfmt::skip]
static CUES: [Cues; 8] = [
    Cues {
        tongue: Tongue::German,
        asking: &["bitte", "kannst du", "könntest du", "ich möchte", "ich will", "wir möchten", "wir wollen", "ich brauche",
            "wir brauchen", "soll", "sollen", "sollte", "sollten", "mach", "mache", "füge", "ändere", "lösche", "entferne",
            "erstelle", "schreibe", "baue", "zeig", "zeige", "prüfe", "lass uns"],
        limiting: &["niemals", "nie", "auf keinen fall", "darf nicht", "dürfen nicht", "darf kein", "darf keine",
            "ausschließlich", "nur noch", "muss immer", "müssen immer", "soll immer", "soll nicht", "sollen nicht",
            "keine neuen", "kein neues", "keine weiteren"],
        deciding: &["stattdessen", "anstatt", "haben uns entschieden", "habe mich entschieden", "umgestellt", "ersetzt durch",
            "verworfen"],
        finding: &["das problem ist", "das problem war", "die ursache", "der grund", "liegt daran", "lag daran",
            "das liegt an", "das lag an", "der fehler ist", "der fehler war", "nämlich", "stellt sich heraus"],
    },
    Cues {
        tongue: Tongue::French,
        asking: &["s'il te plaît", "s'il vous plaît", "peux tu", "peux-tu", "pouvez-vous", "pourrais-tu", "je veux",
            "je voudrais", "j'aimerais", "il faut", "il faudrait", "ajoute", "ajoutez", "supprime", "corrige", "crée",
            "modifie", "fais", "faites"],
        limiting: &["jamais", "uniquement", "surtout pas", "ne dois pas", "ne doit pas", "ne doivent pas", "interdit",
            "obligatoirement", "ne touche pas", "sans modifier", "doit toujours"],
        deciding: &["au lieu de", "au lieu du", "plutôt que", "j'ai choisi", "remplacé par", "remplacée par", "j'ai décidé",
            "on a décidé"],
        finding: &["le problème est", "le problème vient", "la cause", "la raison", "parce que", "à cause de", "le bug"],
    },
    Cues {
        tongue: Tongue::Spanish,
        asking: &["por favor", "puedes", "podrías", "quiero", "quisiera", "necesito", "agrega", "añade", "elimina", "corrige",
            "crea", "haz", "cambia", "hay que", "debería"],
        limiting: &["nunca", "jamás", "solamente", "únicamente", "no debe", "no deben", "no se debe", "no se deben",
            "no quiero", "sin modificar", "sin tocar", "obligatorio", "debe siempre"],
        deciding: &["en lugar de", "en vez de", "decidí", "decidimos", "reemplazado por", "reemplacé"],
        finding: &["el problema es", "el problema era", "la causa", "se debe a", "porque"],
    },
    Cues {
        tongue: Tongue::Portuguese,
        asking: &["por favor", "você pode", "quero", "gostaria", "preciso", "adicione", "remova", "corrija", "crie", "faça",
            "altere", "deveria"],
        limiting: &["nunca", "somente", "apenas", "não deve", "não pode", "não quero", "obrigatório"],
        deciding: &["em vez de", "ao invés de", "decidi", "substituído por", "substituí", "optei por"],
        finding: &["o problema é", "o problema era", "a causa", "acontece porque"],
    },
    Cues {
        tongue: Tongue::Italian,
        asking: &["per favore", "puoi", "voglio", "vorrei", "aggiungi", "rimuovi", "correggi"],
        limiting: &["mai", "soltanto", "non deve", "non devono"],
        deciding: &["invece di", "anziché", "ho scelto", "sostituito con"],
        finding: &["il problema è", "la causa è", "il motivo"],
    },
    Cues {
        tongue: Tongue::Dutch,
        asking: &["alsjeblieft", "kun je", "ik wil", "voeg", "verwijder", "maak"],
        limiting: &["nooit", "altijd", "mag niet", "mag geen", "alleen nog"],
        deciding: &["in plaats van", "gekozen voor", "vervangen door"],
        finding: &["het probleem is", "de oorzaak", "dat komt door", "omdat"],
    },
    Cues {
        tongue: Tongue::Polish,
        asking: &["proszę", "chcę", "dodaj", "usuń", "popraw", "zrób"],
        limiting: &["nigdy", "nie wolno", "wyłącznie"],
        deciding: &["zamiast", "wybrałem", "zastąpione przez"],
        finding: &["problem polega", "przyczyną"],
    },
    Cues {
        tongue: Tongue::Russian,
        asking: &["пожалуйста", "нужно", "надо", "хочу", "сделай", "добавь", "убери", "исправь", "удали", "давай"],
        limiting: &["никогда", "нельзя", "не надо", "не трогай", "ни в коем случае"],
        deciding: &["вместо", "решил", "решили", "заменил", "заменили"],
        finding: &["проблема в", "причина", "потому что", "из-за"],
    },
];

/// One kind of cue words in all languages: most sentences have none of any, and their language is not asked.
struct Kind {
    of: fn(&Cues) -> &'static [&'static str],
    any: OnceLock<Option<AhoCorasick>>,
}

impl Kind {
    const fn new(of: fn(&Cues) -> &'static [&'static str]) -> Kind {
        Kind {
            of,
            any: OnceLock::new(),
        }
    }

    /// True where `padded`, a sentence in lower-case words between single spaces, has a cue of its own language.
    fn stands_in(&self, padded: &str) -> bool {
        let any = self.any.get_or_init(|| {
            let words = CUES.iter().flat_map(|cues| (self.of)(cues));
            turns::searcher(words.map(|word| format!(" {word} ")))
        });
        let Some(any) = any.as_ref().filter(|any| any.is_match(padded)) else {
            return false;
        };
        let heard = Heard::of(padded);
        CUES.iter().any(|cues| {
            (self.of)(cues).iter().any(|word| {
                let mut met = any.find_overlapping_iter(padded).map(|found| found.range());
                met.any(|range| padded[range].trim() == *word)
                    && heard.may_be(cues.tongue, !word.is_ascii())
            })
        })
    }
}

static ASKING: Kind = Kind::new(|cues| cues.asking);
static LIMITING: Kind = Kind::new(|cues| cues.limiting);
static DECIDING: Kind = Kind::new(|cues| cues.deciding);
static FINDING: Kind = Kind::new(|cues| cues.finding);

/// True where a sentence, in lower-case words between single spaces, asks for something.
pub(crate) fn asks(padded: &str) -> bool {
    ASKING.stands_in(padded)
}

/// True where it sets a limit. A question sets none.
pub(crate) fn limits(sentence: &str, padded: &str) -> bool {
    let end = sentence.trim_end_matches(['*', ')', '"', '»', ' ']);
    !end.ends_with(['?', '？']) && LIMITING.stands_in(padded)
}

/// True where it tells a choice.
pub(crate) fn decides(padded: &str) -> bool {
    DECIDING.stands_in(padded)
}

/// True where it tells what was found out.
pub(crate) fn finds(padded: &str) -> bool {
    FINDING.stands_in(padded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::spaced;

    #[test]
    fn sentences_are_told_apart_by_their_cues() {
        for sentence in [
            "bitte sortiere die Zeilen nach dem Namen",
            "bitte Tests ausführen",
            "füge Tests hinzu",
            "ajoute un test",
            "corrige le bug",
            "elimina el archivo",
            "remova os arquivos antigos",
            "aggiungi il test",
            "verwijder alle bestanden",
            "исправь ошибку",
            "il faut trier les lignes par nom dans le tableau",
            "quiero que las filas se ordenen por nombre",
            "você pode ordenar as linhas por nome",
            "нужно сортировать строки по имени",
        ] {
            assert!(asks(&spaced(sentence)), "{sentence}");
        }
        let limits = |sentence: &str| limits(sentence, &spaced(sentence));
        for sentence in [
            "Die alten Dateien werden niemals von uns geändert.",
            "niemals Tests löschen",
            "altere apenas o arquivo de config",
            "нельзя менять API",
            "ne touche pas à la table des clients, uniquement aux lignes",
            "los archivos viejos no se deben tocar nunca",
            "não quero que o arquivo seja alterado",
        ] {
            assert!(limits(sentence), "{sentence}");
        }
        assert!(decides(&spaced(
            "Der Leser liest jetzt nach Zeilen, anstatt die Blöcke zu zählen"
        )));
        assert!(finds(&spaced(
            "Das Problem ist, dass die Zeile nicht endet"
        )));
        for sentence in [
            "muss die Zeile denn niemals einen Namen haben?",
            "rows are only read once, always",
            "the solo mode must not touch `nunca`",
            "Der Bericht ist am 5. Mai fertig und wird mir geschickt",
            "Testy nie działają na serwerze, ale tylko teraz",
            "ça ne marche toujours pas dans le tableau",
            "das ist immer noch kaputt und ich habe es getestet",
            "Das ist kein Problem",
        ] {
            assert!(!limits(sentence), "{sentence}");
        }
        assert!(!decides(&spaced(
            "Die Prüfung findet im Leser statt, und das ist noch nicht entschieden"
        )));
    }
}
