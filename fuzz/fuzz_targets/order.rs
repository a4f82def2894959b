//! Any text as a given order of examples: refused in one line with a place, or the numbers of the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rosenblatt::Order;

fuzz_target!(|text: &str| {
    match Order::from_text("a\nfile", text) {
        Ok(Order::Given(list)) => {
            // The twin: split by hand.
            let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            let numbers: Vec<u64> = words.map(|word| word.trim_start_matches('+').parse().unwrap()).collect();
            assert_eq!(list.iter().map(|&i| u64::from(i) + 1).collect::<Vec<u64>>(), numbers);
            let _ = Order::Given(list).check(10);
        }
        Ok(other) => panic!("{other:?}"),
        Err(e) => {
            let message = e.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }
});
