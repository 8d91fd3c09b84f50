//! How the library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in [
        // Nothing of libc's start-up code, and no library that we need: no NEEDED entry.
        "-nostdlib",
        "-nostartfiles",
        // Our initialiser runs before those of all other libraries.
        "-Wl,-z,initfirst",
        // A symbol that is not defined is an error here and not a dead program later. The panic
        // handler refers to one on purpose.
        "-Wl,-z,defs",
        "-Wl,-z,now",
        "-Wl,-z,relro",
        "-Wl,-z,noexecstack",
        "-Wl,--gc-sections",
        // Replays compare the library by its contents, not by where it was built.
        "-Wl,-soname,libwayfarer_runtime.so",
        "-Wl,--build-id=sha1",
    ] {
        println!("cargo::rustc-cdylib-link-arg={argument}");
    }
}
