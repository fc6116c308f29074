//! The clients against a scripted server, every kind through the same stories.

mod calls;
mod failures;
mod harness;
mod listing;
mod programs;
mod retries;
mod vectors;

#[test]
fn every_file_is_part_of_the_suite() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let listed = module == "main" || main.contains(&format!("mod {module};"));
        assert!(
            listed,
            "{name} is not declared in main.rs, so its tests never run"
        );
    }
}
