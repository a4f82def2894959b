//! Just enough of protocol buffers to write a message: fields are numbered, and a message may hold messages.

/// A message under construction.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A whole number.
    pub(super) fn integer(mut self, field: u32, value: u64) -> Self {
        self.key(field, 0);
        self.varint(value);
        self
    }

    /// Bytes, a text, or a message in the message.
    pub(super) fn bytes(mut self, field: u32, bytes: impl AsRef<[u8]>) -> Self {
        self.key(field, 2);
        self.varint(bytes.as_ref().len() as u64);
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    /// A message in the message.
    pub(super) fn message(self, field: u32, inner: Message) -> Self {
        self.bytes(field, inner.0)
    }

    /// Many numbers, packed.
    pub(super) fn floats(self, field: u32, values: &[f32]) -> Self {
        self.bytes(field, values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    fn key(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the specification.
    #[test]
    fn as_the_specification_says() {
        assert_eq!(Message::default().integer(1, 150).finish(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().bytes(2, "testing").finish(), b"\x12\x07testing");
        let inner = Message::default().integer(1, 150);
        assert_eq!(Message::default().message(3, inner).finish(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }
}
