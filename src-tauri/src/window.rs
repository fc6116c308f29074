//! The one window: where it opens, how large, and what it remembers.

use std::path::Path;

use tauri::plugin::TauriPlugin;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Url, WebviewUrl, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::{Builder, StateFlags};

/// First size in logical pixels: the smallest screen the three panes are designed for.
const FIRST_SIZE: (f64, f64) = (1_280.0, 800.0);

/// Below this size the panes no longer fit side by side.
const LEAST_SIZE: (f64, f64) = (760.0, 480.0);

/// Opens the window. With a data folder the page's own storage is kept in it too, so that two
/// folders never share a window's state.
pub(crate) fn open(app: &AppHandle, data_dir: Option<&Path>) -> tauri::Result<()> {
    let mut window = WebviewWindowBuilder::new(app, "main", WebviewUrl::default())
        .title("Palimpsest")
        .inner_size(FIRST_SIZE.0, FIRST_SIZE.1)
        .min_inner_size(LEAST_SIZE.0, LEAST_SIZE.1)
        // The page has the commands of the program: no other page may take its place.
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .center();
    if let Some(dir) = data_dir {
        window = window.data_directory(dir.join("webview"));
    }
    window.build().map(drop)
}

/// Whether an address is of the page that is built in. Links of sessions are opened by the browser,
/// after the page has shown where they lead.
fn is_own_page(url: &Url) -> bool {
    // Windows and Android serve built-in files over HTTP, from a name that is no host of the network;
    // the others by a scheme of their own (documentation of Tauri, `useHttpsScheme`).
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => url.host_str() == Some("tauri.localhost") && url.port().is_none(),
        _ => false,
    }
}

/// Remembers size, place and maximizing between starts.
pub(crate) fn remembered(data_dir: Option<&Path>) -> TauriPlugin<Wry> {
    let mut builder = Builder::new()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
        .with_filename("window.json");
    if let Some(file) = data_dir.map(|dir| dir.join("window.json"))
        && let Some(file) = file.to_str()
    {
        // An absolute name takes the place of the usual folder.
        builder = builder.with_filename(file);
    }
    builder.build()
}

/// Switches off a renderer of WebKitGTK that leaves the window blank with some graphics drivers
/// (WebKitGTK 2.42 and later), unless the user has chosen.
pub(crate) fn choose_renderer() {
    const CHOICE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    if cfg!(target_os = "linux") && std::env::var_os(CHOICE).is_none() {
        // SAFETY: called first in `main`, before any other thread is started.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var(CHOICE, "1");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_built_in_page_is_shown() {
        let shown = |address: &str| is_own_page(&Url::parse(address).expect("an address"));
        for own in [
            "tauri://localhost/",
            "tauri://localhost/index.html?x=1#/session",
            "http://tauri.localhost/",
            "https://tauri.localhost/index.html",
        ] {
            assert!(shown(own), "{own}");
        }
        for other in [
            "https://example.org/",
            "https://tauri.localhost.example.org/",
            "https://tauri.localhost:8080/",
            "https://user@example.org/tauri.localhost",
            "tauri://example.org/",
            "file:///etc/passwd",
            "data:text/html,<script>1</script>",
            "javascript:alert(1)",
            "about:blank",
            "blob:tauri://localhost/1",
        ] {
            assert!(!shown(other), "{other}");
        }
    }
}
