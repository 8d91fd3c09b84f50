//! Compresses the line tables of the program that is shipped, which are two thirds of its file; our own panics are still
//! told with function and line. Builds for development stay as they are: a debugger maps tables that are not compressed.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
    }
}
