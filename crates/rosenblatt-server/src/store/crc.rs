//! CRC-32C (Castagnoli), eight bytes at a time.

const POLYNOMIAL: u32 = 0x82f6_3b78;

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][(before & 255) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
}

static TABLES: [[u32; 256]; 8] = tables();

/// The checksum of these parts, one after the other.
pub fn crc32c(parts: &[&[u8]]) -> u32 {
    !parts.iter().fold(!0, |crc, part| update(crc, part))
}

fn update(mut crc: u32, bytes: &[u8]) -> u32 {
    let t = &TABLES;
    let (eights, rest) = bytes.as_chunks::<8>();
    for eight in eights {
        let [a, b, c, d, e, f, g, h] = *eight;
        let low = crc ^ u32::from_le_bytes([a, b, c, d]);
        crc = t[7][(low & 255) as usize]
            ^ t[6][(low >> 8 & 255) as usize]
            ^ t[5][(low >> 16 & 255) as usize]
            ^ t[4][(low >> 24) as usize]
            ^ t[3][e as usize]
            ^ t[2][f as usize]
            ^ t[1][g as usize]
            ^ t[0][h as usize];
    }
    rest.iter().fold(crc, |crc, &byte| (crc >> 8) ^ t[0][((crc ^ u32::from(byte)) & 255) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, bit by bit.
    fn naive(bytes: &[u8]) -> u32 {
        let step = |crc: u32| (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
        !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
    }

    #[test]
    fn the_checksum_is_the_standard_one() {
        // RFC 3720, B.4, and the check value of the catalogue of CRCs.
        assert_eq!(crc32c(&[b"123456789"]), 0xe306_9283);
        assert_eq!(crc32c(&[&[0; 32]]), 0x8a91_36aa);
        let bytes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
        for length in 0..bytes.len() {
            let (a, b) = bytes[..length].split_at(length / 3);
            assert_eq!(crc32c(&[a, b]), naive(&bytes[..length]), "{length}");
        }
    }
}
