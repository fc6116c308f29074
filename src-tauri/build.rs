//! Generates the window's permissions and checks that the user interface was built.

use std::path::Path;

use tauri_build::{AppManifest, Attributes};

fn main() {
    let built = Path::new("../ui/dist/index.html");
    println!("cargo:rerun-if-changed=../ui/dist");
    assert!(
        built.is_file(),
        "the user interface is not built: ui/dist/index.html is missing. \
         Run `./start --no-run` once, or `npm run build` in ui/."
    );
    // Naming the one command makes a permission for it, so that no other can be added unseen.
    let manifest = AppManifest::new().commands(&["rpc"]);
    tauri_build::try_build(Attributes::new().app_manifest(manifest))
        .expect("the shell's configuration and capabilities are valid");
}
