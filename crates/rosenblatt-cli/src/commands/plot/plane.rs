//! Which two features a picture shows.

use anyhow::{Result, bail};
use rosenblatt::theory::Plane;

use crate::show;

/// The features named, or the only two.
pub fn choose(names: &[String], x: Option<&str>, y: Option<&str>) -> Result<Plane> {
    let find = |option: &str, name: &str| -> Result<usize> {
        let by_number = || name.parse::<usize>().ok().filter(|n| (1..=names.len()).contains(n)).map(|n| n - 1);
        match names.iter().position(|n| n == name).or_else(by_number) {
            Some(at) => Ok(at),
            None => bail!("{option} {name}: there is no such feature; there are {}", list(names)),
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
        (None, None) if names.len() == 2 => Ok(Plane { x: 0, y: 1 }),
        _ if names.len() < 2 => {
            bail!("a boundary is drawn over two features, and there is {}: {}", names.len(), list(names))
        }
        _ => bail!("{} features: choose two with --x NAME --y NAME, out of {}", names.len(), list(names)),
    }
}

/// Names for a message, cut where they get long.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| show::name(name)).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
