//! The entries of a LIBSVM line as programs write them: ` index:value`, one space before each, short decimals.
//!
//! Two roads to the same numbers. Both guess that a value is written like the one before it, so that a processor can
//! begin with the next entry before it is done with this one; both give up on anything unusual, and the caller turns to
//! the parser of lines. The second takes sixteen bytes at a time and makes index and value in one go (72% of the time).

use super::libsvm::Rules;
use crate::data::number::{Shape, digits, eight, join_digits, shaped};

/// Bytes that may be looked at from the start of an entry.
pub(crate) const WINDOW: usize = 32;

/// Where entries go, and what they were.
pub(crate) struct Row<'b> {
    /// Room for feature numbers, less `first`.
    pub(crate) indices: &'b mut [u32],
    /// Room for as many values.
    pub(crate) values: &'b mut [f64],
    /// How much of the room is taken; zeros take none.
    pub(crate) stored: usize,
    /// The index that becomes feature 0.
    pub(crate) first: u32,
    /// The least index that may come next.
    pub(crate) least: u32,
    /// The least index that came.
    pub(crate) lowest: u32,
}

impl Row<'_> {
    /// Takes in one entry if it is in order.
    #[inline(always)]
    fn push(&mut self, index: u32, value: f64, end: u32) -> Option<()> {
        if index < self.least || index >= end {
            return None;
        }
        self.lowest = self.lowest.min(index);
        self.least = index + 1;
        *self.indices.get_mut(self.stored)? = index.wrapping_sub(self.first);
        *self.values.get_mut(self.stored)? = value;
        self.stored += usize::from(value.to_bits() << 1 != 0);
        Some(())
    }
}

/// How the last entry was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habit {
    shape: Shape,
    #[cfg(target_arch = "x86_64")]
    vector: Option<vector::Guess>,
}

impl Habit {
    /// Nothing is known yet but the processor.
    pub(crate) fn new() -> Self {
        Habit {
            shape: Shape::default(),
            #[cfg(target_arch = "x86_64")]
            vector: vector::Guess::new(),
        }
    }

    /// Reads entries from `at`, where the first one's space is, to the end of the line; where the next line starts.
    /// `None` for anything unusual.
    #[inline]
    pub(crate) fn read(&mut self, text: &[u8], at: usize, rules: &Rules, row: &mut Row<'_>) -> Option<usize> {
        let end = rules.end.min(u64::from(u32::MAX)) as u32;
        #[cfg(target_arch = "x86_64")]
        if let Some(guess) = &mut self.vector {
            return guess.read(text, at, end, row);
        }
        by_eights(text, at, end, &mut self.shape, row)
    }
}

/// Eight bytes at a time, on any machine.
fn by_eights(text: &[u8], mut at: usize, end: u32, shape: &mut Shape, row: &mut Row<'_>) -> Option<usize> {
    loop {
        if let Some(next) = line_end(text, at)? {
            return Some(next);
        }
        let bytes = eight(text, at + 1)?;
        let (each, marks) = digits(bytes);
        let count = marks.trailing_zeros() / 8;
        if count == 0 || count == 8 {
            return space_and_end(text, at);
        }
        if (bytes >> (8 * count)) as u8 != b':' {
            return None;
        }
        let index = join_digits(each << (64 - 8 * count)) as u32;
        let (value, after) = shaped(text, at + 2 + count as usize, shape, |b| b <= b' ')?;
        row.push(index, value, end)?;
        at = after;
    }
}

/// Where the next line starts if this one ends here; `None` if neither an end nor a space is here.
#[inline(always)]
fn line_end(text: &[u8], at: usize) -> Option<Option<usize>> {
    match *text.get(at)? {
        b' ' => Some(None),
        b'\n' => Some(Some(at + 1)),
        b'\r' if *text.get(at + 1)? == b'\n' => Some(Some(at + 2)),
        _ => None,
    }
}

/// Many programs leave a space behind the last entry.
#[cold]
fn space_and_end(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at + 1)? {
        b' ' => None,
        _ => line_end(text, at + 1)?,
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    //! Sixteen bytes at a time: all digits of an entry are put in their places by one shuffle, and joined by three sums.

    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_madd_epi16, _mm_maddubs_epi16, _mm_max_epu8, _mm_movemask_epi8,
        _mm_packus_epi32, _mm_set_epi64x, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_shuffle_epi8,
        _mm_xor_si128,
    };

    use super::{Row, WINDOW, line_end, space_and_end};

    /// Most digits of an index, and of a value before and behind its point.
    const INDEX: usize = 7;
    const WHOLE: usize = 4;
    const PLACES: usize = 7;
    const POWERS: [f64; PLACES + 1] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];

    /// Where everything is in an entry of one shape.
    #[derive(Debug, Clone, Copy)]
    struct Plan {
        /// The byte that each of sixteen digits comes from: eight of the index, eight of the value.
        from: [u64; 2],
        /// What stands between the digits, in its place.
        marks: [u64; 2],
        /// The places of the marks, and of the whole entry, as bits.
        marked: u32,
        all: u32,
    }

    /// The plans for an index of each length.
    type Plans = [Plan; INDEX + 1];

    const fn plan(index: usize, negative: usize, whole: usize, places: usize) -> Plan {
        let value = index + 1 + negative;
        let (point, digits) = (value + whole, whole + places);
        let total = point + if places > 0 { places + 1 } else { 0 };
        let (mut from, mut marks, mut marked) = ([0x80; 16], [0xff; 16], 1u32 << index);
        if index == 0 || total > 16 || digits > 8 {
            // No entry has all its bytes marked.
            return Plan { from: [0; 2], marks: [0; 2], marked: u32::MAX, all: 0 };
        }
        let mut i = 0;
        while i < index {
            from[8 - index + i] = i as u8;
            i += 1;
        }
        i = 0;
        while i < digits {
            from[16 - digits + i] = (value + i + if i >= whole { 1 } else { 0 }) as u8;
            i += 1;
        }
        marks[index] = b':';
        if negative == 1 {
            marks[index + 1] = b'-';
            marked |= 1 << (index + 1);
        }
        if places > 0 {
            marks[point] = b'.';
            marked |= 1 << point;
        }
        Plan { from: halves(from), marks: halves(marks), marked, all: (1 << total) - 1 }
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

    /// By sign, digits before the point less one, digits behind it.
    static PLANS: [[[Plans; PLACES + 1]; WHOLE]; 2] = {
        let mut all = [[[[plan(0, 0, 0, 0); INDEX + 1]; PLACES + 1]; WHOLE]; 2];
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

    /// How a value is believed to be written.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Guess {
        plans: &'static Plans,
        /// The sign's bit.
        sign: u64,
        /// Bytes of an entry besides those of its index.
        besides: usize,
        power: f64,
    }

    #[target_feature(enable = "sse4.1")]
    fn sixteen(halves: [u64; 2]) -> __m128i {
        _mm_set_epi64x(halves[1] as i64, halves[0] as i64)
    }

    impl Guess {
        /// Whole numbers of one digit, if the processor can do this at all.
        pub(super) fn new() -> Option<Self> {
            let able = is_x86_feature_detected!("ssse3") && is_x86_feature_detected!("sse4.1");
            able.then(|| Guess::of(0, 1, 0)).flatten()
        }

        fn of(negative: usize, whole: usize, places: usize) -> Option<Self> {
            let plans = PLANS[negative].get(whole.wrapping_sub(1))?.get(places)?;
            let besides = 2 + negative + whole + if places > 0 { places + 1 } else { 0 };
            Some(Guess { plans, sign: (negative as u64) << 63, besides, power: POWERS[places] })
        }

        /// The shape of a value that starts behind `count` digits and a colon, given which bytes are no digits.
        #[cold]
        fn anew(window: &[u8; WINDOW], odd: u32, count: u32) -> Option<Self> {
            let negative = odd >> (count + 1) & 1;
            let rest = odd >> (count + 1 + negative);
            let whole = rest.trailing_zeros();
            let places = match *window.get((count + 2 + negative + whole) as usize)? {
                b'.' => (rest >> (whole + 1)).trailing_zeros().checked_sub(1)? + 1,
                _ => 0,
            };
            Guess::of(negative as usize, whole as usize, places as usize)
        }

        /// See [`Habit::read`](super::Habit::read).
        #[inline]
        #[expect(
            unsafe_code,
            reason = "a processor's own instructions: 7.4 ns an entry where portable code takes 10.3"
        )]
        pub(super) fn read(&mut self, text: &[u8], at: usize, end: u32, row: &mut Row<'_>) -> Option<usize> {
            // SAFETY: a `Guess` is only ever made by `new`, after it has found these instructions.
            unsafe { self.read_entries(text, at, end, row) }
        }

        #[target_feature(enable = "ssse3,sse4.1")]
        fn read_entries(&mut self, text: &[u8], mut at: usize, end: u32, row: &mut Row<'_>) -> Option<usize> {
            let mut guess = *self;
            let next = loop {
                let window: &[u8; WINDOW] = text.get(at..)?.first_chunk()?;
                if window[0] != b' ' {
                    break line_end(text, at)??;
                }
                let low = u64::from_le_bytes(window[1..9].try_into().ok()?);
                let high = u64::from_le_bytes(window[9..17].try_into().ok()?);
                // Where the colon is, by whole numbers: this is what the next entry waits for.
                let colon = low ^ 0x3a3a_3a3a_3a3a_3a3a;
                let colon = colon.wrapping_sub(0x0101_0101_0101_0101) & !colon & 0x8080_8080_8080_8080;
                let count = colon.trailing_zeros() / 8;
                let bytes = sixteen([low, high]);
                let digits = _mm_xor_si128(bytes, _mm_set1_epi8(0x30));
                let odd = _mm_cmpeq_epi8(_mm_max_epu8(digits, _mm_set1_epi8(10)), digits);
                let odd = _mm_movemask_epi8(odd) as u32;
                let mut plan = &guess.plans[(count & 7) as usize];
                if !(plan.fits(bytes, odd) && window[(count as usize + guess.besides) % WINDOW] <= b' ') {
                    if count == 0 || count == 8 {
                        break space_and_end(text, at)?;
                    }
                    guess = Guess::anew(window, odd, count)?;
                    plan = &guess.plans[count as usize];
                    if !(plan.fits(bytes, odd) && window[(count as usize + guess.besides) % WINDOW] <= b' ') {
                        return None;
                    }
                }
                let digits = _mm_shuffle_epi8(digits, sixteen(plan.from));
                let twos = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
                let fours = _mm_madd_epi16(twos, _mm_set1_epi32(0x0001_0064));
                let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x0001_2710));
                let both = _mm_cvtsi128_si64(eights) as u64;
                // At most eight digits are exact, and so is the power: one division rounds once.
                let value = f64::from((both >> 32) as i32) / guess.power;
                row.push(both as u32, f64::from_bits(value.to_bits() ^ guess.sign), end)?;
                at += count as usize + guess.besides;
            };
            *self = guess;
            Some(next)
        }
    }

    impl Plan {
        /// Whether the bytes are digits and marks where they should be.
        #[inline]
        #[target_feature(enable = "sse4.1")]
        fn fits(&self, bytes: __m128i, odd: u32) -> bool {
            let found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, sixteen(self.marks))) as u32;
            odd & self.all == self.marked && found & self.marked == self.marked
        }
    }
}
