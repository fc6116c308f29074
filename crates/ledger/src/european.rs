//! What sentences are by their cue words in languages other than English that part words by spaces.

use crate::tongues::Heard;
use crate::turns::Turns;

/// Words by which a user asks for something, or says what shall be.
#[rustfmt::skip]
static ASKING: Turns = Turns::of_words(&[
    // German
    "bitte", "kannst du", "könntest du", "ich möchte", "ich will", "wir möchten", "wir wollen", "ich brauche", "wir brauchen",
    "soll", "sollen", "sollte", "sollten", "mach", "mache", "füge", "ändere", "lösche", "entferne", "erstelle", "schreibe",
    "baue", "zeig", "zeige", "prüfe", "lass uns",
    // French
    "s'il te plaît", "s'il vous plaît", "peux tu", "peux-tu", "pouvez-vous", "pourrais-tu", "je veux", "je voudrais",
    "j'aimerais", "il faut", "il faudrait", "ajoute", "ajoutez", "supprime", "corrige", "crée", "modifie", "fais", "faites",
    // Spanish and Portuguese
    "por favor", "puedes", "podrías", "quiero", "quisiera", "necesito", "agrega", "añade", "elimina", "corrige", "crea", "haz",
    "cambia", "hay que", "você pode", "pode", "quero", "gostaria", "preciso", "adicione", "remova", "corrija", "crie", "faça",
    "altere", "debe", "debería", "deve", "deveria",
    // Italian and Dutch
    "per favore", "puoi", "voglio", "vorrei", "aggiungi", "rimuovi", "correggi", "alsjeblieft", "kun je", "ik wil", "voeg",
    "verwijder", "moet",
    // Polish, Russian
    "proszę", "chcę", "dodaj", "usuń", "popraw", "zrób", "пожалуйста", "нужно", "надо", "хочу", "сделай", "добавь", "убери",
    "исправь", "удали", "давай",
]);

/// Words by which a sentence limits.
#[rustfmt::skip]
static LIMITING: Turns = Turns::of_words(&[
    // German
    "niemals", "nie", "auf keinen fall", "darf nicht", "dürfen nicht", "darf kein", "darf keine", "ausschließlich", "nur noch",
    "unbedingt", "immer", "soll nicht", "sollen nicht", "kein", "keine", "keinen", "muss", "müssen",
    // French
    "jamais", "uniquement", "seulement", "surtout pas", "ne dois pas", "ne doit pas", "interdit", "toujours", "obligatoirement",
    "ne touche pas", "sans modifier", "doit", "doivent",
    // Spanish and Portuguese
    "nunca", "jamás", "solamente", "únicamente", "siempre", "no debe", "no deben", "no quiero", "sin modificar", "sin tocar",
    "somente", "apenas", "sempre", "não deve", "não pode", "não quero", "obrigatório", "obligatorio", "debe", "deve",
    // Italian and Dutch
    "mai", "soltanto", "non deve", "nooit", "alleen", "altijd", "mag niet", "mag geen",
    // Polish, Russian
    "nigdy", "tylko", "zawsze", "nie wolno", "никогда", "только", "всегда", "нельзя", "обязательно", "не надо", "не трогай",
]);

/// Words by which a model tells what it chose or changed.
#[rustfmt::skip]
static DECIDING: Turns = Turns::of_words(&[
    "stattdessen", "statt", "anstatt", "entschieden", "umgestellt", "ersetzt durch", "ersetzt", "verworfen",
    "au lieu de", "au lieu du", "plutôt que", "j'ai choisi", "remplacé par", "remplacée par", "décidé",
    "en lugar de", "en vez de", "decidí", "decidimos", "reemplazado por", "reemplacé", "em vez de", "ao invés de", "decidi",
    "substituído por", "substituí", "optei por", "invece di", "anziché", "ho scelto", "in plaats van", "gekozen",
    "zamiast", "вместо", "решил", "заменил", "заменили",
]);

/// Words by which a model tells what it found out.
#[rustfmt::skip]
static FINDING: Turns = Turns::of_words(&[
    "das problem ist", "das problem war", "die ursache", "der grund", "liegt daran", "lag daran", "das liegt an", "das lag an",
    "das heißt", "der fehler ist", "der fehler war", "nämlich", "stellt sich heraus",
    "le problème est", "le problème vient", "la cause", "la raison", "parce que", "à cause de", "le bug",
    "el problema es", "el problema era", "la causa", "se debe a", "porque", "o problema é", "o problema era", "a causa",
    "acontece porque", "il problema è", "la causa è", "het probleem is", "de oorzaak", "omdat",
    "problem polega", "przyczyną", "проблема в", "причина", "потому что", "из-за",
]);

fn has(cues: &Turns, sentence: &str, padded: &str) -> bool {
    cues.stand_in(padded) && Heard::of(sentence).is_not_english()
}

/// True where it asks for something; `padded` is the sentence in lower-case words between single spaces.
pub(crate) fn asks(sentence: &str, padded: &str) -> bool {
    has(&ASKING, sentence, padded)
}

/// True where it sets a limit. A question sets none.
pub(crate) fn limits(sentence: &str, padded: &str) -> bool {
    !sentence.trim_end().ends_with('?') && has(&LIMITING, sentence, padded)
}

/// True where it tells a choice.
pub(crate) fn decides(sentence: &str, padded: &str) -> bool {
    !sentence.trim_end().ends_with('?') && has(&DECIDING, sentence, padded)
}

/// True where it tells what was found out.
pub(crate) fn finds(sentence: &str, padded: &str) -> bool {
    has(&FINDING, sentence, padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(sentence: &str) -> String {
        crate::sentence::spaced(sentence)
    }

    #[test]
    fn sentences_are_told_apart_by_their_cues() {
        let of = |cue: fn(&str, &str) -> bool, sentence: &str| cue(sentence, &padded(sentence));
        for sentence in [
            "bitte sortiere die Zeilen nach dem Namen",
            "il faut trier les lignes par nom dans le tableau",
            "quiero que las filas se ordenen por nombre",
            "você pode ordenar as linhas por nome",
            "нужно сортировать строки по имени",
        ] {
            assert!(of(asks, sentence), "{sentence}");
        }
        for sentence in [
            "Die alten Dateien werden niemals von uns geändert.",
            "ne touche pas à la table des clients, uniquement aux lignes",
            "los archivos viejos no se deben tocar nunca",
            "não quero que o arquivo seja alterado",
        ] {
            assert!(of(limits, sentence), "{sentence}");
        }
        assert!(of(
            decides,
            "Der Leser ist jetzt umgestellt und liest nach Zeilen statt nach Blöcken"
        ));
        assert!(of(finds, "Das Problem ist, dass die Zeile nicht endet"));
        for sentence in [
            "muss die Zeile denn auch einen Namen haben?",
            "rows are only read once, always",
            "the solo mode must not touch `keine`",
        ] {
            assert!(!of(limits, sentence), "{sentence}");
        }
    }
}
