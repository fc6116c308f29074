//! Writes the JavaScript side of a WebAssembly module built for the browser.
//!
//! It does what the `wasm-bindgen` program does with `--target web`, from the library behind
//! that program, so that `Cargo.lock` fixes the version and nothing has to be installed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: palimpsest-bindgen MODULE.wasm OUT_DIR [NAME]";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(module), Some(out_dir)) = (args.next(), args.next()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let name = args
        .next()
        .and_then(|name| name.into_os_string().into_string().ok());
    match generate(&module, &out_dir, name.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Writes `NAME.js`, `NAME.d.ts` and `NAME_bg.wasm` into `out_dir`, creating it if needed.
fn generate(module: &Path, out_dir: &Path, name: Option<&str>) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    // The default path lets the page start the module without saying where it is: the two files
    // lie side by side.
    bindgen
        .input_path(module)
        .omit_default_module_path(false)
        .typescript(true)
        .remove_producers_section(true)
        .remove_name_section(true);
    if let Some(name) = name {
        bindgen.out_name(name);
    }
    bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(out_dir))
        .map_err(|error| format!("cannot write bindings for {}: {error:#}", module.display()))
}
