//! The pages of a site, read from markdown files.

/// One page: its address, title and words.
#[derive(Debug, Clone)]
pub struct Page {
    pub url: String,
    pub title: String,
    pub text: String,
}

/// Reads a page; the first heading is its title.
pub fn read_page(url: &str, markdown: &str) -> Page {
    let title = markdown
        .lines()
        .find_map(|line| line.strip_prefix("# "))
        .unwrap_or(url)
        .to_owned();
    Page { url: url.to_owned(), title, text: markdown.to_owned() }
}
