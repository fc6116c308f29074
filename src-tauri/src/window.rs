//! The one window: where it opens, how large, and what it remembers.

use std::path::Path;

use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, WebviewUrl, WebviewWindowBuilder, Wry};
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
        .center();
    if let Some(dir) = data_dir {
        window = window.data_directory(dir.join("webview"));
    }
    window.build().map(drop)
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
