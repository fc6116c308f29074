//! The native menu: what the system expects of every program.
//!
//! The page has its own command palette and keys; nothing of them is repeated here, because a
//! native accelerator would take the key before the page sees it.

use tauri::menu::{AboutMetadata, Menu, PredefinedMenuItem as Item, Submenu};
use tauri::{AppHandle, Wry};

/// Builds the menu bar.
pub(crate) fn build(app: &AppHandle) -> tauri::Result<Menu<Wry>> {
    let package = app.package_info();
    let about = AboutMetadata {
        name: Some("Palimpsest".into()),
        version: Some(package.version.to_string()),
        comments: Some("An explorer for coding-agent sessions".into()),
        license: Some("MIT OR Apache-2.0".into()),
        icon: app.default_window_icon().cloned(),
        ..AboutMetadata::default()
    };
    let menu = Menu::new(app)?;
    let program = Submenu::new(app, "Palimpsest", true)?;
    program.append(&Item::about(app, None, Some(about))?)?;
    program.append(&Item::separator(app)?)?;
    program.append(&Item::quit(app, None)?)?;
    menu.append(&program)?;
    if cfg!(target_os = "macos") {
        // Without these items the keys for copy and paste do nothing in a macOS web view; on
        // Linux and Windows the web view handles them itself.
        menu.append(&Submenu::with_items(
            app,
            "Edit",
            true,
            &[
                &Item::undo(app, None)?,
                &Item::redo(app, None)?,
                &Item::separator(app)?,
                &Item::cut(app, None)?,
                &Item::copy(app, None)?,
                &Item::paste(app, None)?,
                &Item::select_all(app, None)?,
            ],
        )?)?;
    }
    menu.append(&Submenu::with_items(
        app,
        "Window",
        true,
        &[
            &Item::minimize(app, None)?,
            &Item::maximize(app, None)?,
            &Item::close_window(app, None)?,
        ],
    )?)?;
    Ok(menu)
}
