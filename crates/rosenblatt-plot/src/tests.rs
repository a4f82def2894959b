//! Every kind of picture, with ordinary and with extreme numbers: valid, deterministic, and no texts overlap.

use proptest::prelude::*;

use crate::scene::{Anchor, Mark, Picture, Rect, Text};
use crate::{Band, Boundary, Confusion, Crossing, Curve, Fit, Margins, Polyfit, Proof, Series, font};

/// The texts of a picture with the rectangles that they cover.
fn texts(marks: &[Mark]) -> Vec<(Rect, &Text)> {
    let place = |text: &Text| {
        let long = font::width(&text.text, text.size, text.weight);
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -long / 2.0,
            Anchor::End => -long,
        };
        let (up, down) = (text.size * 0.74, text.size * 0.2);
        let [x, y] = text.at;
        match text.upward {
            false => Rect { x: x + start, y: y - up, width: long, height: up + down },
            true => Rect { x: x - up, y: y - start - long, width: up + down, height: long },
        }
    };
    let each = marks.iter().flat_map(|mark| match mark {
        Mark::Text(text) => vec![(place(text), text)],
        Mark::Clipped(_, inner) => texts(inner),
        Mark::Shapes(..) => vec![],
    });
    each.collect()
}

/// Checks what holds for every picture.
#[track_caller]
fn sound(picture: &Picture) {
    let svg = picture.to_svg();
    let read = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    let root = read.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
    let named =
        |name: &str| root.children().find(|n| n.has_tag_name(name)).and_then(|n| n.text()).unwrap_or("").to_string();
    assert!(!named("title").is_empty() && !named("desc").is_empty(), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("e+"), "{svg}");
    let texts = texts(&picture.marks);
    for (i, (a, text)) in texts.iter().enumerate() {
        let inside = a.x >= 0.0 && a.y >= 0.0 && a.right() <= picture.width && a.bottom() <= picture.height;
        assert!(inside, "outside: {text:?} {a:?}");
        for (b, other) in &texts[i + 1..] {
            let apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
            assert!(apart, "on top of each other: {:?} {a:?} and {:?} {b:?}", text.text, other.text);
        }
    }
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|k| format!("class {k}")).collect()
}

fn boundary<'a>(points: &'a [[f64; 2]], classes: &'a [u32], names: &'a [String]) -> Boundary<'a> {
    Boundary {
        title: "points".into(),
        notes: vec!["a note".into()],
        axes: ["x".into(), "y".into()],
        points,
        classes,
        names,
        regions: None,
        band: None,
        mistakes: vec![],
        support: vec![],
        support_name: "support".into(),
        crossing: None,
    }
}

#[test]
fn boundaries() {
    let (points, classes, names) = ([[0.0, 0.0], [2.0, 1.0], [-1.0, 3.0]], [0, 1, 1], names(2));
    let (score, class) = (|p: [f64; 2]| p[0] + p[1] - 1.0, |p: [f64; 2]| u32::from(p[0] + p[1] >= 1.0));
    let mut drawn = boundary(&points, &classes, &names);
    drawn.regions = Some(&class);
    drawn.band = Some(Band { score: &score, level: 1.0, name: "margin".into() });
    (drawn.mistakes, drawn.support) = (vec![1], vec![0, 2]);
    sound(&drawn.draw());
    assert_eq!(drawn.draw().to_svg(), drawn.draw().to_svg(), "the same bytes");
    let mut met = boundary(&points, &classes, &names);
    met.crossing = Some(Crossing { at: [0.0, 0.0], between: [vec![0], vec![1, 2]] });
    sound(&met.draw());
}

#[test]
fn names_of_any_length_and_any_letters() {
    let wild = ["<&>\"'", &"very ".repeat(200), "", "日本語", "a\nb\tc\u{0}", "]]>"];
    let names: Vec<String> = wild.iter().cycle().take(60).enumerate().map(|(i, n)| format!("{n}{i}")).collect();
    let points: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i % 7), f64::from(i / 7)]).collect();
    let classes: Vec<u32> = (0..60).collect();
    let of = |p: [f64; 2]| (p[0].clamp(0.0, 6.0).round() + 7.0 * p[1].clamp(0.0, 8.0).round()).min(59.0) as u32;
    let mut drawn = boundary(&points, &classes, &names);
    drawn.regions = Some(&of);
    drawn.axes = [names[1].clone(), names[7].clone()];
    drawn.title = names[1].clone();
    sound(&drawn.draw());
    let counts = vec![vec![3; 60]; 60];
    sound(&Confusion { title: "t".into(), notes: vec![names[1].clone()], names: &names, counts: &counts }.draw());
}

#[test]
fn curves() {
    let steep: Vec<f64> = (0..200).map(|i| if i == 199 { 0.0 } else { 1e6 / f64::from(i * i + 1) }).collect();
    for values in [&[3.0][..], &[0.0], &[118.0, 20.0, 8.0, 0.0], &[0.25, 0.125], &[1e300, 1e-300, 0.0], &steep] {
        let series = vec![
            Series { name: "learning".into(), values },
            Series { name: "validation".into(), values: &values[..1] },
        ];
        sound(&Curve { title: "t".into(), notes: vec![], unit: "mistakes".into(), series }.draw());
    }
}

#[test]
fn margins() {
    let many: Vec<f64> = (0..5000).map(|i| f64::from(i * 37 % 1000) / 500.0 - 0.3).collect();
    for values in [&[0.5][..], &[0.0], &[-1.0, -1.0], &[-1e300, 1e300], &[1e-300, 2e-300, -1e-300], &many] {
        let wrong = values.iter().filter(|v| **v < 0.0).count() as u64;
        sound(&Margins { title: "t".into(), notes: vec![], unit: "margin".into(), values, wrong }.draw());
    }
}

#[test]
fn proofs() {
    let path: Vec<[f64; 2]> = (1..=300).map(|k| [0.4 * f64::from(k), 3.0 * f64::from(k).sqrt()]).collect();
    for (gain, reach, path) in
        [(0.3, 5.0, &path[..]), (0.3, 5.0, &path[..2]), (1e-9, 4.0, &path[..]), (1.0, 1.0, &path[..1]), (0.5, 2.0, &[])]
    {
        sound(&Proof { title: "t".into(), notes: vec![], gain, reach, path, support: &[1, 2] }.draw());
    }
}

#[test]
fn confusions() {
    for n in [1, 2, 3, 10, 26, 80] {
        for count in [0, 1, 12_345, 10_000_000] {
            let counts: Vec<Vec<u64>> =
                (0..n).map(|i| (0..n).map(|j| if i == j { count } else { count / 9 }).collect()).collect();
            sound(&Confusion { title: "t".into(), notes: vec!["n".into()], names: &names(n), counts: &counts }.draw());
        }
    }
}

#[test]
fn fits() {
    let train = [[0.0, 1.0], [1.0, -1.0], [2.0, 4.0]];
    let (flat, wild) = (|_: f64| 1.0, |x: f64| (x * 1e9).powi(9));
    for errors in [
        vec![],
        vec![(0, 1.0, Some(2.0)), (1, 0.5, None)],
        (0..9).map(|m| (m, 0.5f64.powi(m as i32 * 9), Some(1e9))).collect(),
    ] {
        let fits = vec![Fit { name: "M = 0".into(), value: &flat }, Fit { name: "M = 9".into(), value: &wild }];
        let truth = Some((&flat as &dyn Fn(f64) -> f64, "sine".to_string()));
        let axes = ["x".to_string(), "y".to_string()];
        sound(
            &Polyfit { title: "t".into(), notes: vec![], axes, train: &train, test: &[], truth, fits, errors }.draw(),
        );
    }
}

#[cfg(feature = "png")]
#[test]
fn a_png_has_the_colours_of_the_marks() {
    let (points, classes, names) = ([[0.0, 0.0], [1.0, 1.0]], [0, 1], names(2));
    let picture = boundary(&points, &classes, &names).draw();
    let bytes = picture.to_png();
    assert_eq!(bytes, picture.to_png());
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((frame.width, frame.height), (1440, 1200));
    let found = |rgb: [u8; 3]| pixels.chunks(3).filter(|p| **p == rgb).count();
    assert!(found([0xff; 3]) > 1_000_000 && found([0x26; 3]) > 200, "a white background and text");
    assert!(pixels.chunks(3).any(|p| p[2] > 150 && p[0] < 60), "a blue point");
}

/// The ends of a range of subnormal numbers were written with all of their digits, and extended beyond the picture.
#[test]
fn subnormal_points_make_a_picture() {
    let (points, classes, names) = ([[6.5736266701279e-310, 5e-324], [-2e-310, 0.0]], [0, 1], names(2));
    sound(&boundary(&points, &classes, &names).draw());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_points_make_a_picture(points in proptest::collection::vec((any::<f64>(), any::<f64>()), 1..20), big in any::<bool>()) {
        let tame = |v: f64| if !v.is_finite() { 0.0 } else if big { v } else { v % 1e3 };
        let points: Vec<[f64; 2]> = points.into_iter().map(|(x, y)| [tame(x), tame(y)]).collect();
        let classes: Vec<u32> = (0..points.len() as u32).map(|i| i % 3).collect();
        let names = names(3);
        let of = |p: [f64; 2]| u32::from(p[0] > 0.0) + u32::from(p[1] > 0.0);
        let mut drawn = boundary(&points, &classes, &names);
        drawn.regions = Some(&of);
        sound(&drawn.draw());
    }
}
