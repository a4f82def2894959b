//! The program `rosenblatt`.

use std::process::ExitCode;

use rosenblatt::limits::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    rosenblatt_cli::main(std::env::args_os())
}
