//! Drops unused words from a model.

use super::Model;
use crate::map::Map;

impl Model {
    /// Drops the words that are too rare to have a weight: the same predictions for the same files, from a smaller model.
    ///
    /// Rows that were read for the old model have other features: read the file again for the new one.
    pub fn compact(mut self) -> Model {
        if let Some(Map::Select(select)) = self.chain.maps().first() {
            let (schema, kept) = self.schema.keep_words(select.kept());
            self.chain.narrow(kept, schema.features());
            self.schema = schema;
        }
        self
    }
}
