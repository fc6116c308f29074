//! Builds the site: pages in, files out.

use crate::pages::Page;
use std::fs;
use std::path::Path;

pub fn build(pages: &[Page], out: &Path) -> std::io::Result<()> {
    fs::create_dir_all(out)?;
    for page in pages {
        let path = out.join(page.url.trim_start_matches('/')).with_extension("html");
        fs::write(path, render(page))?;
    }
    Ok(())
}

fn render(page: &Page) -> String {
    format!("<!doctype html><title>{}</title><main>{}</main>", page.title, page.text)
}
