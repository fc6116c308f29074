//! What the user says: requests, limits, and the answers to what the model asked or listed.

use crate::candidate::{Registry, Standing, role_weight};
use crate::led_lists::{self, Lead, is_marked, within};
use crate::lists::{self, Item, Picked};
use crate::span::Part;
use crate::{documents, errors, leaning, pasted, prose, slight, standalone, words};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// Content words from which a sentence tells what a message is about.
const TELLING_WORDS: usize = 4;

/// A prompt up to this many bytes is one fact as a whole when no sentence of it asks.
const WHOLE_BYTES: usize = 240;

/// A prompt of at most this many words says nothing without what it answers ("do it"): three name something already.
const BARE_WORDS: usize = 2;

/// A prompt of at most this many words is shown with the question it answers.
const SHORT_WORDS: usize = 7;

/// What begins in so many bytes of a message may answer the question before it, which is as far as the longest such
/// answer kept as a whole.
const ANSWERING_BYTES: usize = 240;

/// Longest question kept with an answer, in bytes.
const MAX_QUESTION_BYTES: usize = 240;

/// A message from this many bytes with two headings is a document that the user passes on.
const DOCUMENT_BYTES: usize = 1200;

/// What the model said last, which the user's next words may answer.
#[derive(Debug, Default)]
pub(crate) struct Said<'a> {
    text: Option<&'a str>,
    /// The newest list with two labelled items or more.
    list: Option<(Part<'a>, Vec<Item>)>,
    /// True while nothing but calls and results came after the list.
    list_is_newest: bool,
}

impl<'a> Said<'a> {
    /// Notes a text of the model.
    pub fn note(&mut self, part: &Part<'a>) {
        self.text = Some(part.text);
        let items = lists::items(part.text);
        if items.len() >= 2 {
            self.list = Some((*part, items));
            self.list_is_newest = true;
        } else if part.text.len() > 200 {
            self.list_is_newest = false;
        }
    }
}

/// The user's own words of a message: material left out, and of a document (two headings or more
/// in a long text) all from its first heading on.
pub(crate) fn own_words(text: &str) -> Vec<Range<usize>> {
    let own = pasted::own_words(text);
    let headings: Vec<usize> = words::lines(text)
        .filter(|line| {
            let content = &text[line.clone()];
            let level = content.bytes().take_while(|b| *b == b'#').count();
            (1..=4).contains(&level) && content[level..].starts_with(' ')
        })
        .map(|line| line.start)
        .collect();
    match headings.first() {
        Some(&first) if text.len() >= DOCUMENT_BYTES && headings.len() >= 2 && first > 0 => own
            .into_iter()
            .filter(|range| range.start < first)
            .map(|range| range.start..range.end.min(first))
            .collect(),
        _ => passed_on(text, own),
    }
}

/// Fewest bytes of paragraphs that the user passes on rather than says.
const PASSED_ON_BYTES: usize = 240;

/// Words with which somebody speaks for himself, which a review that is passed on does not have.
#[rustfmt::skip]
const PERSONAL: &[&str] = &[
    "i", "i'm", "i'd", "i've", "i'll", "we", "we're", "we'd", "you", "you're", "your", "my", "our", "me", "us", "let's", "please",
];

/// Words with which the user speaks of what stands above.
const JUDGING: &[&str] = &[
    "feedback",
    "point",
    "points",
    "comment",
    "comments",
    "suggestion",
    "suggestions",
    "review",
    "good",
    "fair",
    "great",
    "valid",
    "right",
    "true",
    "agree",
    "agreed",
    "correct",
    "worth",
    "address",
    "thoughts",
    "think",
];

/// The user's own words without a text that the user passes on and then speaks of: paragraphs that speak for nobody,
/// in front of one that judges them ("I think this is good feedback").
fn passed_on(text: &str, own: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let Some(last) = text.trim_end().rfind("\n\n").map(|at| at + 2) else {
        return own;
    };
    let (above, below) = text.split_at(last);
    if above.len() < PASSED_ON_BYTES {
        return own;
    }
    let above = prose::spaced(above);
    let below = prose::spaced(below);
    let has =
        |padded: &str, list: &[&str]| padded.split_whitespace().any(|word| list.contains(&word));
    let impersonal = !has(&above, PERSONAL) && !above.contains('?');
    let judges = has(&below, PERSONAL)
        && has(&below, JUDGING)
        && has(&below, &["this", "that", "these", "those", "it", "them"]);
    if !(impersonal && judges) {
        return own;
    }
    own.into_iter()
        .filter(|range| range.end > last)
        .map(|range| range.start.max(last)..range.end)
        .collect()
}

/// What a message of the user shows by itself.
pub(crate) struct Prompt {
    /// The user's own words in it.
    own: Vec<Range<usize>>,
    /// The same as one line.
    whole: String,
    /// A plan that the user passes on.
    plan: Option<Range<usize>>,
    sentences: Vec<Range<usize>>,
    /// What it asks for and limits, in order.
    wishes: Vec<Wish>,
    /// True where one of these asks or limits.
    wants: bool,
    /// What it states besides.
    stated: Vec<Stated>,
}

/// A sentence that asks or limits.
struct Wish {
    kind: FactKind,
    range: Range<usize>,
    key: String,
    lighter: i32,
    /// The sentence with what it lacks by itself.
    text: Option<String>,
    /// The sentence before it, where it means something said there.
    lead: Option<String>,
}

/// A sentence that explains a wish.
struct Stated {
    range: Range<usize>,
    key: String,
    lighter: i32,
}

impl Prompt {
    /// Reads the text of a message.
    pub fn of(text: &str) -> Prompt {
        let own = own_words(text);
        let whole: String = own
            .iter()
            .map(|range| text[range.clone()].trim())
            .collect::<Vec<_>>()
            .join(" ");
        let all: Vec<Range<usize>> = prose::sentences_of(text, &own);
        let plan = documents::plan(text);
        let title = plan.clone().and_then(|plan| documents::title(&text[plan]));
        let all = match unended(text, &own, &all) {
            Some(whole) => vec![whole],
            None => standalone::joined(text, all, |range| listed(text, range)),
        };
        let sentences: Vec<Range<usize>> = all
            .into_iter()
            .map(|range| without_data(text, range))
            .collect();
        let mut prompt = Prompt {
            own,
            whole,
            plan: plan.clone(),
            sentences: Vec::new(),
            wishes: Vec::new(),
            wants: false,
            stated: Vec::new(),
        };
        let mut stated = Vec::new();
        let leads = led_lists::leads(text, &sentences);
        for range in &sentences {
            let sentence = &text[range.clone()];
            let led = leads.iter().find(|lead| within(&lead.whole, range));
            let opens = standalone::only_opens(sentence) && sentences.len() > 1;
            let says_nothing = opens
                || prose::only_agrees(sentence)
                || is_quoted(sentence)
                || quotes_model(sentence);
            // What leads up to a list says what the list says.
            let leads_up = led.is_some_and(|lead| lead.own == *range && !lead.lists_wishes);
            // An item that limits counts beside the list it stands in.
            let is_item =
                |lead: &Lead| lead.own != *range && !lead.lists_wishes && !lead.names_parts;
            let limits = led.is_some_and(is_item) && prose::cues(sentence).constraint;
            if says_nothing && !leads_up
                || !limits && led.is_some_and(|lead| lead.lists_wishes == (lead.own == *range))
            {
                continue;
            }
            // Things that are listed without a wish of their own belong to what leads up to them.
            let listing = led.filter(|lead| !lead.lists_wishes && !limits);
            let kind = kind_of(text, range, listing.is_some());
            let range = listing.map_or(range, |lead| &lead.whole);
            match kind {
                Some(kind) => {
                    let lead = leaning::before_in_prompt(text, &sentences, range);
                    prompt.wish(text, range, kind, title, lead);
                }
                None => stated.push(range.clone()),
            }
        }
        // A report of what goes wrong asks for nothing, and each sentence of a long one counts; lines of a
        // log that stand beside it do not end as sentences.
        if !prompt.wants {
            let long = text.len() > WHOLE_BYTES;
            stated.retain(|range| long && text[range.clone()].ends_with(['.', '!', '?']));
        }
        prompt.stated = stated
            .into_iter()
            .filter_map(|range| stated_in(text, range))
            .collect();
        prompt.sentences = sentences;
        prompt
    }

    fn wish(
        &mut self,
        text: &str,
        range: &Range<usize>,
        kind: FactKind,
        title: Option<&str>,
        lead: Option<String>,
    ) {
        let sentence = &text[range.clone()];
        self.wants |= kind != FactKind::Todo;
        // "Implement the following plan:" says nothing without the title of the plan.
        let title = title.filter(|_| sentence.ends_with(':'));
        self.wishes.push(Wish {
            kind,
            range: range.clone(),
            key: words::sentence_key(sentence),
            lighter: passing(kind, sentence),
            text: title
                .map(|title| words::one_line(&format!("{sentence} {title}"), MAX_QUESTION_BYTES)),
            lead,
        });
    }
}

/// What a sentence of the user is that wants something; `listing` where it leads up to a list and the list
/// belongs to it.
fn kind_of(text: &str, range: &Range<usize>, listing: bool) -> Option<FactKind> {
    if assigns(text, range) {
        return Some(FactKind::Decision);
    }
    let cues = prose::cues(&text[range.clone()]);
    if cues.constraint {
        Some(FactKind::Constraint)
    } else if cues.request {
        Some(FactKind::UserRequest)
    } else if cues.todo {
        Some(FactKind::Todo)
    } else if listing || listed(text, range) {
        Some(FactKind::UserRequest)
    } else {
        None
    }
}

/// Notes a message of the user. Every message is a fact at least once: its asking and limiting
/// sentences, or else the whole of a short one, or the first telling sentence of a long one.
pub(crate) fn note<'a>(
    registry: &mut Registry,
    part: &Part<'a>,
    prompt: Prompt,
    said: &mut Said<'a>,
) {
    let text = part.text;
    let question = said.text.and_then(lists::question);
    pick(registry, &prompt.whole, said);
    if let Some(plan) = prompt.plan {
        documents::read_plan(registry, part, plan);
    }
    for wish in prompt.wishes {
        let sentence = &text[wish.range.clone()];
        let range = wish.range.clone();
        // Items of a list of the user's own answer nothing.
        let question = question.filter(|_| {
            let at_head = range.start <= ANSWERING_BYTES;
            at_head && wish.lead.is_none() && !is_marked(text, &range)
        });
        let index = registry.add(wish.kind, wish.key, part, range, role_weight::USER);
        answer(registry, index, sentence, question);
        let fact = &mut registry.facts[index];
        fact.lighter = wish.lighter;
        fact.lead = fact.lead.take().or(wish.lead);
        if let Some(text) = wish.text {
            fact.text = text;
        }
    }
    if !prompt.wants {
        rest(registry, part, &prompt.own, &prompt.sentences, question);
    }
    state(registry, part, prompt.stated);
    said.list_is_newest = false;
}

/// Fewest bytes of a sentence in front of data that stands behind it on its line.
const BEFORE_DATA: usize = 12;

/// A sentence without the record of a log or the JSON that is pasted behind it.
fn without_data(text: &str, range: Range<usize>) -> Range<usize> {
    let sentence = &text[range.clone()];
    match sentence.find("{\"").filter(|&at| at >= BEFORE_DATA) {
        Some(at) => words::trim(text, range.start..range.start + at),
        None => range,
    }
}

/// How many ranks lighter a question is that the model's next words settle, and a word that drives it on.
const PASSING: i32 = 5;

fn passing(kind: FactKind, sentence: &str) -> i32 {
    let passes = kind == FactKind::UserRequest
        && (standalone::only_asks(sentence)
            || standalone::only_drives(sentence)
            || standalone::is_aside(sentence)
            || standalone::is_of_the_agent(sentence)
            || standalone::hands_over(sentence)
            || is_place(sentence));
    if passes { PASSING } else { 0 }
}

/// True for an address or a path and nothing else, which the user gives with what is wanted of it.
fn is_place(sentence: &str) -> bool {
    let bare = sentence.trim_matches(|c: char| !c.is_alphanumeric());
    let path = sentence.trim().trim_start_matches('~');
    let is_path = path.starts_with('/') && path.matches('/').count() >= 2;
    (bare.starts_with("http") && bare.contains("://") || is_path)
        && !bare.contains(char::is_whitespace)
}

/// True for a line that is one piece of code or output in backticks.
fn is_quoted(sentence: &str) -> bool {
    sentence.len() > 2
        && sentence.starts_with('`')
        && sentence.ends_with('`')
        && sentence.matches('`').count() == 2
}

/// A short message that is one sentence over several lines: one of them asks, has no end of its own,
/// and others follow ("It fails with<line>this<line>when I run that").
fn unended(text: &str, own: &[Range<usize>], sentences: &[Range<usize>]) -> Option<Range<usize>> {
    // What stands between the lines, like a message that is quoted, belongs to it.
    let whole = words::trim(text, own.first()?.start..text.len());
    if whole.len() > WHOLE_BYTES || !text[whole.clone()].contains('\n') {
        return None;
    }
    let mut asking = sentences.iter().filter(|range| {
        let sentence = &text[(*range).clone()];
        let cues = prose::cues(sentence);
        !is_quoted(sentence) && (cues.request || cues.constraint || listed(text, range))
    });
    let (only, more) = (asking.next()?, asking.next());
    let goes_on = text[only.end..].starts_with('\n')
        && !text[only.clone()].ends_with(['.', '!', '?', ':'])
        && only.end < whole.end;
    (more.is_none() && goes_on && !listed(text, only)).then_some(whole)
}

/// True for a line that puts one thing in the place of another ("helpers -> src/common"): the user
/// says where it goes.
fn assigns(text: &str, range: &Range<usize>) -> bool {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |at| range.end + at);
    let line = text[start..end].trim();
    // A line may hold other sentences as well ("I have many. Put them in a file, name -> place.").
    let is_whole = text[range.clone()].trim_end_matches(['.', ';', ',']).len() + 8 >= line.len();
    // Several arrows show an order of steps, and so do those of a document that the user passes on.
    let may_assign = is_whole && led_lists::arrows(line) == 1 && text.len() <= LIST_BYTES;
    let sides = led_lists::sides(line).filter(|_| may_assign);
    sides.is_some_and(|(from, to)| {
        line.len() <= 240
            && !line.ends_with('?')
            && [from, to]
                .iter()
                .all(|side| side.chars().any(char::is_alphanumeric))
    })
}

/// Longest message, in bytes, whose list is one of things to do.
const LIST_BYTES: usize = 1500;

/// True for an item of a list that the user wrote in a message of some length: each is a wish of its
/// own, whatever its words ("1. lint fails 2. new comments").
fn listed(text: &str, range: &Range<usize>) -> bool {
    is_marked(text, range) && text.len() <= LIST_BYTES
}

/// Fewest content words of a sentence by which the user explains a wish.
const STATED_WORDS: usize = 4;

/// True for a sentence in which the user holds up what the model wrote ("you wrote: rows are sorted").
fn quotes_model(sentence: &str) -> bool {
    let lower = sentence.trim_start().to_lowercase();
    ["you wrote:", "you said:", "you wrote \"", "you said \""]
        .iter()
        .any(|begin| lower.starts_with(begin))
}

/// A sentence beside a wish, where it tells enough.
fn stated_in(text: &str, range: Range<usize>) -> Option<Stated> {
    let sentence = &text[range.clone()];
    if words::content_words(sentence).len() < STATED_WORDS
        || errors::is_error_line(sentence)
        || sentence.ends_with(':')
    {
        return None;
    }
    let names_nothing =
        !slight::is_specific(sentence) && sentence.split_whitespace().count() <= REMARK_WORDS;
    let remarks = names_nothing && !prose::spaced(sentence).contains(" want ");
    Some(Stated {
        key: words::sentence_key(sentence),
        lighter: 1 + passing(FactKind::UserRequest, sentence) + if remarks { REMARK } else { 0 },
        range,
    })
}

/// Most words of a sentence beside a wish that names nothing and only remarks on it ("it's a bit long"), and how many
/// ranks lighter it is: of seven such sentences judges found two worth a line.
const REMARK_WORDS: usize = 12;
const REMARK: i32 = 2;

/// What a user states beside a wish explains it, and limits it ("the dates never change there").
fn state(registry: &mut Registry, part: &Part<'_>, stated: Vec<Stated>) {
    // A long message tells more than it asks for.
    let standing = if part.text.len() <= LIST_BYTES {
        Standing::Said
    } else {
        Standing::Noticed
    };
    for Stated {
        range,
        key,
        lighter,
    } in stated
    {
        let index = registry.note(FactKind::UserRequest, key, &part.text[range.clone()]);
        registry.place(index, part, range, role_weight::USER, standing);
        registry.facts[index].lighter = lighter;
    }
}

/// A message without an asking sentence still wants something.
fn rest(
    registry: &mut Registry,
    part: &Part<'_>,
    own: &[Range<usize>],
    sentences: &[Range<usize>],
    question: Option<&str>,
) {
    let text = part.text;
    let short = match (own.first(), own.last()) {
        (Some(first), Some(last)) => without_data(text, words::trim(text, first.start..last.end)),
        _ => 0..0,
    };
    let spoken = text[short.clone()].chars().any(char::is_alphanumeric);
    // In a message that is mostly pasted, only its first and last words are the user's.
    let own_bytes: usize = own.iter().map(Range::len).sum();
    let pasted = 2 * own_bytes < text.len() && text.len() > WHOLE_BYTES;
    let head = text.len() - text.trim_start().len();
    let at_edge =
        |range: &Range<usize>| range.start <= head + 4 || range.end + 4 >= text.trim_end().len();
    let telling = sentences
        .iter()
        .filter(|range| !pasted || at_edge(range))
        .take(4)
        .find(|range| words::content_words(&text[(*range).clone()]).len() >= TELLING_WORDS)
        .or_else(|| sentences.first().filter(|range| !pasted || at_edge(range)));
    let mut all_pasted = false;
    let range = if spoken && short.len() <= WHOLE_BYTES {
        short
    } else if let Some(range) = telling {
        range.clone()
    } else {
        // All of it is pasted: what failed there, else its first line.
        all_pasted = true;
        // Test runners tell the test that failed last.
        let first = errors::error_lines(text, false).into_iter().next_back();
        let first = first.or_else(|| {
            let mut lines = words::lines(text).map(|line| words::trim(text, line));
            lines.find(|line| text[line.clone()].chars().any(char::is_alphabetic))
        });
        match first {
            Some(range) => range,
            None => return,
        }
    };
    let sentence = &text[range.clone()];
    let agrees = prose::only_agrees(sentence);
    if agrees && question.is_none() {
        // A greeting.
        return;
    }
    let mut key = words::sentence_key(sentence);
    if let Some(question) = question.filter(|_| sentence.split_whitespace().count() <= 2) {
        // "Yes" to one question is not "yes" to another.
        key.push_str(" < ");
        key.push_str(&words::sentence_key(
            words::one_line(question, MAX_QUESTION_BYTES).as_str(),
        ));
    }
    let index = registry.note(FactKind::UserRequest, key, sentence);
    let is_error = errors::is_error_line(sentence);
    registry.place(index, part, range, role_weight::USER, Standing::Said);
    answer(registry, index, sentence, question);
    let fact = &mut registry.facts[index];
    // A message that only shows what failed is listed as an error already, and what else is pasted says little of
    // what the user wants.
    if is_error || all_pasted {
        fact.lighter = PASSING;
        return;
    }
    fact.lighter = match (
        agrees,
        question.is_some_and(|question| question.contains('?')),
    ) {
        (false, _) => passing(FactKind::UserRequest, sentence),
        (true, true) => 3,
        (true, false) => 5,
    };
}

/// Keeps the question with a short answer, and what was said last with a prompt that means it.
fn answer(registry: &mut Registry, index: usize, sentence: &str, question: Option<&str>) {
    let count = sentence.split_whitespace().count();
    // What only reports is no question, and what it reports last is seldom what "this" means.
    let asks = |question: &str| question.contains('?') || lists::offers(question);
    let is_short = |question: &str| count <= BARE_WORDS || count <= SHORT_WORDS && asks(question);
    let leans = |question: &str| question.contains('?') && leaning::means_what_is_above(sentence);
    if let Some(question) = question.filter(|question| is_short(question) || leans(question)) {
        let details = &mut registry.facts[index].details;
        let question = words::without_markup(question);
        details.answers = Some(words::one_line(&question, MAX_QUESTION_BYTES));
    }
}

/// The items of a list that the user goes on to speak of are facts one by one.
fn pick(registry: &mut Registry, prompt: &str, said: &Said<'_>) {
    let Some((part, items)) = &said.list else {
        return;
    };
    let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).collect();
    let picked = lists::picks(prompt, &labels, said.list_is_newest);
    for item in items {
        let is_number = item.label.bytes().all(|b| b.is_ascii_digit());
        let wanted = match &picked {
            Picked::Nothing => false,
            Picked::Numbers(_) => is_number,
            Picked::Options(letters) => letters.contains(&item.label),
        };
        if wanted {
            // Of options one is chosen, of a list some are worked off.
            let kind = match picked {
                Picked::Options(_) => FactKind::Decision,
                Picked::Numbers(_) | Picked::Nothing => FactKind::Finding,
            };
            let chosen = match &picked {
                Picked::Numbers(chosen) => chosen.is_empty() || chosen.contains(&item.label),
                Picked::Options(_) | Picked::Nothing => true,
            };
            note_item(registry, part, item, kind, chosen);
        }
    }
}

/// An item of a list that the user picks from, as a fact: the one that a sentence of it is already, else a new one.
fn note_item(registry: &mut Registry, part: &Part<'_>, item: &Item, kind: FactKind, chosen: bool) {
    let place = part.place(item.range.clone());
    let inside = |known: &palimpsest_core::ledger::SourcePlace| {
        (known.entry, known.message, known.block) == (place.entry, place.message, place.block)
            && known.range.start < place.range.end
            && place.range.start < known.range.end
    };
    let is_saying = |kind| {
        matches!(
            kind,
            FactKind::Finding | FactKind::Decision | FactKind::Todo
        )
    };
    // What the user picks weighs as a decision does, the rest of the list does not.
    let role = if chosen {
        role_weight::USER
    } else {
        role_weight::READ
    };
    let known = registry
        .facts
        .iter()
        .position(|fact| is_saying(fact.kind) && fact.places.iter().any(inside));
    let index = known.unwrap_or_else(|| {
        let text = part.text[item.range.clone()].trim_end_matches('*');
        let index = registry.add(
            kind,
            words::sentence_key(text),
            part,
            item.range.clone(),
            role,
        );
        let fact = &mut registry.facts[index];
        fact.text = format!("{}. {}", item.label, text.replace("**", ""));
        fact.lead = leaning::lead_of_item(part.text, &item.range);
        index
    });
    let fact = &mut registry.facts[index];
    if fact.standing == Standing::Noticed {
        fact.text = format!("{}. {}", item.label, fact.text.replace("**", ""));
        fact.standing = Standing::Said;
    }
    fact.role = fact.role.max(role);
    if fact.kind == FactKind::Finding {
        fact.lighter = if chosen { -2 } else { fact.lighter.max(1) };
    }
}
