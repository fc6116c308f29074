//! What one file declares, brings into scope and uses by a path.

use std::collections::{BTreeMap, BTreeSet};

use super::lex::{Token, tokens};

/// The names of a path: `crate::plan::Plan` has three.
pub type Path = Vec<String>;

/// One module: a file's own, or one that is written out in it.
#[derive(Debug, Default, Clone)]
pub struct Module {
    /// Types, traits, functions and constants declared here.
    pub items: BTreeSet<String>,
    /// Modules whose text is another file (`mod name;`), with its `#[path]`.
    pub in_files: BTreeMap<String, Option<String>>,
    /// Modules whose text is another file and that only tests have.
    pub of_tests: BTreeSet<String>,
    /// Modules written out here.
    pub inline: BTreeMap<String, Module>,
    /// What `use` brings into scope, functions' own included.
    pub uses: Vec<Use>,
    /// Paths of two names or more outside of `use`.
    pub paths: BTreeSet<Path>,
    /// Names that stand alone in code: types, and functions that are called.
    pub names: BTreeSet<String>,
}

/// One name that a `use` brings into scope.
#[derive(Debug, Clone)]
pub struct Use {
    /// The whole path; without the `*` for all names of a module.
    pub path: Path,
    /// The name it has here, `None` for `*`.
    pub name: Option<String>,
    /// Whether it is passed on: `pub use`, with any reach.
    pub is_public: bool,
}

/// Reads one file. Everything under `#[cfg(test)]` is left out.
pub fn read(source: &str) -> Module {
    let tokens = tokens(source);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
    };
    reader.module()
}

/// Whether the file is for tests as a whole: `#![cfg(test)]`.
pub fn is_test_file(source: &str) -> bool {
    source.lines().any(|line| line.trim() == "#![cfg(test)]")
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Reader<'_> {
    /// Reads items up to the brace that closes the module, or to the end of the file.
    fn module(&mut self) -> Module {
        let mut module = Module::default();
        let mut depth = 0_u32;
        let mut path_of_next = None;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Punct('#') => {
                    let attribute = self.attribute();
                    if is_test_only(attribute) {
                        module.of_tests.extend(self.skip_item());
                        continue;
                    }
                    path_of_next = path_of_next.or(path_attribute(attribute));
                    for text in attribute.iter().filter_map(quoted_path) {
                        module.paths.insert(text);
                    }
                    continue;
                }
                Token::Punct('{') => depth += 1,
                Token::Punct('}') if depth == 0 => {
                    self.at += 1;
                    return module;
                }
                Token::Punct('}') => depth -= 1,
                Token::Ident(word) if self.word(word, depth, &mut path_of_next, &mut module) => {
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        module
    }

    /// Takes what starts with `word`; false where that is the word alone.
    fn word(
        &mut self,
        word: &str,
        depth: u32,
        path_of_next: &mut Option<String>,
        module: &mut Module,
    ) -> bool {
        let next = self.tokens.get(self.at + 1);
        let next_name = next.and_then(Token::ident).map(str::to_owned);
        match word {
            "use" if !next.is_some_and(|next| next.is('<')) => {
                let is_public = self.is_after_pub();
                self.at += 1;
                self.use_tree(Vec::new(), is_public, &mut module.uses);
                true
            }
            "mod" => {
                let Some(name) = next_name else { return false };
                let path = path_of_next.take();
                self.at += 3;
                if self.tokens[self.at - 1].is('{') {
                    module.inline.insert(name, self.module());
                } else {
                    module.in_files.insert(name, path);
                }
                true
            }
            "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static"
                if depth == 0 =>
            {
                if let Some(name) = next_name.filter(|name| !is_qualifier(name)) {
                    module.items.insert(name);
                    self.at += 2;
                    return true;
                }
                false
            }
            _ => {
                self.path(module);
                true
            }
        }
    }

    /// Whether the token here follows `pub` or `pub(...)`.
    fn is_after_pub(&self) -> bool {
        let before = &self.tokens[..self.at];
        match before.last() {
            Some(token) if token.is_word("pub") => true,
            Some(token) if token.is(')') => {
                let open = before.iter().rposition(|token| token.is('('));
                open.is_some_and(|open| open > 0 && before[open - 1].is_word("pub"))
            }
            _ => false,
        }
    }

    /// Reads the rest of a `use` behind `prefix`, up to `;`, `,` or `}`.
    fn use_tree(&mut self, prefix: Path, is_public: bool, uses: &mut Vec<Use>) {
        let mut path = prefix;
        let mut alias = None;
        let mut is_done = false;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Ident(word) if word == "as" => {
                    self.at += 1;
                    alias = self.tokens[self.at].ident().map(str::to_owned);
                }
                Token::Ident(word) => path.push(word.clone()),
                Token::Punct('*') => {
                    uses.push(Use {
                        path: path.clone(),
                        name: None,
                        is_public,
                    });
                    is_done = true;
                }
                Token::Punct('{') => {
                    self.at += 1;
                    while self.tokens.get(self.at).is_some_and(|token| !token.is('}')) {
                        self.use_tree(path.clone(), is_public, uses);
                        if self.tokens.get(self.at).is_some_and(|token| token.is(',')) {
                            self.at += 1;
                        }
                    }
                    is_done = true;
                }
                Token::Punct(',' | ';' | '}') => break,
                _ => {}
            }
            self.at += 1;
        }
        if is_done {
            return;
        }
        // `use a::b::{self}` names the module b.
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        let name = alias.or_else(|| path.last().cloned());
        if name.is_some() {
            uses.push(Use {
                path,
                name,
                is_public,
            });
        }
    }

    /// Takes a path or a single name in code.
    fn path(&mut self, module: &mut Module) {
        let before = self.at.checked_sub(1).map(|before| &self.tokens[before]);
        // `..Plan::default()` is a range or the rest of a struct, `.name` is a member.
        let is_range = self.at > 1 && self.tokens[self.at - 2].is('.');
        let is_member =
            before.is_some_and(|token| token.is('.') && !is_range || *token == Token::PathSep);
        let is_declared = before.is_some_and(|token| token.is_word("fn") || token.is_word("let"));
        let mut path = Path::new();
        while let Some(name) = self.tokens.get(self.at).and_then(Token::ident) {
            path.push(name.to_owned());
            self.at += 1;
            let goes_on = self.tokens.get(self.at) == Some(&Token::PathSep)
                && self
                    .tokens
                    .get(self.at + 1)
                    .is_some_and(|token| token.ident().is_some());
            if !goes_on {
                break;
            }
            self.at += 1;
        }
        if is_member || is_declared {
            return;
        }
        if path.len() > 1 {
            module.paths.insert(path);
        } else if let Some(name) = path.pop() {
            let is_called = self.tokens.get(self.at).is_some_and(|token| token.is('('));
            if is_called || name.starts_with(char::is_uppercase) {
                module.names.insert(name);
            }
        }
    }

    /// Takes an attribute, from its `#` to its last bracket.
    fn attribute(&mut self) -> &[Token] {
        let start = self.at;
        let mut depth = 0;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token {
                Token::Punct('[') => depth += 1,
                Token::Punct(']') => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                break;
            }
        }
        &self.tokens[start..self.at]
    }

    /// Leaves out the item, field or arm here: up to its `;`, its `,` or the end of its block.
    /// Gives the name of a `mod name;`.
    fn skip_item(&mut self) -> Option<String> {
        let start = self.at;
        self.go_past_item();
        match &self.tokens[start..self.at] {
            [Token::Ident(word), Token::Ident(name), Token::Punct(';')] if word == "mod" => {
                Some(name.clone())
            }
            _ => None,
        }
    }

    fn go_past_item(&mut self) {
        let mut within_use = false;
        let mut is_item = false;
        let mut depth = 0_i32;
        while let Some(token) = self.tokens.get(self.at) {
            if depth == 0 {
                within_use |= token.is_word("use");
                is_item |= token.ident().is_some_and(starts_item);
            }
            match token {
                Token::Punct('{' | '(' | '[') => depth += 1,
                Token::Punct('}' | ')' | ']') if depth == 0 => return,
                Token::Punct('}') if depth == 1 && !within_use => {
                    self.at += 1;
                    return;
                }
                Token::Punct('}' | ')' | ']') => depth -= 1,
                // The commas of an item are those of its type parameters.
                Token::Punct(end @ (';' | ',')) if depth == 0 && (*end == ';' || !is_item) => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

fn starts_item(word: &str) -> bool {
    let items = [
        "fn", "mod", "use", "struct", "enum", "union", "trait", "impl", "type", "const", "static",
        "let",
    ];
    items.contains(&word)
}

/// Words that may stand between `const` or `type` and what is declared.
fn is_qualifier(word: &str) -> bool {
    matches!(word, "fn" | "unsafe" | "async" | "extern" | "mut" | "_")
}

fn is_test_only(attribute: &[Token]) -> bool {
    let words: Vec<&str> = attribute.iter().filter_map(Token::ident).collect();
    matches!(
        words[..],
        ["cfg", "test"] | ["cfg", "all", "test", ..] | ["test"]
    )
}

fn path_attribute(attribute: &[Token]) -> Option<String> {
    match attribute {
        [_, _, Token::Ident(name), _, Token::Str(file), ..] if name == "path" => Some(file.clone()),
        _ => None,
    }
}

/// A path in a string of an attribute, as in `#[serde(default = "crate::plan::all")]`.
fn quoted_path(token: &Token) -> Option<Path> {
    let Token::Str(text) = token else { return None };
    let parts: Path = text.split("::").map(str::to_owned).collect();
    let is_name = |part: &String| {
        !part.is_empty() && part.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    };
    (parts.len() > 1 && parts.iter().all(is_name)).then_some(parts)
}
