//! Certificates made by hand, and the tools to forge them.

use sha2::{Digest, Sha256};

/// A data file and a certificate of it.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: &'static str,
    pub data: String,
    pub certificate: String,
}

pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Puts the right digest in a certificate, whatever else it says.
pub fn sign(certificate: &str) -> String {
    let key = "\"digest\": \"";
    let at = certificate.find(key).expect("a digest") + key.len();
    let blank = format!("{}{}{}", &certificate[..at], "0".repeat(64), &certificate[at + 64..]);
    let digest = hash(blank.as_bytes());
    blank.replacen(&"0".repeat(64), &digest, 1)
}

/// Puts the data's hash in a certificate and signs it.
pub fn bind(certificate: &str, data: &[u8]) -> String {
    let key = "\"sha256\": \"";
    let at = certificate.find(key).expect("a hash") + key.len();
    sign(&format!("{}{}{}", &certificate[..at], hash(data), &certificate[at + 64..]))
}

impl Case {
    fn new(name: &'static str, data: &str, examples: usize, reading: &str, claim: &str) -> Case {
        let none = "-".repeat(64);
        let certificate = format!(
            "{{ \"rosenblatt\": \"certificate\", \"version\": 1,\n  \"data\": {{ \"sha256\": \"{none}\", \"examples\": {examples} }},\n  \
             \"reading\": {{ {reading} }},\n  {claim},\n  \"digest\": \"{none}\" }}\n"
        );
        Case { name, data: data.to_string(), certificate: bind(&certificate, data.as_bytes()) }
    }

    /// The same with one part of the certificate replaced, signed again.
    pub fn forge(&self, from: &str, to: &str) -> Case {
        assert!(self.certificate.contains(from), "{}: no {from} in {}", self.name, self.certificate);
        Case { certificate: sign(&self.certificate.replacen(from, to, 1)), ..self.clone() }
    }

    /// The same beside other data, the certificate bound to them.
    pub fn with_data(&self, data: &str) -> Case {
        Case { data: data.to_string(), certificate: bind(&self.certificate, data.as_bytes()), ..self.clone() }
    }
}

const TWO: &str = r#""format": "table", "delimiter": ",", "header": false, "label": 3, "columns": [ {"at": 1, "kind": "number"}, {"at": 2, "kind": "number"} ], "positive": ["1"], "negative": ["0"]"#;

fn support(shares: &[(u32, &str)]) -> String {
    let one = |(example, weight): &(u32, &str)| format!("{{ \"example\": {example}, \"weight\": \"{weight}\" }}");
    format!("\"support\": [ {} ]", shares.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// AND of two bits: x₁ + x₂ = 3/2 has the largest margin, √2/4 = 0.35355…
pub fn and() -> Case {
    let plane = r#""verdict": "separable", "hyperplane": { "weights": ["1", "1"], "bias": "-3/2" }, "margin": { "kind": "hull", "lower": "35355/100000", "upper": "35356/100000" }"#;
    let plane = plane.replace("35355/100000", "7071/20000").replace("35356/100000", "8839/25000");
    let claim = format!("{plane}, {}", support(&[(4, "1"), (2, "1/2"), (3, "1/2")]));
    Case::new("and", "0,0,0\n0,1,0\n1,0,0\n1,1,1\n", 4, &format!("{TWO}, \"bias\": true, \"degree\": 1"), &claim)
}

/// XOR: the two classes have the same centre.
pub fn xor() -> Case {
    let shares = support(&[(1, "1/4"), (2, "1/4"), (3, "1/4"), (4, "1/4")]);
    let claim = format!("\"verdict\": \"inseparable\", {shares}");
    Case::new("xor", "0,0,0\n0,1,1\n1,0,1\n1,1,0\n", 4, &format!("{TWO}, \"bias\": true, \"degree\": 1"), &claim)
}

/// XOR with squares and products: x₁ + x₂ − 2x₁x₂ is 1 or 0.
pub fn xor_squared() -> Case {
    let plane = r#""verdict": "separable", "hyperplane": { "weights": ["1", "1", "0", "-2", "0"], "bias": "-1/2" }, "margin": { "kind": "hull", "lower": "1/5", "upper": "9/10" }"#;
    let claim = format!("{plane}, {}", support(&[(2, "1"), (1, "1")]));
    Case {
        name: "xor squared",
        ..Case::new("", &xor().data, 4, &format!("{TWO}, \"bias\": true, \"degree\": 2"), &claim)
    }
}

/// 0.1 and 0.3 are positive, 0.2 and 0.3 negative: they touch at 0.3, a tie in the third column tells them apart weakly.
pub fn touching() -> Case {
    let data = "x;y;label\r\n0.1;0;+\r\n0.2;0;-\r\n\"0.3\";0;+\r\n .2 ; 1e0 ;-\r\n0;5;?\r\n";
    let reading = r#""format": "table", "delimiter": ";", "header": true, "label": 3, "columns": [ {"at": 1, "kind": "number"}, {"at": 2, "kind": "number"} ], "positive": ["+"], "negative": ["-"], "bias": true, "degree": 1"#;
    let claim = format!(
        "\"verdict\": \"weakly-separable\", \"hyperplane\": {{ \"weights\": [\"0\", \"-2/3\"], \"bias\": \"0\" }}, {}",
        support(&[(1, "1/4"), (2, "1/2"), (3, "1/4")])
    );
    Case::new("touching", data, 5, reading, &claim)
}

/// The first three of these alone, which lie on a line: with one column nothing is separated, not even weakly.
pub fn collinear() -> Case {
    let reading = r#""format": "table", "delimiter": ",", "header": false, "label": 2, "columns": [ {"at": 1, "kind": "number"} ], "positive": ["1"], "negative": ["-1"], "bias": true, "degree": 1"#;
    let claim = format!("\"verdict\": \"inseparable\", {}", support(&[(1, "1/4"), (2, "1/2"), (3, "1/4")]));
    Case::new("collinear", "0.1,1\n0.2,-1\n0.3,+1.0\n", 3, reading, &claim)
}

/// 0.1 is negative, 0.2 both, 0.3 positive: the hulls touch in one point.
pub fn weakly() -> Case {
    let reading = r#""format": "table", "delimiter": ",", "header": false, "label": 2, "columns": [ {"at": 1, "kind": "number"} ], "positive": ["1"], "negative": ["-1"], "bias": true, "degree": 1"#;
    let claim = format!(
        "\"verdict\": \"weakly-separable\", \"hyperplane\": {{ \"weights\": [\"5\"], \"bias\": \"-1\" }}, {}",
        support(&[(2, "1/2"), (3, "1/2")])
    );
    Case::new("weakly", "0.1,-1\n0.2,-1\n0.2,1\n0.3,1\n", 4, reading, &claim)
}

/// A category of three values beside a number; one row has a label that is not listed.
pub fn one_hot() -> Case {
    let data = "colour,size,kind\nred,1.5,yes\n\" green \",2,no\n\n\"dark \"\"blue\"\"\",-3e-1,yes\nred,7,maybe\n";
    let reading = r#""format": "table", "delimiter": ",", "header": true, "label": 3, "columns": [ {"at": 1, "kind": "category", "values": ["dark \"blue\"", "green", "red"]}, {"at": 2, "kind": "number"} ], "positive": ["yes"], "negative": ["no"], "bias": true, "degree": 1"#;
    let claim = format!(
        "\"verdict\": \"separable\", \"hyperplane\": {{ \"weights\": [\"1\", \"-2\", \"1\", \"0\"], \"bias\": \"1/2\" }}, \
         \"margin\": {{ \"kind\": \"hull\", \"lower\": \"3/5\", \"upper\": \"3/4\" }}, {}",
        support(&[(1, "1"), (2, "1")])
    );
    Case::new("one-hot", data, 4, reading, &claim)
}

/// No bias: the line through the origin.
pub fn origin() -> Case {
    let reading = r#""format": "libsvm", "first": 1, "features": 2, "positive": ["1"], "negative": ["-1"], "bias": false, "degree": 1"#;
    let claim = format!(
        "\"verdict\": \"separable\", \"hyperplane\": {{ \"weights\": [\"1\", \"1\"], \"bias\": \"0\" }}, \
         \"margin\": {{ \"kind\": \"origin\", \"lower\": \"7/5\", \"upper\": \"3/2\" }}, {}",
        support(&[(1, "1/2"), (2, "1/2")])
    );
    Case::new("origin", "+1 1:2 # two\n-1 qid:1 2:-2\n\n1.0 1:3 2:4\n", 3, reading, &claim)
}

/// Features counted from 0. Without a bias, a row and its double of the other sign cancel.
pub fn from_zero() -> Case {
    let reading = r#""format": "libsvm", "first": 0, "features": 3, "positive": ["a"], "negative": ["b"], "bias": false, "degree": 1"#;
    let claim = format!("\"verdict\": \"inseparable\", {}", support(&[(1, "2/3"), (3, "1/3")]));
    Case::new("from zero", "a 0:1 2:.5\nc 1:1\nb 0:2 2:1\nb 0:-3 1:0 2:-1.5\n", 4, reading, &claim)
}

/// A number that may be missing, which a feature of its own tells, beside a category that may be, which none tells.
pub fn missing() -> Case {
    let data = "size,colour,kind\n1,red,yes\n ? ,red,yes\n-2,NA,no\n-1,blue,no\n";
    let reading = r#""format": "table", "delimiter": ",", "header": true, "label": 3, "columns": [ {"at": 1, "kind": "number", "missing": "indicator"}, {"at": 2, "kind": "category", "values": ["blue", "red"], "missing": "zero"} ], "positive": ["yes"], "negative": ["no"], "bias": true, "degree": 1"#;
    let claim = format!(
        "\"verdict\": \"separable\", \"hyperplane\": {{ \"weights\": [\"1\", \"1\", \"0\", \"0\"], \"bias\": \"0\" }}, \
         \"margin\": {{ \"kind\": \"hull\", \"lower\": \"7/10\", \"upper\": \"11/10\" }}, {}",
        support(&[(1, "1/2"), (2, "1/2"), (4, "1")])
    );
    Case::new("missing", data, 4, reading, &claim)
}

/// Words and pairs of words, counted.
pub fn words() -> Case {
    let reading = r#""format": "table", "delimiter": ",", "header": false, "label": 2, "columns": [ {"at": 1, "kind": "text", "ngrams": 2, "words": ["bad", "bad bad", "bad film", "film", "good", "good film", "good good", "good_", "good_ film"]} ], "positive": ["1"], "negative": ["0"], "bias": true, "degree": 1"#;
    let claim = format!(
        "\"verdict\": \"separable\", \"hyperplane\": {{ \"weights\": [\"-1\", \"0\", \"0\", \"0\", \"1\", \"0\", \"0\", \"1\", \"0\"], \"bias\": \"0\" }}, \
         \"margin\": {{ \"kind\": \"hull\", \"lower\": \"1/2\", \"upper\": \"3/2\" }}, {}",
        support(&[(2, "1"), (3, "1")])
    );
    Case::new("words", "Good good film,1\n\"bad, BAD film!\",0\ngood_ film,1\n", 3, reading, &claim)
}

/// All of them.
pub fn all() -> Vec<Case> {
    let plain = [and(), xor(), xor_squared(), touching(), collinear(), weakly(), one_hot(), origin(), from_zero()];
    plain.into_iter().chain([missing(), words()]).collect()
}

/// Two files of NumPy, and a certificate of them.
#[derive(Debug, Clone)]
pub struct Arrays {
    pub data: Vec<u8>,
    pub labels: Vec<u8>,
    pub certificate: String,
}

/// An array as `numpy.save` writes it.
pub fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), values].concat()
}

impl Arrays {
    /// The same beside other files, the certificate bound to them.
    pub fn with(&self, data: Vec<u8>, labels: Vec<u8>) -> Arrays {
        let key = "\"labels\": \"";
        let at = self.certificate.find(key).expect("a hash") + key.len();
        let certificate = format!("{}{}{}", &self.certificate[..at], hash(&labels), &self.certificate[at + 64..]);
        Arrays { certificate: bind(&certificate, &data), data, labels }
    }

    /// The same with one part of the certificate replaced, signed again.
    pub fn forge(&self, from: &str, to: &str) -> Arrays {
        assert!(self.certificate.contains(from), "no {from} in {}", self.certificate);
        Arrays { certificate: sign(&self.certificate.replacen(from, to, 1)), ..self.clone() }
    }
}

/// Three floats of which every bit matters: as decimals (0.1, 0.3), (0.2, 0.6) and (0.3, 0.9) would lie on one line, and
/// nothing would separate them.
pub fn arrays() -> Arrays {
    let none = "-".repeat(64);
    let certificate = format!(
        "{{ \"rosenblatt\": \"certificate\", \"version\": 1,\n  \"data\": {{ \"sha256\": \"{none}\", \"labels\": \"{none}\", \"examples\": 3 }},\n  \
         \"reading\": {{ \"format\": \"npy\", \"features\": 2, \"positive\": [\"1\"], \"negative\": [\"-1\"], \"bias\": true, \"degree\": 1 }},\n  \
         \"verdict\": \"separable\", \"hyperplane\": {{ \"weights\": [\"-3\", \"1\"], \"bias\": \"3/72057594037927936\" }}, \
         \"margin\": {{ \"kind\": \"hull\", \"lower\": \"1/1000000000000000000\", \"upper\": \"1/10000000000000000\" }}, {},\n  \"digest\": \"{none}\" }}\n",
        support(&[(1, "1/2"), (3, "1/2"), (2, "1")])
    );
    let x = [0.1f64, 0.3, 0.2, 0.6, 0.3, 0.9].map(f64::to_le_bytes).concat();
    let y = [1i64, -1, 1].map(i64::to_le_bytes).concat();
    let blank = Arrays { data: Vec::new(), labels: Vec::new(), certificate };
    blank.with(npy("<f8", "(3, 2)", &x), npy("<i8", "(3,)", &y))
}
