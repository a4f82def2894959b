//! Forges model files that lie: damaged ones, and ones whose checksum is right but whose claims are not.

use std::path::Path;

use serde_json::{Value, json};

use super::support::{Bench, POINTS, SVM};

/// A model file, taken apart.
#[derive(Clone)]
struct Parts {
    version: u32,
    reserved: [u8; 4],
    header: Value,
    arrays: Vec<u8>,
}

impl Parts {
    fn new(bytes: &[u8]) -> Self {
        let length = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
        let header = serde_json::from_slice(&bytes[24..24 + length]).unwrap();
        Parts { version: 1, reserved: [0; 4], header, arrays: bytes[24 + length..bytes.len() - 4].to_vec() }
    }

    fn header_bytes(&self) -> Vec<u8> {
        let mut header = serde_json::to_vec(&self.header).unwrap();
        header.resize(header.len().next_multiple_of(8), b' ');
        header
    }

    /// The file with a right checksum.
    fn bytes(&self) -> Vec<u8> {
        let header = self.header_bytes();
        self.bytes_with(header.len() as u64, &header)
    }

    /// The same with a header that may be anything, and a length that may be a lie.
    fn bytes_with(&self, length: u64, header: &[u8]) -> Vec<u8> {
        let mut bytes = b"RSNBLATT".to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(self.reserved);
        bytes.extend(length.to_le_bytes());
        bytes.extend(header);
        bytes.extend(&self.arrays);
        bytes.extend(crc32(&bytes).to_le_bytes());
        bytes
    }

    /// Where an array begins: each is padded to a multiple of eight bytes.
    fn place(&self, name: &str) -> usize {
        let mut at = 0;
        for array in self.header["arrays"].as_array().unwrap() {
            if array["name"] == name {
                return at;
            }
            let width = if array["type"] == "u32" { 4 } else { 8 };
            at += (array["length"].as_u64().unwrap() as usize * width).next_multiple_of(8);
        }
        panic!("no array {name}");
    }

    fn put(&mut self, name: &str, value: [u8; 8]) {
        let at = self.place(name);
        self.arrays[at..at + 8].copy_from_slice(&value);
    }

    fn array(&mut self, name: &str) -> &mut Value {
        self.header["arrays"].as_array_mut().unwrap().iter_mut().find(|a| a["name"] == name).unwrap()
    }
}

/// CRC-32 as zip and PNG have it, a bit at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

fn trained(data: &str, text: &str, options: &str) -> Vec<u8> {
    let bench = Bench::with(data, text);
    bench.run(&format!("train {data} -o made {options}")).ok();
    bench.read("made")
}

pub fn write_all(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    let linear = trained("rows.svm", SVM, "--learner perceptron");
    let voted = trained("rows.svm", SVM, "--learner voted");
    let columns = trained("points.csv", POINTS, "--learner perceptron");
    damage(&linear, &write);
    lie_in_the_frame(&Parts::new(&linear), &write);
    lie_in_the_header(&Parts::new(&linear), &write);
    lie_in_columns(&Parts::new(&columns), &write);
    lie_in_votes(&Parts::new(&voted), &write);
    lie_in_json(&write);
    checkpoints(&write);
    write("data_as_model.model", SVM.as_bytes());
    write("text.model", b"weights 1 2 3\n");
    write("empty.model", b"");
    write("blank.model", b"\n\n");
}

fn damage(good: &[u8], write: &dyn Fn(&str, &[u8])) {
    let end = good.len();
    write("only_magic.model", &good[..8]);
    write("cut_in_the_length.model", &good[..20]);
    write("cut_in_the_header.model", &good[..100]);
    write("cut_in_the_weights.model", &good[..end - 12]);
    write("cut_by_one.model", &good[..end - 1]);
    write("one_byte_more.model", &[good, b"\n"].concat());
    let flipped = |at: usize| {
        let mut bytes = good.to_vec();
        bytes[at] ^= 0x20;
        bytes
    };
    write("flipped_in_the_magic.model", &flipped(3));
    write("flipped_in_the_header.model", &flipped(60));
    write("flipped_in_the_weights.model", &flipped(end - 10));
    write("flipped_in_the_checksum.model", &flipped(end - 1));
    let text = String::from_utf8_lossy(good).replace('\n', "\r\n");
    write("sent_as_text.model", text.as_bytes());
}

fn lie_in_the_frame(good: &Parts, write: &dyn Fn(&str, &[u8])) {
    for version in [0, 2, 3, 4, u32::MAX] {
        write(&format!("version_{version}.model"), &Parts { version, ..good.clone() }.bytes());
    }
    write("reserved_bytes.model", &Parts { reserved: [0, 0, 0, 7], ..good.clone() }.bytes());
    let header = good.header_bytes();
    let length = header.len() as u64;
    write("header_length_zero.model", &good.bytes_with(0, &header));
    write("header_length_odd.model", &good.bytes_with(length - 3, &header));
    write("header_length_short.model", &good.bytes_with(length - 8, &header));
    write("header_length_huge.model", &good.bytes_with(u64::MAX, &header));
    write("header_length_past_the_end.model", &good.bytes_with(1 << 20, &header));
    write("header_no_json.model", &good.bytes_with(16, b"this is no JSON!"));
    write("header_no_utf8.model", &good.bytes_with(8, b"{\"a\":\"\xff\""));
    write("header_nested_deeply.model", &good.bytes_with(1024, &[b'['; 1024]));
    write("header_a_list.model", &good.bytes_with(8, b"[1,2,3] "));
}

fn lie_in_the_header(good: &Parts, write: &dyn Fn(&str, &[u8])) {
    let lie = |name: &str, change: &dyn Fn(&mut Parts)| {
        let mut parts = good.clone();
        change(&mut parts);
        write(name, &parts.bytes());
    };
    lie("array_past_the_end.model", &|p| p.array("weights")["length"] = json!(1000));
    lie("array_length_overflows.model", &|p| p.array("weights")["length"] = json!(u64::MAX / 8 + 2));
    lie("array_length_greatest.model", &|p| p.array("weights")["length"] = json!(u64::MAX));
    lie("array_length_negative.model", &|p| p.array("weights")["length"] = json!(-3));
    lie("array_too_short.model", &|p| p.array("weights")["length"] = json!(1));
    lie("array_of_counts.model", &|p| p.array("weights")["type"] = json!("u64"));
    lie("array_of_unknown_type.model", &|p| p.array("weights")["type"] = json!("f16"));
    lie("array_renamed.model", &|p| p.array("weights")["name"] = json!("wieghts"));
    lie("array_twice.model", &|p| {
        let bias = p.array("weights.bias").clone();
        p.header["arrays"].as_array_mut().unwrap().push(bias);
        p.arrays.extend([0; 8]);
    });
    lie("array_padding.model", &|p| {
        p.header["arrays"].as_array_mut().unwrap().push(json!({ "name": "z", "type": "u32", "length": 1 }));
        p.arrays.extend([1; 8]);
    });
    lie("bytes_after_the_arrays.model", &|p| p.arrays.extend([0; 8]));
    lie("nan_weight.model", &|p| p.put("weights", f64::NAN.to_le_bytes()));
    lie("infinite_weight.model", &|p| p.put("weights", f64::NEG_INFINITY.to_le_bytes()));
    lie("infinite_bias.model", &|p| p.put("weights.bias", f64::INFINITY.to_le_bytes()));

    let set = |name: &str, place: &str, value: Value| {
        lie(name, &|p| *p.header.pointer_mut(place).unwrap() = value.clone());
    };
    set("kind_unknown.model", "/content/kind", json!("forest"));
    set("kind_wrong.model", "/content/kind", json!("voted"));
    set("no_classes.model", "/content/labels", json!([]));
    set("one_class.model", "/content/labels", json!(["+1"]));
    set("class_twice.model", "/content/labels", json!(["+1", "+1"]));
    set("three_classes.model", "/content/labels", json!(["a", "b", "c"]));
    set("labels_are_numbers.model", "/content/labels", json!([-1, 1]));
    set("features_too_many.model", "/content/schema/features", json!(1u64 << 60));
    set("features_greatest.model", "/content/schema/features", json!(u64::MAX));
    set("features_negative.model", "/content/schema/features", json!(-1));
    set("features_too_few.model", "/content/schema/features", json!(0));
    set("first_index.model", "/content/schema/first", json!(u32::MAX));
    set("layout_unknown.model", "/content/schema/layout", json!("pyramid"));
    set("learner_unknown.model", "/content/facts/recipe/learner", json!("oracle"));
    set("rate_negative.model", "/content/facts/recipe/params/rate", json!("-1"));
    set("rate_nan.model", "/content/facts/recipe/params/rate", json!("NaN"));
    set("keep_unknown.model", "/content/facts/recipe/keep", json!("best"));
    set("tie_unknown.model", "/content/facts/recipe/tie", json!("coin"));
    lie("bias_denied.model", &|p| {
        p.put("weights.bias", 1.0f64.to_le_bytes());
        p.header["content"]["facts"]["recipe"]["bias"] = json!(false);
    });
    set("stopped_unknown.model", "/content/facts/stopped", json!("tired"));
    set("examples_negative.model", "/content/facts/examples", json!(-4));
    lie("field_unknown.model", &|p| p.header["content"]["run"] = json!("rm -rf"));
    lie("field_missing.model", &|p| drop(p.header["content"].as_object_mut().unwrap().remove("facts")));
    lie("content_missing.model", &|p| drop(p.header.as_object_mut().unwrap().remove("content")));
    lie("parameter_unknown.model", &|p| p.header["content"]["facts"]["recipe"]["params"]["luck"] = json!("7"));
}

fn lie_in_columns(good: &Parts, write: &dyn Fn(&str, &[u8])) {
    let set = |name: &str, place: &str, value: Value| {
        let mut parts = good.clone();
        *parts.header.pointer_mut(place).unwrap() = value;
        write(name, &parts.bytes());
    };
    set("column_outside.model", "/content/schema/columns/0/at", json!(7));
    set("column_far_outside.model", "/content/schema/columns/1/at", json!(u64::MAX));
    set("column_place_twice.model", "/content/schema/columns/1/at", json!(0));
    set("column_name_twice.model", "/content/schema/columns/1/name", json!("x"));
    set("column_is_label.model", "/content/schema/columns/1/at", json!(2));
    set("column_kind_unknown.model", "/content/schema/columns/0/kind", json!("picture"));
    set("label_outside.model", "/content/schema/label_at", json!(9));
    set("width_zero.model", "/content/schema/width", json!(0));
    set("columns_none.model", "/content/schema/columns", json!([]));
    let category = json!({ "name": "x", "at": 0, "kind": "category", "values": ["b", "a"] });
    set("categories_out_of_order.model", "/content/schema/columns", json!([category]));
}

fn lie_in_votes(good: &Parts, write: &dyn Fn(&str, &[u8])) {
    let put = |name: &str, array: &str, value: [u8; 8]| {
        let mut parts = good.clone();
        parts.put(array, value);
        write(name, &parts.bytes());
    };
    let set = |name: &str, place: &str, value: Value| {
        let mut parts = good.clone();
        *parts.header.pointer_mut(place).unwrap() = value;
        write(name, &parts.bytes());
    };
    put("votes_index_outside.model", "indices", [0xff; 8]);
    put("votes_output_outside.model", "outputs", [1; 8]);
    put("votes_times_fall.model", "times", 7u64.to_le_bytes());
    put("votes_before_the_first.model", "times", 0u64.to_le_bytes());
    put("votes_rows_end_outside.model", "row_ends", u64::MAX.to_le_bytes());
    put("votes_moves_end_outside.model", "move_ends", 99u64.to_le_bytes());
    put("votes_nan_scale.model", "scales", f64::NAN.to_le_bytes());
    put("votes_infinite_value.model", "values", f64::INFINITY.to_le_bytes());
    set("votes_after_the_last.model", "/content/presented", json!(1));
    set("votes_without_end.model", "/content/presented", json!(u64::MAX));
    set("votes_for_classes.model", "/content/ballot", json!("arg-max"));
}

fn lie_in_json(write: &dyn Fn(&str, &[u8])) {
    let bench = Bench::with("rows.svm", SVM);
    bench.run("train rows.svm -o made.json --learner perceptron").ok();
    let text = bench.text("made.json");
    let good: Value = serde_json::from_str(&text).unwrap();
    let set = |name: &str, place: &str, value: Value| {
        let mut model = good.clone();
        *model.pointer_mut(place).unwrap() = value;
        write(name, format!("{model}\n").as_bytes());
    };
    write("cut.model.json", &text.as_bytes()[..text.len() / 2]);
    write("nothing_in_it.model.json", b"{}\n");
    write("brace.model.json", b"{");
    write("a_list.model.json", b"[1, 2, 3]\n");
    write("nested_deeply.model.json", "{\"a\":".repeat(300).as_bytes());
    write("two_models.model.json", format!("{text}{text}").as_bytes());
    write("unquoted.model.json", text.replace("\"arrays\"", "arrays").as_bytes());
    write(
        "overflow.model.json",
        text.replace("\"weights\":{\"type\":\"f64\",\"values\":[", "\"weights\":{\"type\":\"f64\",\"values\":[1e999,")
            .as_bytes(),
    );
    write("utf16.model.json", &text.encode_utf16().take(200).flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    set("version_2.model.json", "/rosenblatt", json!(2));
    set("version_3.model.json", "/rosenblatt", json!(3));
    set("version_4.model.json", "/rosenblatt", json!(4));
    set("version_text.model.json", "/rosenblatt", json!("1"));
    set("weights_null.model.json", "/arrays/weights/values/0", json!(null));
    set("weights_text.model.json", "/arrays/weights/values/0", json!("1.5"));
    set("weights_too_many.model.json", "/arrays/weights/values", json!([1.0, 2.0, 3.0, 4.0]));
    set("weights_no_list.model.json", "/arrays/weights/values", json!(7));
    set("weights_nested.model.json", "/arrays/weights/values", json!([[1.0], [2.0], [3.0]]));
    set("weights_as_counts.model.json", "/arrays/weights", json!({ "type": "u64", "values": [1, 2, 3] }));
    set("weights_missing.model.json", "/arrays", json!({}));
    set("labels_missing.model.json", "/content/labels", json!(null));
    set("features_lie.model.json", "/content/schema/features", json!(1u64 << 40));
    set("facts_text.model.json", "/content/facts", json!("trust me"));
}

fn checkpoints(write: &dyn Fn(&str, &[u8])) {
    let bench = Bench::with("rows.svm", SVM);
    let paused = |options: &str| {
        bench.run(&format!("train rows.svm --epochs 1 --checkpoint paused {options}")).ok();
        bench.read("paused")
    };
    let good = paused("--learner averaged");
    write("checkpoint.model", &good);
    let lie = |name: &str, good: &[u8], change: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::new(good);
        change(&mut parts);
        write(name, &parts.bytes());
    };
    let set = |name: &str, place: &str, value: Value| {
        lie(name, &good, &|p| *p.header.pointer_mut(place).unwrap() = value.clone());
    };
    write("cut.checkpoint", &good[..good.len() / 2]);
    set("presented_greatest.checkpoint", "/content/course/presented", json!(u64::MAX));
    set("mistakes_greatest.checkpoint", "/content/course/mistakes", json!(u64::MAX));
    set("updates_greatest.checkpoint", "/content/course/updates", json!(u64::MAX));
    set("position_greatest.checkpoint", "/content/course/position", json!(u64::MAX));
    set("pass_mistakes_greatest.checkpoint", "/content/course/pass_mistakes", json!(u64::MAX));
    set("order_missing.checkpoint", "/content/order", json!("given"));
    set("start_missing.checkpoint", "/content/started", json!("given"));
    set("learner_other.checkpoint", "/content/recipe/learner", json!("arow"));
    set("class_weights_negative.checkpoint", "/content/class_weights", json!({ "given": { "+1": -1.0 } }));
    set("class_unknown.checkpoint", "/content/class_weights", json!({ "given": { "maybe": 1.0 } }));
    lie("nan_weight.checkpoint", &good, &|p| p.put("learner.weights", f64::NAN.to_le_bytes()));
    lie("nan_average.checkpoint", &good, &|p| p.put("learner.keep.u", f64::NAN.to_le_bytes()));
    lie("learner_presented.checkpoint", &good, &|p| p.put("learner.presented", u64::MAX.to_le_bytes()));
    lie("learner_updates.checkpoint", &good, &|p| p.put("learner.updates", u64::MAX.to_le_bytes()));
    lie("failures_greatest.checkpoint", &good, &|p| p.put("failures", [0xff; 8]));
    lie("weights_missing.checkpoint", &good, &|p| p.array("learner.weights")["name"] = json!("learner.weight"));
    lie("pocket_run.checkpoint", &paused("--learner pocket"), &|p| p.put("learner.keep.run", [0xff; 8]));
    lie("votes_to_come.checkpoint", &paused("--learner voted"), &|p| {
        let last = p.array("learner.keep.times")["length"].as_u64().unwrap() as usize - 1;
        let at = p.place("learner.keep.times") + 8 * last;
        p.arrays[at..at + 8].copy_from_slice(&1000u64.to_le_bytes());
    });
}
