//! The program `rosenblatt`.

fn main() {}
