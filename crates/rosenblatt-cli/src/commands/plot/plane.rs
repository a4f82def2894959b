//! Which two features a picture shows.

use anyhow::{Result, bail};
use rosenblatt::rows::Schema;
use rosenblatt::theory::Plane;

use crate::show;

/// The features named, or the only two.
pub fn choose(schema: &Schema, x: Option<&str>, y: Option<&str>) -> Result<Plane> {
    let features = schema.features();
    let find = |option: &str, name: &str| -> Result<usize> {
        let by_number = || name.parse::<usize>().ok().filter(|n| (1..=features).contains(n)).map(|n| n - 1);
        match schema.feature_named(name).or_else(by_number) {
            Some(at) => Ok(at),
            None => bail!("{option} {name}: there is no such feature; there are {}", list(schema)),
        }
    };
    match (x, y) {
        (Some(x), Some(y)) => {
            let plane = Plane { x: find("--x", x)?, y: find("--y", y)? };
            if plane.x == plane.y {
                bail!("--x and --y name the same feature: a plane has two");
            }
            Ok(plane)
        }
        (None, None) if features == 2 => Ok(Plane { x: 0, y: 1 }),
        _ if features < 2 => {
            bail!("a boundary is drawn over two features, and there is {features}: {}", list(schema))
        }
        _ => bail!("{features} features: choose two with --x NAME --y NAME, out of {}", list(schema)),
    }
}

/// The names of both features.
pub fn axes(schema: &Schema, plane: Plane) -> [String; 2] {
    [plane.x, plane.y].map(|feature| schema.feature_name(feature))
}

/// Names for a message, cut where they get long.
fn list(schema: &Schema) -> String {
    const SHOWN: usize = 8;
    let features = schema.features();
    let shown: Vec<String> = (0..features.min(SHOWN)).map(|j| show::name(&schema.feature_name(j))).collect();
    let more = if features > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
