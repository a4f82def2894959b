//! Reading files of sentences: ragged lines, carriage returns, no final blank line.

use rosenblatt::io::Input;
use rosenblatt::structured::read::{Batch, Sentences, SequenceFormat, SequenceOptions, Tags};
use rosenblatt::structured::{Shares, TaggerTrainer};

fn options(format: SequenceFormat, tag: Option<&str>) -> SequenceOptions {
    SequenceOptions { format: Some(format), tag: tag.map(String::from), skip_untagged: false }
}

/// Tokens as `fields/tag`, sentences separated by bars; or the error.
fn read(text: &str, options: &SequenceOptions) -> Result<String, String> {
    let input = Input::memory("m", text);
    let mut sentences = Sentences::open(&input, options).map_err(|e| e.to_string())?;
    let columns = sentences.cut().layout.columns.max(4);
    let (mut batch, mut all) = (Batch::default(), Vec::new());
    while sentences.fill(&mut batch).unwrap() {
        sentences.divide(&mut batch).map_err(|e| e.to_string())?;
        for number in 0..batch.sentences() {
            let token = |token| {
                let fields: Vec<_> = (0..columns).map(|c| String::from_utf8_lossy(batch.field(token, c))).collect();
                let fields: Vec<&str> = fields.iter().map(|f| &**f).filter(|f| !f.is_empty()).collect();
                let tag = batch.tag(token).map_or("-".into(), |tag| String::from_utf8_lossy(tag).into_owned());
                format!("{}/{tag}", fields.join("+"))
            };
            all.push(batch.sentence(number).iter().map(token).collect::<Vec<_>>().join(" "));
        }
    }
    Ok(all.join(" | "))
}

fn conll(text: &str) -> Result<String, String> {
    read(text, &options(SequenceFormat::Conll, None))
}

#[test]
fn conll_variants() {
    let want = Ok("He+PRP/B-NP ran+VBD/B-VP | She+PRP/B-NP".to_string());
    for text in [
        "He PRP B-NP\nran VBD B-VP\n\nShe PRP B-NP\n\n",
        "He PRP B-NP\nran VBD B-VP\n\nShe PRP B-NP",
        "\u{feff}He PRP B-NP\r\nran VBD B-VP\r\n\r\nShe PRP B-NP\r\n",
        "\n\n\nHe\tPRP\tB-NP\nran\tVBD\tB-VP\n \n\t\n\nShe\tPRP\tB-NP\n\n\n",
        "  He   PRP\tB-NP  \nran VBD B-VP\t\n\t\nShe\tPRP B-NP\n",
        "He\tPRP\tB-NP\nran VBD B-VP\n\nShe\tPRP\tB-NP\n",
        "-DOCSTART- -X- O\n\nHe PRP B-NP\nran VBD B-VP\n\n-DOCSTART- -X- O\nShe PRP B-NP\n",
    ] {
        assert_eq!(conll(text), want, "{text:?}");
    }
    assert_eq!(conll("# # O\n#tag x O\n").unwrap(), "#+#/O #tag+x/O", "a number sign is a word");
    assert_eq!(conll("New York\tB-X\nin\tO\n").unwrap(), "New York/B-X in/O", "between tabs a word may have spaces");
    assert_eq!(conll("a\u{a0}b X\n").unwrap(), "a\u{a0}b/X", "a no-break space is part of a word");
    let second = options(SequenceFormat::Conll, Some("2"));
    assert_eq!(read("He PRP B-NP\nran VBD B-VP\n", &second).unwrap(), "He+B-NP/PRP ran+B-VP/VBD");
}

#[test]
fn conll_that_cannot_be_read() {
    let cases = [
        ("a X\nb\n", "m:2: 1 column in \"b\", where the lines before have 2"),
        ("a X\nb Y Z\n", "m:2: 3 columns in \"b Y Z\", where the lines before have 2"),
        ("a\tN\tX\nb\t\tY\nc\tN\tX\n", "m:2:3: column 2 is empty"),
        ("a\nb\n", "m: only one column: expected a word and its tag on each line, a blank line between sentences"),
        ("", "m: no sentences: the file is empty"),
        ("\n \n", "m: no sentences: the file is empty"),
    ];
    for (text, told) in cases {
        assert_eq!(conll(text).unwrap_err(), told, "{text:?}");
    }
    let told = read("a X\n", &options(SequenceFormat::Conll, Some("3"))).unwrap_err();
    assert_eq!(told, "m: tag 3: the file has columns 1 to 2");
    let input = Input::memory("m", b"a X\nb\xff Y\n".to_vec());
    let told = TaggerTrainer::default().read(&input, &options(SequenceFormat::Conll, None)).unwrap_err().to_string();
    assert_eq!(told, "m:2:2: this is not UTF-8: save the file as UTF-8");
}

const UD: &str = "# sent_id = 1\n# text = Don't go\n1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n\
                  2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n2.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_\n\
                  3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n# sent_id = 2\n1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n";

#[test]
fn conllu_skips_lines_that_are_no_tokens() {
    let tagged = |tag| read(UD, &options(SequenceFormat::Conllu, tag)).unwrap();
    let short = |text: String| -> Vec<String> {
        text.split([' ', '|'])
            .filter(|t| !t.is_empty())
            .map(|t| {
                let (fields, tag) = t.rsplit_once('/').unwrap();
                format!("{}/{tag}", fields.split('+').next().unwrap())
            })
            .collect()
    };
    assert_eq!(short(tagged(None)), ["Do/AUX", "n't/PART", "go/VERB", "Yes/INTJ"]);
    assert_eq!(short(tagged(Some("xpos"))), ["Do/VB", "n't/RB", "go/VB", "Yes/UH"]);
    assert_eq!(tagged(None).matches('|').count(), 1);
    let wrong = |text: &str, tag| read(text, &options(SequenceFormat::Conllu, tag)).unwrap_err();
    assert!(wrong(UD, Some("pos")).starts_with("m: tag pos: expected upos, xpos or another of form,"));
    assert_eq!(wrong("1\ta\tX\n", None), "m:1: 3 columns between tabs, where CoNLL-U has ten");
    assert_eq!(wrong("x\ta\tX\n", None), "m:1:1: \"x\" is not the number of a token, as CoNLL-U wants it first");
}

/// Ids in any order were accepted, and a missing blank line made one sentence of two.
#[test]
fn conllu_ids_count_the_tokens_of_a_sentence() {
    let file = |ids: &[&str]| -> String { ids.iter().map(|id| format!("{id}\ta\t_\tX\t_\t_\t_\t_\t_\t_\n")).collect() };
    let read = |ids: &[&str]| read(&file(ids), &options(SequenceFormat::Conllu, None));
    for good in [&["1", "2", "3"][..], &["0.1", "1", "2-3", "2", "3", "3.1", "3.2", "4"], &["1-2", "1", "2"]] {
        read(good).unwrap();
    }
    let due = |place: &str, id: &str, due: u32| {
        format!("m:{place}:1: \"{id}\" where token {due} is due: CoNLL-U numbers the tokens of a sentence")
    };
    for (bad, said) in [
        (&["2"][..], due("1", "2", 1)),
        (&["1", "3"], due("2", "3", 2)),
        (&["1", "2", "2"], due("3", "2", 3)),
        (&["1", "3-4"], due("2", "3-4", 2)),
        (&["1", "2-1"], due("2", "2-1", 2)),
        (&["1", "2.1"], due("2", "2.1", 2)),
        (&["1", "99999999999999999999"], {
            "m:2:1: \"99999999999999999999\" is not the number of a token, as CoNLL-U wants it first".into()
        }),
        (&["1", "2", "1"], "m:3:1: token 1 after token 2: is a blank line missing between sentences?".into()),
    ] {
        assert_eq!(read(bad).unwrap_err(), said);
    }
}

#[test]
fn crfsuite_with_values_and_escapes() {
    let text = "B-X\tw[0]=a\\:b\tlong=x\\\\y\tweight:0.5\n\nO\tplain\tw[0]=:2e1\n";
    let input = Input::memory("m", text);
    let mut sentences = Sentences::open(&input, &options(SequenceFormat::Crfsuite, None)).unwrap();
    let mut batch = Batch::default();
    assert!(sentences.fill(&mut batch).unwrap());
    sentences.divide(&mut batch).unwrap();
    let all: Vec<Vec<(String, f64)>> = batch
        .tokens()
        .iter()
        .map(|t| batch.attributes(t).map(|(name, v)| (String::from_utf8_lossy(name).into_owned(), v)).collect())
        .collect();
    let named = |list: &[(&str, f64)]| list.iter().map(|(n, v)| (n.to_string(), *v)).collect::<Vec<_>>();
    assert_eq!(all[0], named(&[("w[0]=a:b", 1.0), ("long=x\\y", 1.0), ("weight", 0.5)]));
    assert_eq!(all[1], named(&[("plain", 1.0), ("w[0]=", 20.0)]));
    assert_eq!(batch.sentences(), 2);
    let wrong = |text: &str| read(text, &options(SequenceFormat::Crfsuite, None)).unwrap_err();
    assert_eq!(wrong("X\ta:b\n"), "m:1:5: \"b\" is not a number: expected name:value (write \\: for a colon)");
    assert_eq!(wrong("\ta\n"), "m:1:1: no tag: expected the tag first, then attributes between tabs");
}

/// A value of 0.5 scales both the update and the score by 0.5.
#[test]
fn values_scale_updates_and_scores() {
    let text = "A\tx:0.5\n\nB\ty:2\n\nA\tx:0.5\n";
    let trainer = TaggerTrainer { averaged: false, order: rosenblatt::fit::Order::Cyclic, ..TaggerTrainer::default() };
    let corpus = trainer.read(&Input::memory("m.crfsuite", text), &SequenceOptions::default()).unwrap();
    let tagger = trainer.fit(corpus, &mut ()).unwrap();
    let weights: Vec<(String, u32, f64)> = (0..tagger.weights.emissions.len() as u32)
        .flat_map(|f| tagger.weights.emissions.row(f).iter().map(move |e| (f, e)))
        .map(|(f, e)| (tagger.emission_name(f), e.slot, e.weight))
        .collect();
    // Of equal scores the first tag, A, wins. Then y is a mistake, and moves the start towards B; so the second x is one.
    let wanted = [("x", 0, 0.5), ("x", 1, -0.5), ("y", 0, -2.0), ("y", 1, 2.0)];
    assert_eq!(weights, wanted.map(|(name, tag, weight)| (name.to_string(), tag, weight)));
}

#[test]
fn a_model_reads_files_with_and_without_tags() {
    let trainer = TaggerTrainer::default();
    let text = "the D B-NP\ndog N I-NP\nran V O\n\n";
    let corpus = trainer.read(&Input::memory("m.conll", text), &SequenceOptions::default()).unwrap();
    let tagger = trainer.fit(corpus, &mut ()).unwrap();
    let tag = |text: &str, tags: Tags| {
        let input = Input::memory("new", text);
        let mut sentences = tagger.open(&input, tags).map_err(|e| e.to_string())?;
        let mut out = String::new();
        let done = tagger.tag_lines(&mut sentences, Shares::No, |piece| {
            out += std::str::from_utf8(&piece).unwrap();
            Ok(())
        });
        done.map(|()| out).map_err(|e| e.to_string())
    };
    let tagged = Tags::Optional;
    assert_eq!(tag("the D\ndog N\n\nran V", tagged).unwrap(), "the D B-NP\ndog N I-NP\n\nran V O\n");
    assert_eq!(tag("the\tD\r\ndog\tN\r\n\r\n", tagged).unwrap(), "the\tD\tB-NP\ndog\tN\tI-NP\n\n");
    assert_eq!(tag("the D X\ndog N Y\n", tagged).unwrap(), "the D X B-NP\ndog N Y I-NP\n");
    assert_eq!(tag("-DOCSTART- O\n\nthe D\ndog N", tagged).unwrap(), "-DOCSTART- O O\n\nthe D B-NP\ndog N I-NP\n");
    assert_eq!(tag("", tagged).unwrap(), "");
    assert_eq!(
        tag("the\n", tagged).unwrap_err(),
        "new: the first token has 1 column, but the model was trained on 2 columns and a tag; pass format text for \
         sentences as they are written, or format tokens for a word on each line"
    );
    assert_eq!(tag("the D\nran\n", tagged).unwrap_err(), "new:2: 1 column in \"ran\", where the lines before have 2");
    assert_eq!(tag("the D\n", Tags::Needed).unwrap_err(), "new: 2 columns and no tags to compare with");
}

#[test]
fn an_unknown_tag_counts_as_an_error_and_is_reported() {
    let trainer = TaggerTrainer::default();
    let corpus = trainer.read(&Input::memory("m.conll", "a X\nb Y\n\nb Y\n"), &SequenceOptions::default()).unwrap();
    let tagger = trainer.fit(corpus, &mut ()).unwrap();
    let input = Input::memory("new", "a X\nb Z\n\nb Y\n");
    let told = tagger.evaluate(&mut tagger.open(&input, Tags::Needed).unwrap(), None).unwrap();
    assert_eq!((told.sentences, told.tokens, told.sentence_accuracy), (2, 3, 0.5));
    assert_eq!(told.token_accuracy, 2.0 / 3.0);
    assert_eq!(told.unknown_tags.into_iter().collect::<Vec<_>>(), [("Z".to_string(), 1)]);
    assert_eq!(told.chunks, None);
}

#[test]
fn errors_of_training_data() {
    let learn = |text: &str, trainer: TaggerTrainer| {
        let corpus = trainer.read(&Input::memory("m.conll", text), &SequenceOptions::default())?;
        trainer.fit(corpus, &mut ())
    };
    let told = |text: &str, trainer: TaggerTrainer| learn(text, trainer).unwrap_err().to_string();
    let plain = TaggerTrainer::default;
    assert_eq!(told("a X\nb X\n", plain()), "m.conll: every token has the tag \"X\": there is nothing to tell apart");
    let set = rosenblatt::structured::template::Templates::built_in("chunk");
    assert_eq!(
        told("a X\nb Y\n", TaggerTrainer { templates: set, ..plain() }),
        "m.conll:1: the templates use column pos, but there is only one column beside the tag"
    );
    let many: String = (0..5000).map(|i| format!("w tag{i}\n")).collect();
    assert_eq!(
        told(&many, plain()),
        "m.conll:4097: more than 4096 different tags, \"tag4096\" the last: is this the tag's column?"
    );
    let constrain = rosenblatt::structured::Constrain::Found;
    let trainer = TaggerTrainer { constrain, ..plain() };
    assert!(told("a X\nb Y\n", trainer).contains("the tags are valid in none of iob1"));
}
