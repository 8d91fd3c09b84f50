//! Prints the reference of the commands; docs/commands.md is its output.

fn main() {
    print!("{}", wayfarer_commands::reference());
}
