//! The checked-in code is what `proto/agent.proto` says.
//!
//! `WAYFARER_REGENERATE=1 cargo test -p wayfarer-protocol` writes it anew after a change of the schema. No protoc is
//! needed: protox compiles the schema, tonic-prost-build makes the code.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn generate() -> String {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let proto = crate_folder.join("proto");
    let descriptors = protox::compile([proto.join("agent.proto")], [&proto]).expect("a schema");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tonic_prost_build::configure()
        .build_client(true)
        .build_server(true)
        .out_dir(folder)
        .compile_fds(descriptors)
        .expect("code for the schema");
    fs::read_to_string(folder.join("wayfarer.agent.v1.rs")).expect("generated code")
}

#[test]
fn the_generated_code_fits_the_schema() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/generated.rs");
    let fresh = generate();
    if env::var_os("WAYFARER_REGENERATE").is_some() {
        fs::write(&path, &fresh).expect("the generated code can be written");
    }
    let checked_in = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        fresh == checked_in,
        "{} is not what proto/agent.proto says: run WAYFARER_REGENERATE=1 cargo test -p wayfarer-protocol",
        path.display()
    );
}
