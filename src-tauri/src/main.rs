//! The desktop shell: a window, a menu and one command around [`palimpsest_api::Api`].
//!
//! Everything the program knows and does is behind the API; what is here exists because a window
//! exists. A new command needs no line in this crate.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod args;
mod bridge;
mod menu;
mod window;

use std::process::ExitCode;

use args::{Args, Asked};
use palimpsest_api::{Api, Options, WireError};
use tauri::RunEvent;
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let args = match args::parse(
        std::env::args_os().skip(1),
        std::env::var_os("PALIMPSEST_DATA_DIR"),
    ) {
        Ok(Asked::Run(args)) => args,
        Ok(Asked::Print(text)) => {
            use std::io::Write as _;
            let printed = writeln!(std::io::stdout(), "{text}");
            return if printed.is_ok() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            };
        }
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    window::choose_renderer();
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: the window cannot be opened: {error}");
            eprintln!("`palimpsest serve` works without a window.");
            ExitCode::FAILURE
        }
    }
}

/// Builds the window and stays until it is closed.
fn run(args: Args) -> tauri::Result<()> {
    let remembered = window::remembered(args.data_dir.as_deref());
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(remembered)
        .menu(menu::build)
        .invoke_handler(tauri::generate_handler![bridge::rpc])
        .setup(move |app| {
            match open(&args) {
                Ok(api) => {
                    bridge::connect(app.handle(), api);
                    window::open(app.handle(), args.data_dir.as_deref())?;
                }
                Err(error) => refuse(app.handle(), &error),
            }
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            bridge::disconnect(app);
        }
    });
    Ok(())
}

/// Starts the program behind the window.
fn open(args: &Args) -> Result<Api, WireError> {
    let api = Api::open(Options::from_environment(
        args.data_dir.clone(),
        args.samples,
    )?)?;
    api.start_background();
    Ok(api)
}

/// Says why the program cannot start, on the terminal and in a dialog, then ends.
fn refuse(app: &tauri::AppHandle, error: &WireError) {
    let text = match &error.hint {
        Some(hint) => format!("{}\n\n{hint}", error.message),
        None => error.message.clone(),
    };
    eprintln!("error: {text}");
    let handle = app.clone();
    app.dialog()
        .message(text)
        .title("Palimpsest cannot start")
        .kind(MessageDialogKind::Error)
        .show(move |_| handle.exit(1));
}
