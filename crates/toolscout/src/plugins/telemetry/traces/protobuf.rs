//! Writes protocol buffers: the few kinds of fields that OTLP's messages are made of.

/// A message while it is written. Fields that are empty are left out, as the format wants it.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

const VARINT: u32 = 0;
const FIXED_64: u32 = 1;
const BYTES: u32 = 2;

impl Message {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn bytes(self, field: u32, bytes: &[u8]) -> Self {
        if bytes.is_empty() { self } else { self.piece(field, bytes) }
    }

    pub(super) fn number(self, field: u32, number: u64) -> Self {
        if number == 0 { self } else { self.choice(field, number) }
    }

    /// As [`Message::number`], where nothing but this says which of several fields it is.
    pub(super) fn choice(mut self, field: u32, number: u64) -> Self {
        self.key(field, VARINT);
        self.varint(number);
        self
    }

    pub(super) fn fixed(mut self, field: u32, number: u64) -> Self {
        self.key(field, FIXED_64);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// A message or a text in it, empty or not.
    pub(super) fn piece(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn message(self, field: u32, inner: Self) -> Self {
        self.piece(field, &inner.0)
    }

    pub(super) fn messages(self, field: u32, all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(self, |it, inner| it.message(field, inner))
    }

    fn key(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own description.
    #[test]
    fn it_is_written_as_the_format_says() {
        assert_eq!(Message::default().number(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing");
        assert_eq!(text.into_bytes(), [0x12, 0x07, b't', b'e', b's', b't', b'i', b'n', b'g']);
        let inner = Message::default().message(3, Message::default().number(1, 150));
        assert_eq!(inner.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::default().fixed(1, 1).into_bytes(), [0x09, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert!(Message::default().number(1, 0).text(2, "").into_bytes().is_empty());
        assert_eq!(Message::default().choice(3, u64::MAX).into_bytes().len(), 11);
    }
}
