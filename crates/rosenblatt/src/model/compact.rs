//! A model without the words that it never weighs.

use super::Model;
use crate::map::Map;

impl Model {
    /// Forgets the words that are too rare to be weighed: the same answers to the same files, from a smaller model.
    ///
    /// Rows that were read for the model as it was have other features: a file must be read for the new one.
    pub fn compact(mut self) -> Model {
        if let Some(Map::Select(select)) = self.chain.maps().first() {
            let (schema, kept) = self.schema.keep_words(select.kept());
            self.chain.narrow(kept, schema.features());
            self.schema = schema;
        }
        self
    }
}
