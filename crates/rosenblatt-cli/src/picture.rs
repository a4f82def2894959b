//! A small picture of two features in the terminal.

use rosenblatt::learn::Weights;

const WIDTH: usize = 56;
const HEIGHT: usize = 18;

/// Points by class (`o` negative, `+` positive) and the boundary w·x + b = 0 as dots, in a frame.
pub fn boundary(points: &[[f64; 2]], classes: &[u32], w: &Weights) -> Vec<String> {
    curve(points, classes, |x, y| w.values()[0] * x + w.values()[1] * y + w.bias()[0])
}

/// The same for any score: the boundary is where its sign changes.
pub fn curve(points: &[[f64; 2]], classes: &[u32], score: impl Fn(f64, f64) -> f64) -> Vec<String> {
    let range = |axis: usize| {
        let values = points.iter().map(|p| p[axis]);
        let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        let pad = if high > low { (high - low) * 0.08 } else { 1.0 };
        (low - pad, high + pad)
    };
    let ((x0, x1), (y0, y1)) = (range(0), range(1));
    let x_at = |c: f64| x0 + (x1 - x0) * c / WIDTH as f64;
    let y_at = |r: f64| y1 - (y1 - y0) * r / HEIGHT as f64;
    let mut cells = vec![vec![' '; WIDTH]; HEIGHT];
    for (r, row) in cells.iter_mut().enumerate() {
        for (c, cell) in row.iter_mut().enumerate() {
            // A cell is on the boundary if its corners differ in sign.
            let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
                .map(|(dc, dr)| score(x_at(c as f64 + dc), y_at(r as f64 + dr)) >= 0.0);
            if corners.contains(&true) && corners.contains(&false) {
                *cell = '·';
            }
        }
    }
    for (p, &class) in points.iter().zip(classes) {
        let c = ((p[0] - x0) / (x1 - x0) * WIDTH as f64) as usize;
        let r = ((y1 - p[1]) / (y1 - y0) * HEIGHT as f64) as usize;
        cells[r.min(HEIGHT - 1)][c.min(WIDTH - 1)] = if class == 1 { '+' } else { 'o' };
    }
    let edge = format!("  +{}+", "-".repeat(WIDTH));
    let rows = cells.iter().map(|row| format!("  |{}|", row.iter().collect::<String>()));
    std::iter::once(edge.clone()).chain(rows).chain([edge]).collect()
}
