//! A hand-made gzip bomb: megabytes that decompress to gigabytes, created without expanding the
//! data here either.

#[cfg(test)]
mod tests;

/// A gzip file that contains `head`, then this many spaces, then `tail`.
///
/// A run of 258 spaces takes two bits: one for "the longest match", one for "distance one".
pub(crate) fn around_spaces(head: &[u8], spaces: usize, tail: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    let mut bits = Bits::default();
    bits.stored(head, false);
    bits.spaces(spaces);
    bits.stored(tail, true);
    file.extend(bits.bytes);
    let crc = tail.iter().fold(CrcStep::of(b' ').times(spaces).apply(crc_of(head)), |crc, byte| {
        CrcStep::of(*byte).apply(crc)
    });
    file.extend((!crc).to_le_bytes());
    file.extend(((head.len() + spaces + tail.len()) as u32).to_le_bytes());
    file
}

/// Bits in the order of deflate: the lowest of each byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    /// The number of used bits in the last byte; 0 if it is full.
    taken: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for at in 0..count {
            if self.taken == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> at & 1) as u8) << self.taken;
            }
            self.taken = (self.taken + 1) % 8;
        }
    }

    /// A stored block of at most 65535 bytes.
    fn stored(&mut self, bytes: &[u8], is_last: bool) {
        self.put(u32::from(is_last), 3);
        self.taken = 0;
        let length = bytes.len() as u16;
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend((!length).to_le_bytes());
        self.bytes.extend(bytes);
    }

    /// A block of spaces only, with its own code: match `0`, space `10`, end `11`, distance one
    /// `0`.
    fn spaces(&mut self, count: usize) {
        const LONGEST: usize = 258;
        const SPACE: (u32, u32) = (0b01, 2);
        const END: (u32, u32) = (0b11, 2);
        self.code_for_spaces();
        let runs = count.saturating_sub(1) / LONGEST;
        // The first space is a literal that the first match repeats; the last ones are too few for
        // a match.
        (0..count.min(1)).for_each(|_| self.put(SPACE.0, SPACE.1));
        (0..runs).for_each(|_| self.put(0, 2));
        (0..count.saturating_sub(1 + runs * LONGEST)).for_each(|_| self.put(SPACE.0, SPACE.1));
        self.put(END.0, END.1);
    }

    /// The header of a block with its own code: the code length of each symbol, itself in a code of
    /// three symbols.
    fn code_for_spaces(&mut self) {
        const ZEROS: (u32, u32) = (0, 1);
        const ONE: (u32, u32) = (0b01, 2);
        const TWO: (u32, u32) = (0b11, 2);
        self.put(0b100, 3);
        self.put(286 - 257, 5);
        self.put(0, 5);
        self.put(18 - 4, 4);
        // In the order 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1: "18" takes one
        // bit, "2" and "1" two.
        [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2]
            .iter()
            .for_each(|length| self.put(*length, 3));
        let zeros = |bits: &mut Self, count: u32| {
            bits.put(ZEROS.0, ZEROS.1);
            bits.put(count - 11, 7);
        };
        zeros(self, 32);
        self.put(TWO.0, TWO.1); // 32, a space
        zeros(self, 138);
        zeros(self, 85);
        self.put(TWO.0, TWO.1); // 256, the end
        zeros(self, 28);
        self.put(ONE.0, ONE.1); // 285, a match of 258
        self.put(ONE.0, ONE.1); // distance one
    }
}

/// The effect of bytes on a CRC: a linear map and a constant, so that a billion equal bytes take
/// thirty squarings.
#[derive(Clone, Copy)]
struct CrcStep {
    columns: [u32; 32],
    constant: u32,
}

impl CrcStep {
    fn of(byte: u8) -> Self {
        Self {
            columns: std::array::from_fn(|bit| shift_byte(1 << bit)),
            constant: shift_byte(u32::from(byte)),
        }
    }

    fn linear(&self, crc: u32) -> u32 {
        (0..32).filter(|bit| crc >> bit & 1 == 1).fold(0, |sum, bit| sum ^ self.columns[bit])
    }

    fn apply(&self, crc: u32) -> u32 {
        self.linear(crc) ^ self.constant
    }

    /// The composition: this step first, then the other.
    fn then(&self, other: &Self) -> Self {
        Self {
            columns: self.columns.map(|column| other.linear(column)),
            constant: other.apply(self.constant),
        }
    }

    fn times(self, mut count: usize) -> Self {
        let mut all = Self { columns: std::array::from_fn(|bit| 1 << bit), constant: 0 };
        let mut power = self;
        while count > 0 {
            if count & 1 == 1 {
                all = all.then(&power);
            }
            power = power.then(&power);
            count >>= 1;
        }
        all
    }
}

fn crc_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| CrcStep::of(*byte).apply(crc))
}

fn shift_byte(crc: u32) -> u32 {
    (0..8).fold(crc, |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
}
