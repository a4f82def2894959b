//! The listings of the tutorial (`rosenblatt::tutorial`), to be run: `cargo run --example tutorial [NAME]`.
#![expect(clippy::print_stdout, reason = "each listing prints what it found")]

mod evaluate;
mod kernel;
mod online;
mod own_rule;
mod predict_many;
mod save_load;
mod separable;
mod sparse;
mod tagger;
mod trace;
mod train;

type Listing = fn() -> Result<(), rosenblatt::Error>;

const LISTINGS: [(&str, Listing); 11] = [
    ("train", train::main),
    ("predict_many", predict_many::main),
    ("evaluate", evaluate::main),
    ("save_load", save_load::main),
    ("sparse", sparse::main),
    ("kernel", kernel::main),
    ("own_rule", own_rule::main),
    ("online", online::main),
    ("separable", separable::main),
    ("tagger", tagger::main),
    ("trace", trace::main),
];

fn main() -> Result<(), rosenblatt::Error> {
    let wanted = std::env::args().nth(1);
    for (name, listing) in LISTINGS {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            println!("-- {name}");
            listing()?;
        }
    }
    Ok(())
}
