//! Any text as templates of a tagger: refused in one line with a place, or templates that can be written and read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rosenblatt::structured::template::parse;

fuzz_target!(|text: &str| {
    match parse("a\nfile", text) {
        Ok(templates) => {
            templates.reach();
            (0..templates.width()).for_each(|column| drop(templates.column(column)));
            let written = templates.to_text();
            let again = parse("again", &written).expect("what was read can be written and read");
            assert_eq!(again, templates, "{written}");
        }
        Err(e) => {
            let message = e.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }
});
