//! Reads two entries of a LIBSVM line at a time. One shuffle aligns all digits, three multiply-adds join them:
//!
//! ```text
//!  " 36:0.099881 78:0.095590"  ─►  00000036 00099881 │ 00000078 00095590   (each eight digits become one number)
//! ```
//!
//! The digit counts of index and value are predicted: those of the entry before. Where the prediction fails, one entry is
//! read alone and gives the next prediction. The division by the power of ten and the check of the order of indices run
//! in batches: at the end of the line, or after a few hundred entries.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_madd_epi16, _mm_maddubs_epi16,
    _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_packus_epi32, _mm_set_epi64x, _mm_set1_epi8, _mm_set1_epi16,
    _mm_set1_epi32, _mm_shuffle_epi8, _mm_subs_epu8, _mm_testz_si128, _mm_xor_si128, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_or_si256,
    _mm256_packus_epi32, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_shuffle_epi8,
    _mm256_subs_epu8, _mm256_testz_si256, _mm256_xor_si256,
};

use super::super::number::join::{EIGHTS, FOURS, TWOS, ZERO};
use super::entries::{Row, line_end, space_and_end};

/// Most digits of an index, and of a value before and after its point.
const INDEX: usize = 7;
const WHOLE: usize = 4;
const PLACES: usize = 7;
const POWERS: [f64; PLACES + 1] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
/// Most bytes of an entry, with its space.
const BYTES: usize = 16;
/// Bytes that are loaded from the start of an entry: two entries, and one byte more.
const WINDOW: usize = 2 * BYTES + 1;
/// The size of a batch of entries.
const MANY: usize = 256;

/// The layout of an entry of one shape.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// The byte that each of sixteen digits comes from: eight of the index, eight of the value.
    from: [u64; 2],
    /// The bytes that are no digits, at their positions, and their mask.
    marks: [u64; 2],
    marked: [u64; 2],
    /// Bytes of the entry.
    length: usize,
}

/// Matches no entry.
const NONE: Plan = Plan { from: [0; 2], marks: [u64::MAX; 2], marked: [u64::MAX; 2], length: 0 };

/// The plans for an index of each length.
type Plans = [Plan; INDEX + 1];

const fn plan(index: usize, negative: usize, whole: usize, places: usize) -> Plan {
    let value = 1 + index + 1 + negative;
    let (point, digits) = (value + whole, whole + places);
    let length = point + if places > 0 { places + 1 } else { 0 };
    let (mut from, mut marks, mut marked) = ([0x80; BYTES], [0; BYTES], [0; BYTES]);
    if index == 0 || length > BYTES || digits > 8 {
        return NONE;
    }
    let mut i = 0;
    while i < index {
        from[8 - index + i] = 1 + i as u8;
        i += 1;
    }
    i = 0;
    while i < digits {
        from[16 - digits + i] = (value + i + if i >= whole { 1 } else { 0 }) as u8;
        i += 1;
    }
    (marks[0], marked[0]) = (b' ', 0xff);
    (marks[1 + index], marked[1 + index]) = (b':', 0xff);
    if negative == 1 {
        (marks[2 + index], marked[2 + index]) = (b'-', 0xff);
    }
    if places > 0 {
        (marks[point], marked[point]) = (b'.', 0xff);
    }
    Plan { from: halves(from), marks: halves(marks), marked: halves(marked), length }
}

const fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let mut halves = [0; 2];
    let mut i = 0;
    while i < 16 {
        halves[i / 8] |= (bytes[i] as u64) << (8 * (i % 8));
        i += 1;
    }
    halves
}

/// By sign, digits before the point minus one, digits after it.
static PLANS: [[[Plans; PLACES + 1]; WHOLE]; 2] = {
    let mut all = [[[[NONE; INDEX + 1]; PLACES + 1]; WHOLE]; 2];
    let (mut negative, mut whole, mut places, mut index) = (0, 0, 0, 0);
    while negative < 2 {
        all[negative][whole][places][index] = plan(index, negative, whole + 1, places);
        index += 1;
        if index > INDEX {
            (index, places) = (0, places + 1);
        }
        if places > PLACES {
            (places, whole) = (0, whole + 1);
        }
        if whole == WHOLE {
            (whole, negative) = (0, negative + 1);
        }
    }
    all
};

/// The shape of a value.
#[derive(Debug, Clone, Copy)]
struct Shape {
    plans: &'static Plans,
    /// The sign's bit.
    sign: u64,
    power: f64,
}

impl Shape {
    fn of(negative: usize, whole: usize, places: usize) -> Option<Self> {
        let plans = PLANS[negative].get(whole.wrapping_sub(1))?.get(places)?;
        Some(Shape { plans, sign: (negative as u64) << 63, power: POWERS[places] })
    }

    /// The shape of the value after `count` digits and a colon, given the mask of non-digits after the space.
    fn anew(window: &[u8; WINDOW], odd: u32, count: usize) -> Option<Self> {
        let negative = (odd >> (count + 1) & 1) as usize;
        let rest = odd >> (count + 1 + negative);
        let whole = rest.trailing_zeros() as usize;
        let places = match *window.get(count + 2 + negative + whole)? {
            b'.' => (rest >> (whole + 1)).trailing_zeros().checked_sub(1)? as usize + 1,
            _ => 0,
        };
        Shape::of(negative, whole, places)
    }

    /// Converts joined entries to numbers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn values(&self, joined: &[Joined], values: &mut [f64]) {
        for (value, entry) in values.iter_mut().zip(joined) {
            // At most eight digits are exact, and so is the power: one division rounds once.
            let size = f64::from(entry.digits()) / self.power;
            *value = f64::from_bits(size.to_bits() ^ self.sign);
        }
    }
}

/// An index in the low half, the digits of its value in the high half.
#[derive(Debug, Clone, Copy)]
struct Joined(u64);

impl Joined {
    #[inline(always)]
    fn index(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    fn digits(self) -> i32 {
        (self.0 >> 32) as i32
    }
}

/// The predicted shape of entries, and a batch of them.
#[derive(Debug)]
pub(super) struct Guess {
    shape: Shape,
    /// Digits of an index.
    count: usize,
    joined: [Joined; MANY + 2],
}

#[inline]
#[target_feature(enable = "avx2")]
fn sixteen(halves: [u64; 2]) -> __m128i {
    _mm_set_epi64x(halves[1] as i64, halves[0] as i64)
}

#[inline]
#[target_feature(enable = "avx2")]
fn twice(halves: [u64; 2]) -> __m256i {
    _mm256_set_m128i(sixteen(halves), sixteen(halves))
}

/// Sixteen bytes of text.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(window: &[u8; WINDOW], at: usize) -> __m128i {
    let eight = |at: usize| u64::from_le_bytes(*window[at..].first_chunk().unwrap_or(&[0; 8]));
    sixteen([eight(at), eight(at + 8)])
}

impl Guess {
    /// Predicts integers of one digit; `None` without AVX2.
    pub(super) fn new() -> Option<Self> {
        let shape = Shape::of(0, 1, 0)?;
        is_x86_feature_detected!("avx2").then(|| Guess { shape, count: 1, joined: [Joined(0); MANY + 2] })
    }

    /// See [`EntryReader::read`](super::entries::EntryReader::read).
    #[inline]
    #[expect(unsafe_code, reason = "a processor's own instructions: 3 ns an entry where portable code takes 10")]
    pub(super) fn read(&mut self, text: &[u8], at: usize, end: u32, row: &mut Row<'_>) -> Option<usize> {
        // SAFETY: only `new` makes a `Guess`, after detecting AVX2.
        unsafe { self.read_entries(text, at, end, row) }
    }

    #[target_feature(enable = "avx2")]
    fn read_entries(&mut self, text: &[u8], mut at: usize, end: u32, row: &mut Row<'_>) -> Option<usize> {
        // How many entries are joined, and how many of those are converted.
        let (mut count, mut made) = (0, 0);
        let mut alike = true;
        let next = loop {
            if alike {
                let (pairs, after) = self.read_pairs(text, at, count);
                (count, at) = (pairs, after);
            }
            if count >= MANY {
                self.make(made, count, row)?;
                row.take(&self.joined[..count])?;
                (count, made) = (0, 0);
            }
            let window: &[u8; WINDOW] = text.get(at..)?.first_chunk()?;
            if window[0] != b' ' {
                break line_end(text, at)??;
            }
            let digits = _mm_xor_si128(bytes(window, 1), _mm_set1_epi8(ZERO));
            let odd = _mm_cmpeq_epi8(_mm_max_epu8(digits, _mm_set1_epi8(10)), digits);
            let odd = _mm_movemask_epi8(odd) as u32;
            let index = odd.trailing_zeros() as usize;
            if index == 0 || index > INDEX {
                break space_and_end(text, at)?;
            }
            alike = index == self.count;
            self.count = index;
            let entry = match self.shape.plans[index].join(window) {
                Some(entry) => entry,
                None => {
                    self.make(made, count, row)?;
                    (made, alike) = (count, false);
                    self.shape = Shape::anew(window, odd, index)?;
                    self.shape.plans[index].join(window)?
                }
            };
            self.joined[count] = entry;
            count += 1;
            at += self.shape.plans[index].length;
        };
        self.make(made, count, row)?;
        row.take(&self.joined[..count])?;
        (row.least <= end).then_some(next)
    }

    /// Joins entries, two by two, while the prediction holds; returns their new count and the start of the next one.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn read_pairs(&mut self, text: &[u8], mut at: usize, mut count: usize) -> (usize, usize) {
        let plan = &self.shape.plans[self.count];
        let (from, marks, marked) = (twice(plan.from), twice(plan.marks), twice(plan.marked));
        let length = plan.length.min(BYTES);
        while let Some(window) = text.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>())
            && let Some([first, second]) = self.joined.get_mut(count..).and_then(|rest| rest.first_chunk_mut())
        {
            let bytes = _mm256_set_m128i(bytes(window, length), bytes(window, 0));
            let digits = _mm256_shuffle_epi8(_mm256_xor_si256(bytes, _mm256_set1_epi8(ZERO)), from);
            let beyond = _mm256_subs_epu8(digits, _mm256_set1_epi8(9));
            let odd = _mm256_or_si256(beyond, _mm256_and_si256(_mm256_xor_si256(bytes, marks), marked));
            if _mm256_testz_si256(odd, odd) == 0 || window[2 * length] > b' ' {
                break;
            }
            let twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(TWOS));
            let fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(FOURS));
            let eights = _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(EIGHTS));
            *first = Joined(_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)) as u64);
            *second = Joined(_mm_cvtsi128_si64(_mm256_extracti128_si256::<1>(eights)) as u64);
            count += 2;
            at += 2 * length;
        }
        (count, at)
    }

    /// Converts the entries from `made` to `count`, all of one shape.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn make(&self, made: usize, count: usize, row: &mut Row<'_>) -> Option<()> {
        let values = row.values.get_mut(row.stored + made..row.stored + count)?;
        self.shape.values(&self.joined[made..count], values);
        Some(())
    }
}

impl Plan {
    /// The entry that starts here, if it has this layout and ends where it should.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn join(&self, window: &[u8; WINDOW]) -> Option<Joined> {
        let bytes = bytes(window, 0);
        let digits = _mm_shuffle_epi8(_mm_xor_si128(bytes, _mm_set1_epi8(ZERO)), sixteen(self.from));
        let marks = _mm_and_si128(_mm_xor_si128(bytes, sixteen(self.marks)), sixteen(self.marked));
        let odd = _mm_or_si128(_mm_subs_epu8(digits, _mm_set1_epi8(9)), marks);
        if _mm_testz_si128(odd, odd) == 0 || window[self.length.min(BYTES)] > b' ' {
            return None;
        }
        let twos = _mm_maddubs_epi16(digits, _mm_set1_epi16(TWOS));
        let fours = _mm_madd_epi16(twos, _mm_set1_epi32(FOURS));
        let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(EIGHTS));
        Some(Joined(_mm_cvtsi128_si64(eights) as u64))
    }
}

impl Row<'_> {
    /// Appends joined entries, whose values are already stored, if they are in order.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn take(&mut self, joined: &[Joined]) -> Option<()> {
        let (Some(lowest), Some(highest)) = (joined.first(), joined.last()) else {
            return Some(());
        };
        let indices = self.indices.get_mut(self.stored..self.stored + joined.len())?;
        let mut zero = false;
        for (index, entry) in indices.iter_mut().zip(joined) {
            *index = entry.index().wrapping_sub(self.first);
            zero |= entry.digits() == 0;
        }
        let mut in_order = lowest.index() >= self.least;
        for (one, next) in joined.iter().zip(&joined[1..]) {
            in_order &= one.index() < next.index();
        }
        if !in_order {
            return None;
        }
        self.lowest = self.lowest.min(lowest.index());
        self.least = highest.index() + 1;
        self.stored += if zero { self.squeeze(joined) } else { joined.len() };
        Some(())
    }

    /// Removes zero entries; returns how many are left.
    #[cold]
    fn squeeze(&mut self, joined: &[Joined]) -> usize {
        let mut kept = 0;
        for (at, entry) in joined.iter().enumerate() {
            self.indices[self.stored + kept] = self.indices[self.stored + at];
            self.values[self.stored + kept] = self.values[self.stored + at];
            kept += usize::from(entry.digits() != 0);
        }
        kept
    }
}
