//! Lies with a true checksum: each is refused with a sentence that names it.

use rosenblatt::Trainer;
use serde_json::{Value, json};

use crate::make::{
    Parts, binary_lie, checkpoints, fitted, judged, lie, models, refused, resign, sign, three_classes, two_classes,
};

fn linear() -> Vec<u8> {
    fitted("averaged", &two_classes()).model.to_bytes()
}

fn many() -> Vec<u8> {
    fitted("averaged", &three_classes()).model.to_bytes()
}

fn voted() -> Vec<u8> {
    fitted("voted", &three_classes()).model.to_bytes()
}

fn paused() -> Vec<u8> {
    fitted("averaged", &two_classes()).checkpoint.as_ref().unwrap().to_bytes()
}

#[test]
fn the_frame() {
    let parts = Parts::of(&linear());
    assert!(refused(b"").contains("not a rosenblatt model"));
    assert!(refused(b"RSNBLATT").contains("cut short"));
    assert!(refused(b"PK\x03\x04 a zip file of pickles").contains("not a rosenblatt model"));

    let frame = |change: fn(&mut Vec<u8>)| {
        let mut bytes = parts.sign();
        bytes.truncate(bytes.len() - 4);
        change(&mut bytes);
        refused(&resign(bytes))
    };
    assert!(frame(|b| b[8] = 4).contains("version 4: this program reads versions 1 to 3"));
    assert!(frame(|b| b[11] = 255).contains("this program reads versions 1 to 3"));
    assert!(frame(|b| b[12] = 1).contains("bytes 12 to 15 must be zero"));
    assert!(frame(|b| b[15] = 1).contains("bytes 12 to 15 must be zero"));
    assert!(frame(|b| b[16..24].fill(255)).contains("the header claims 18446744073709551615 bytes"));
    assert!(frame(|b| b[16..24].copy_from_slice(&(u64::MAX - 7).to_le_bytes())).contains("the header claims"));
    assert!(frame(|b| b[16..24].copy_from_slice(&(1u64 << 40).to_le_bytes())).contains("the header claims"));
    assert!(frame(|b| b[16] += 1).contains("the header claims"));
    assert!(frame(|b| b[16..24].fill(0)).contains("the header is invalid"));
    assert!(frame(|b| b.extend([0; 8])).contains("8 bytes after the last array"));
    assert!(frame(|b| b.extend([0; 3])).contains("3 bytes after the last array"));
}

#[test]
fn lengths_that_no_file_can_hold() {
    for length in [u64::MAX, 1 << 61, (1 << 61) + 1, 1 << 60, 1 << 40, 3, 4] {
        binary_lie(&linear(), "", |p| p.array("weights").length = length);
    }
    binary_lie(&linear(), "claims 18446744073709551615 numbers", |p| p.array("weights").length = u64::MAX);
    // 2^61 times eight bytes wraps round to nothing at all.
    binary_lie(&linear(), "claims 2305843009213693952 numbers", |p| p.array("weights").length = 1 << 61);
    let text = Parts::of(&linear()).header().replacen("\"length\":2", "\"length\":-2", 1);
    assert!(refused(&sign(&text, &Parts::of(&linear()).blob())).contains("header"));
    let text = Parts::of(&linear()).header().replacen("\"length\":2", "\"length\":1e3", 1);
    assert!(refused(&sign(&text, &Parts::of(&linear()).blob())).contains("header"));
}

#[test]
fn padding_that_is_not_zero() {
    let parts = Parts::of(&paused());
    // Five failure counts of four bytes each are the first array; four zero bytes follow.
    assert_eq!((parts.arrays[0].name.as_str(), parts.arrays[0].data.len()), ("failures", 20));
    for at in 20..24 {
        let mut blob = parts.blob();
        blob[at] = 1;
        assert!(refused(&sign(&parts.header(), &blob)).contains("padding after array \"failures\" must be zero"));
    }
}

#[test]
fn numbers_that_are_none() {
    for (value, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf"), (-0.0, "-0.0")] {
        let told = format!("array \"weights\": number 2 is {name};");
        binary_lie(&linear(), &told, |p| p.put("weights", &[1.0, value]));
        binary_lie(&linear(), "\"weights.bias\": number 1", |p| p.put("weights.bias", &[value]));
        binary_lie(&voted(), "\"scales\": number 1", |p| {
            let n = p.array("scales").length as usize;
            p.put("scales", &vec![value; n]);
        });
        binary_lie(&paused(), "\"learner.keep.u\": number 1", |p| p.put("learner.keep.u", &[value, 1.0]));
    }
    lie(&linear(), "", |p| p.put("weights", &[1.0, f64::NAN]));
    lie(&linear(), "", |p| p.put("weights", &[1.0, -0.0]));
    let text = String::from_utf8(Parts::of(&linear()).json()).unwrap();
    assert!(refused(text.replacen("\"values\":[", "\"values\":[1e999,", 1).as_bytes()).contains("out of range"));
    assert!(refused(text.replacen("\"values\":[", "\"values\":[NaN,", 1).as_bytes()).contains("not the JSON form"));
}

#[test]
fn arrays_that_are_missing_or_do_not_belong() {
    lie(&linear(), "no array \"weights\"", |p| p.arrays.retain(|a| a.name != "weights"));
    lie(&linear(), "no array \"weights.bias\"", |p| p.arrays.retain(|a| a.name != "weights.bias"));
    lie(&linear(), "no array \"weights\" of floating-point numbers", |p| p.array("weights").kind = "u64".into());
    binary_lie(&linear(), "unknown variant `f32`", |p| p.array("weights").kind = "f32".into());
    lie(&linear(), "array \"more\\n\" does not belong", |p| {
        let mut more = p.array("weights").clone();
        more.name = "more\n".into();
        p.arrays.push(more);
    });
    binary_lie(&linear(), "two arrays have the same name", |p| {
        let again = p.array("weights").clone();
        p.arrays.push(again);
    });
    lie(&linear(), "does not belong", |p| {
        let mut more = p.array("weights").clone();
        (more.name, more.length) = (String::new(), 0);
        more.data.clear();
        p.arrays.push(more);
    });
    lie(&paused(), "array \"order\" does not belong", |p| {
        let mut more = p.array("failures").clone();
        more.name = "order".into();
        p.arrays.push(more);
    });
    lie(&paused(), "does not have", |p| {
        let mut more = p.array("failures").clone();
        more.name = "learner.more".into();
        p.arrays.push(more);
    });
    for (_, checkpoint, _) in checkpoints() {
        let bytes = checkpoint.to_bytes();
        for i in 0..Parts::of(&bytes).arrays.len() {
            lie(&bytes, "", |p| drop(p.arrays.remove(i)));
            lie(&bytes, "", |p| p.arrays[i].name.push('x'));
            lie(&bytes, "", |p| p.arrays[i].kind = if p.arrays[i].kind == "f64" { "u64" } else { "f64" }.into());
            longer(&bytes, i);
        }
    }
}

/// One number more than there should be. (How many examples there were, only the data know.)
fn longer(bytes: &[u8], i: usize) {
    let name = Parts::of(bytes).arrays[i].name.clone();
    if !matches!(name.as_str(), "failures" | "order") && !name.ends_with("right") {
        lie(bytes, "", |p| {
            let width = p.arrays[i].data.len() / p.arrays[i].length.max(1) as usize;
            let width = if width == 0 { 8 } else { width };
            let more = p.arrays[i].data.len() + width;
            p.arrays[i].data.resize(more, 0);
            p.arrays[i].length += 1;
        });
    }
}

#[test]
fn fields_that_are_missing_unknown_or_twice() {
    for bytes in [linear(), voted(), paused()] {
        lie(&bytes, "unknown field `more\\n`", |p| p.content["more\n"] = json!(1));
        lie(&bytes, "missing field `labels`", |p| drop(p.content.as_object_mut().unwrap().remove("labels")));
        lie(&bytes, "missing field `kind`", |p| drop(p.content.as_object_mut().unwrap().remove("kind")));
        lie(&bytes, "unknown variant `forest`", |p| p.content["kind"] = json!("forest"));
        lie(&bytes, "header", |p| p.content["kind"] = json!(7));
        lie(&bytes, "unknown field `more`", |p| p.content["schema"]["more"] = json!(1));
        lie(&bytes, "header", |p| p.content = json!([]));
        lie(&bytes, "header", |p| p.content = json!(null));
    }
    lie(&linear(), "unknown field `more`", |p| p.content["facts"]["more"] = json!(1));
    lie(&linear(), "unknown field `more`", |p| p.content["facts"]["recipe"]["more"] = json!(1));
    lie(&paused(), "unknown field `more`", |p| p.content["course"]["more"] = json!(1));
    lie(&paused(), "unknown field `more`", |p| p.content["order"]["shuffled"]["more"] = json!(1));
    lie(&paused(), "unknown variant `random`", |p| p.content["order"] = json!("random"));
    lie(&linear(), "kind of model is not what the recipe keeps", |p| {
        p.content["facts"]["recipe"]["keep"] = json!("vote")
    });

    let parts = Parts::of(&linear());
    for (field, twice) in [
        ("\"kind\":", "\"kind\":\"linear\",\"kind\":"),
        ("\"labels\":", "\"labels\":[\"a\",\"b\"],\"labels\":"),
        ("\"first\":", "\"first\":0,\"first\":"),
        ("\"rate\":", "\"rate\":\"2\",\"rate\":"),
        ("\"content\":", "\"content\":{},\"content\":"),
        ("\"name\":\"weights\"", "\"name\":\"weights\",\"name\":\"weights\""),
    ] {
        let header = parts.header();
        assert!(header.contains(field), "{field} in {header}");
        let told = refused(&sign(&header.replacen(field, twice, 1), &parts.blob()));
        assert!(told.contains("duplicate field") || told.contains("comes twice"), "{field}: {told}");
    }
    let text = String::from_utf8(parts.json()).unwrap();
    let twice = text.replacen("\"weights\":{", "\"weights\":{\"type\":\"f64\",\"values\":[]},\"weights\":{", 1);
    assert!(refused(twice.as_bytes()).contains("\"weights\" comes twice"));
    assert!(refused(text.replacen("\"rosenblatt\":1", "\"rosenblatt\":4", 1).as_bytes()).contains("version 4"));
    assert!(refused(text.replacen("\"rosenblatt\":1", "\"rosenblatt\":1,\"x\":2", 1).as_bytes()).contains("unknown"));
    assert!(refused(b"{}").contains("not the JSON form"));
    assert!(refused(b" {\n\"a\": 1}").contains("unknown field `a`"));
}

#[test]
fn what_held_back_examples_said() {
    for (table, outputs) in [(two_classes(), 1), (three_classes(), 3)] {
        let bytes = judged("averaged", &table).to_bytes();
        let sigmoid = json!({ "slope": 1.0, "offset": 0.5 });
        let told = format!("{} sigmoids of probabilities, where there are {outputs} outputs", outputs + 1);
        lie(&bytes, &told, |p| p.content["calibration"]["sigmoids"] = json!(vec![sigmoid.clone(); outputs + 1]));
        lie(&bytes, "0 sigmoids", |p| p.content["calibration"]["sigmoids"] = json!([]));
        lie(&bytes, "unknown field `more`", |p| p.content["calibration"]["more"] = json!(1));
        lie(&bytes, "header", |p| p.content["calibration"]["sigmoids"][0]["slope"] = json!("steep"));
        let said = |change: fn(&mut Value)| {
            lie(&bytes, "the validation errors contradict", |p| change(&mut p.content["facts"]["validation"]))
        };
        said(|v| v["examples"] = json!(0));
        said(|v| v["wrong_by_epoch"][0] = json!(1000));
        said(|v| v["train_wrong_by_epoch"][0] = json!(1000));
        said(|v| v["wrong_by_epoch"] = json!([]));
        said(|v| v["kept"] = json!(99));
        said(|v| v["kept"] = json!(0));
        lie(&bytes, "it says 2", |p| {
            p.content.as_object_mut().unwrap().remove("calibration");
            p.content["facts"].as_object_mut().unwrap().remove("validation");
        });
    }
    lie(&linear(), "it says 1", |p| {
        p.content["calibration"] = json!({ "sigmoids": [{ "slope": 1.0, "offset": 0.5 }] })
    });
    // The voters of an earlier pass may have been kept, never those of a later one.
    let bytes = judged("voted", &three_classes()).to_bytes();
    lie(&bytes, "1000 votes, where", |p| p.content["presented"] = json!(1000));
}

#[test]
fn classes() {
    lie(&linear(), "0 classes", |p| p.content["labels"] = json!([]));
    lie(&linear(), "1 class", |p| p.content["labels"] = json!(["a"]));
    lie(&linear(), "the class \"a\\n\" is named twice", |p| p.content["labels"] = json!(["a\n", "a\n"]));
    lie(&linear(), "two classes are the number 1", |p| p.content["labels"] = json!(["1", "+1.0"]));
    lie(&linear(), "two classes are the number 0", |p| p.content["labels"] = json!(["0", "-0"]));
    lie(&linear(), "2 weights and 1 bias", |p| p.content["labels"] = json!(["a", "b", "c"]));
    lie(&many(), "12 weights and 3 biases", |p| p.content["labels"] = json!(["a", "b"]));
    lie(&many(), "12 weights and 3 biases", |p| p.content["labels"] = json!(["a", "b", "c", "d"]));
    lie(&linear(), "header", |p| p.content["labels"] = json!(["a", 1]));
    let long = "x".repeat(100_000);
    lie(&linear(), "is named twice", |p| p.content["labels"] = json!([long, long, "\u{202e}"]));
}

#[test]
fn schemas() {
    for features in [0u64, 1, 3, 1 << 60, u64::MAX] {
        for bytes in [linear(), many(), voted(), paused()] {
            lie(&bytes, "", |p| p.content["schema"]["features"] = json!(features));
        }
    }
    lie(&linear(), "header", |p| p.content["schema"]["features"] = json!(-1));
    lie(&linear(), "header", |p| p.content["schema"]["features"] = json!(2.0));
    lie(&linear(), "index 2: it must be 0 or 1", |p| p.content["schema"]["first"] = json!(2));
    lie(&linear(), "header", |p| p.content["schema"]["layout"] = json!("rows"));

    let columns = |label_at: usize, width: usize, columns: Value| json!({ "layout": "columns", "columns": columns, "label": null, "label_at": label_at, "width": width, "header": false });
    let number = |name: &str, at: u64| json!({ "name": name, "at": at, "kind": "number" });
    let category = |at: u64, values: &[&str]| json!({ "name": "c\n", "at": at, "kind": "category", "values": values });
    let told = |says: &str, schema: Value| lie(&linear(), says, |p| p.content["schema"] = schema);
    told("places of the columns", columns(2, 3, json!([number("a", 0), number("b", 0)])));
    told("places of the columns", columns(2, 3, json!([number("a", 1), number("b", 0)])));
    told("places of the columns", columns(2, 3, json!([number("a", 0), number("b", 2)])));
    told("places of the columns", columns(2, 3, json!([number("a", 0), number("b", 3)])));
    told("places of the columns", columns(3, 3, json!([number("a", 0), number("b", 1)])));
    told("places of the columns", columns(2, 3, json!([number("a", 0), number("b", u64::MAX)])));
    told("two columns are called", columns(2, 3, json!([number("a", 0), number("a", 1)])));
    told("categories of column \"c\\n\" must be sorted", columns(2, 3, json!([category(0, &["a", "a"])])));
    told("categories of column \"c\\n\" must be sorted", columns(2, 3, json!([category(0, &["b", "a"])])));
    told("3 features", columns(2, 3, json!([category(0, &["a", "b", "c"])])));
    told("0 features", columns(2, 3, json!([])));
    told("header", columns(2, 3, json!([{ "name": "a", "at": 0, "kind": "picture" }])));
    told("unknown field `more`", columns(2, 3, json!([{ "name": "a", "at": 0, "kind": "number", "more": 1 }])));
    told("unknown field `values`", columns(2, 3, json!([{ "name": "a", "at": 0, "kind": "number", "values": [] }])));
}

#[test]
fn recipes_and_facts() {
    let recipe = |says: &str, field: &str, value: Value| {
        lie(&linear(), says, |p| p.content["facts"]["recipe"][field] = value.clone());
        lie(&paused(), says, |p| p.content["recipe"][field] = value);
    };
    recipe("there is no learner \"forest\\n\"", "learner", json!("forest\n"));
    recipe("a rule's name has 1 to 64 letters", "learner", json!("custom:two words"));
    recipe("a rule's name has 1 to 64 letters", "learner", json!("custom:"));
    recipe("there is no learner \"Custom:mine\"", "learner", json!("Custom:mine"));
    recipe("averaged has no parameter \"depth\"", "params", json!({ "depth": "3" }));
    recipe("rate=-1: averaged takes above 0", "params", json!({ "rate": "-1" }));
    recipe("rate=nan: averaged takes above 0", "params", json!({ "rate": "nan" }));
    recipe("rate=1e999", "params", json!({ "rate": "1e999" }));
    recipe("schedule=soon", "params", json!({ "schedule": "soon" }));
    recipe("header", "params", json!({ "rate": 1 }));
    recipe("unknown variant", "keep", json!("all"));
    recipe("unknown variant", "tie", json!("maybe"));
    recipe("unknown variant", "multiclass", json!("all"));
    recipe("bias", "bias", json!(false));
    lie(&fitted("arow", &two_classes()).model.to_bytes(), "arow always keeps last", |p| {
        p.content["facts"]["recipe"]["keep"] = json!("average");
    });

    let fact = |says: &str, field: &str, value: Value| lie(&linear(), says, |p| p.content["facts"][field] = value);
    fact("counts", "mistakes", json!(u64::MAX));
    fact("counts", "presented", json!((1u64 << 53) + 1));
    fact("counts", "mistakes_by_epoch", json!([u64::MAX, u64::MAX, 5]));
    fact("header", "examples", json!(-1));
    fact("unknown variant", "stopped", json!("bored"));
    fact("a shuffled order has a seed, and no other order has one", "order", json!("cyclic"));
    fact("the header is invalid", "order", json!("by\nname"));
    fact("a shuffled order has a seed, and no other order has one", "seed", json!(null));
}

#[test]
fn updates_that_contradict_themselves() {
    let says = |says: &str, name: &'static str, change: fn(&mut Vec<f64>)| {
        lie(&voted(), says, |p| {
            let part = p.array(name).clone();
            let mut numbers: Vec<f64> = match part.kind.as_str() {
                "f64" => part.data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
                "u64" => part.data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b) as f64).collect(),
                _ => part.data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b) as f64).collect(),
            };
            change(&mut numbers);
            p.put(name, &numbers);
        });
    };
    says("rows do not end", "row_ends", |v| *v.last_mut().unwrap() += 1.0);
    says("rows do not end", "row_ends", |v| *v.last_mut().unwrap() = 1e18);
    says("rows do not end", "row_ends", |v| v[0] = 1e15);
    says("rows do not end", "row_ends", |v| v.truncate(1));
    says("rows do not end", "indices", |v| v.push(0.0));
    says("rows do not end", "values", |v| v.truncate(1));
    says("moves do not end", "move_ends", |v| v.swap(0, 1));
    says("moves do not end", "outputs", |v| v.clear());
    says("moves do not end", "scales", |v| v.push(1.0));
    says("an output that the model does not have", "outputs", |v| v[0] = 3.0);
    says("an output that the model does not have", "outputs", |v| v[0] = u32::MAX as f64);
    says("a feature that the model does not have", "indices", |v| v[3] = 4.0);
    says("features must increase", "indices", |v| v.swap(0, 1));
    says("features must increase", "indices", |v| v[1] = v[0]);
    says("times must begin at 1", "times", |v| v[0] = 0.0);
    says("times must begin at 1", "times", |v| v[0] = 1e9);
    says("an update after the last example", "times", |v| *v.last_mut().unwrap() = 1e9);
    lie(&voted(), "1 votes, where 18 examples were presented", |p| p.content["presented"] = json!(1));
    lie(&voted(), "examples were presented", |p| p.content["presented"] = json!(1000));
    lie(&voted(), "examples were presented", |p| p.content["presented"] = json!(u64::MAX));
    lie(&voted(), "the ballot is not", |p| p.content["ballot"] = json!("sign"));
    lie(&fitted("voted", &two_classes()).model.to_bytes(), "the ballot is not", |p| {
        p.content["ballot"] = json!("arg-max")
    });
    lie(&voted(), "unknown variant", |p| p.content["ballot"] = json!("lottery"));
}

#[test]
fn checkpoints_that_contradict_themselves() {
    let course = |says: &str, field: &str, value: Value| lie(&paused(), says, |p| p.content["course"][field] = value);
    course("contradict each other", "position", json!(1000));
    course("contradict each other", "position", json!(u64::MAX));
    course("contradict each other", "mistakes", json!(1_000_000));
    course("contradict each other", "mistakes_by_epoch", json!([u64::MAX, u64::MAX]));
    course("contradict each other", "updates", json!(u64::MAX));
    course("contradict each other", "pass_updates", json!(1_000_000));
    course("says otherwise", "presented", json!(1_000_000));
    lie(&paused(), "says otherwise", |p| p.put("learner.presented", &[1e9]));
    lie(&paused(), "says otherwise", |p| p.put("learner.presented", &[1.0, 2.0]));
    lie(&paused(), "nothing is counted beyond 2^53", |p| p.put("learner.updates", &[1e18]));
    lie(&paused(), "holds 2 counts where one belongs", |p| p.put("learner.updates", &[1.0, 1.0]));
    lie(&paused(), "class weight", |p| p.content["class_weights"] = json!({ "given": { "sideways": 1.0 } }));
    lie(&paused(), "class weight", |p| p.content["class_weights"] = json!({ "given": { "up": -1.0 } }));
    lie(&paused(), "no array \"order\"", |p| p.content["order"] = json!("given"));
    lie(&paused(), "no array \"start\"", |p| p.content["started"] = json!("given"));

    let checkpoint = |learner: &str| {
        Trainer::new(learner).epochs(2).fit(&two_classes()).unwrap().checkpoint.as_ref().unwrap().to_bytes()
    };
    lie(&checkpoint("voted"), "an update after the last example", |p| {
        let n = p.array("learner.keep.times").length as usize;
        p.put("learner.keep.times", &vec![1e6; n]);
    });
    lie(&checkpoint("pocket"), "it must be 0 or 1", |p| p.put("learner.keep.counted", &[2.0]));
    lie(&checkpoint("pocket"), "nothing is counted beyond", |p| p.put("learner.keep.run", &[1e19]));
    lie(&checkpoint("pocket"), "\"right\" must hold one", |p| p.put("learner.keep.right", &[1.0, 2.0]));
    lie(&checkpoint("batch"), "it must be 0 or 1", |p| p.put("learner.erred", &[7.0]));
    lie(&checkpoint("batch"), "nothing is counted beyond", |p| p.put("learner.steps", &[1e19]));

    let (_, everything_given, _) = checkpoints().pop().unwrap();
    let bytes = everything_given.to_bytes();
    lie(&bytes, "the order must name", |p| p.put("order", &[0.0, 5.0]));
    lie(&bytes, "the order must name", |p| p.put("order", &[]));
    lie(&bytes, "a bias, where", |p| p.put("start.bias", &[1.0]));
    lie(&bytes, "a bias, where", |p| p.put("learner.weights.bias", &[1.0]));
}

#[test]
fn a_header_made_to_exhaust_the_reader() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    for n in [200, 100_000] {
        assert!(refused(deep(n).as_bytes()).contains("not a rosenblatt model"));
        assert!(refused(format!("{{\"a\":{}}}", deep(n)).as_bytes()).contains("not the JSON form"));
        refused(&sign(&deep(n), b""));
        refused(&sign(&format!("{{\"arrays\":[],\"content\":{}}}", deep(n)), b""));
        refused(&sign(&format!("{{\"arrays\":{},\"content\":{{}}}}", deep(n)), b""));
        let inside = format!("{{\"arrays\":[],\"content\":{{\"kind\":\"linear\",\"schema\":{}}}}}", deep(n));
        refused(&sign(&inside, b""));
        let layout = format!("{{\"layout\":\"indexed\",\"first\":{}}}", deep(n));
        refused(&sign(&inside.replace(&deep(n), &layout), b""));
    }
    // Much where little belongs: nothing may be built of it first.
    let many = |what: &str| vec![what; 50_000].join(",");
    for what in ["0", "[]", "{}", "{\"\":0}", "\"\"", "null", "1e5"] {
        let content =
            |field: &str| format!("{{\"arrays\":[],\"content\":{{\"kind\":\"linear\",\"{field}\":[{}]}}}}", many(what));
        for field in ["labels", "schema", "facts", "more"] {
            refused(&sign(&content(field), b""));
        }
        refused(&sign(&format!("{{\"arrays\":[{}],\"content\":{{}}}}", many(what)), b""));
        refused(format!("{{\"rosenblatt\":1,\"arrays\":[{}],\"content\":{{}}}}", many(what)).as_bytes());
        refused(format!("{{\"rosenblatt\":1,\"arrays\":{{\"a\":{{\"values\":[{}]}}}}}}", many(what)).as_bytes());
    }
    let arrays = many("{\"name\":\"\",\"type\":\"f64\",\"length\":0}");
    assert!(refused(&sign(&format!("{{\"arrays\":[{arrays}],\"content\":{{}}}}"), b"")).contains("same name"));
    refused(&sign("{\"arrays\":[],\"content\":\"\\ud800\"}", b""));
    refused(&sign("\u{0}", b""));
    refused(b"{\"\xff\":1}");
    let mut invalid = sign("{\"arrays\":[],\"content\":{\"kind\":\"x\"}}", b"");
    invalid.truncate(invalid.len() - 4);
    invalid[60] = 0xff;
    refused(&resign(invalid));
}

#[test]
fn every_byte_of_a_header_replaced_by_another_is_refused_or_harmless() {
    for (kind, bytes) in models() {
        let header = Parts::of(&bytes).header();
        let blob = Parts::of(&bytes).blob();
        for i in 0..header.len() {
            for byte in [b'0', b'9', b'"', b'[', b'\n', b'-', b'\\'] {
                let mut changed = header.clone().into_bytes();
                changed[i] = byte;
                let Ok(changed) = String::from_utf8(changed) else { continue };
                let signed = sign(&changed, &blob);
                match rosenblatt::Model::from_bytes(kind, &signed) {
                    // Another seed, another name: a different model, but a sound one.
                    Ok(model) => {
                        let row = vec![0.0; model.hypothesis.features()];
                        model.predict(&row).unwrap();
                        assert_eq!(rosenblatt::Model::from_bytes(kind, &model.to_bytes()).unwrap(), model);
                    }
                    Err(e) => assert!(!e.to_string().contains(char::is_control), "{e}"),
                }
            }
        }
    }
}
