//! Values of parameters, typed.

/// The value of a learner's parameter: a number, a word, or yes and no. Models store it as text.
///
/// ```
/// use rosenblatt::ParamValue;
/// assert_eq!(ParamValue::from(0.1).to_string(), "0.1");
/// assert_eq!(ParamValue::from(3).to_string(), "3");
/// assert_eq!(ParamValue::from("inverse").to_string(), "inverse");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ParamValue {
    /// A number.
    Number(f64),
    /// One of the words that the parameter takes.
    Word(String),
    /// Yes or no.
    Flag(bool),
}

/// As text; a number with enough digits to be read back bit for bit.
impl std::fmt::Display for ParamValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ParamValue::Number(value) => value.fmt(f),
            ParamValue::Word(word) => word.fmt(f),
            ParamValue::Flag(flag) => flag.fmt(f),
        }
    }
}

impl From<f64> for ParamValue {
    fn from(value: f64) -> Self {
        ParamValue::Number(value)
    }
}

impl From<i32> for ParamValue {
    fn from(value: i32) -> Self {
        ParamValue::Number(value.into())
    }
}

impl From<u32> for ParamValue {
    fn from(value: u32) -> Self {
        ParamValue::Number(value.into())
    }
}

impl From<&str> for ParamValue {
    fn from(word: &str) -> Self {
        ParamValue::Word(word.to_string())
    }
}

impl From<String> for ParamValue {
    fn from(word: String) -> Self {
        ParamValue::Word(word)
    }
}

impl From<bool> for ParamValue {
    fn from(flag: bool) -> Self {
        ParamValue::Flag(flag)
    }
}
