//! Tokens: who may predict, learn, or administer.

use crate::http::Problem;

/// What a request needs. Each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Probes and descriptions: nothing.
    Anyone,
    /// Answers and metrics.
    Predict,
    /// New examples.
    Learn,
    /// Models as files, and their removal.
    Admin,
}

/// The tokens of a server; none: every request may do everything.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Vec<(Role, String)>);

/// The shortest token.
const SHORTEST: usize = 16;

impl Tokens {
    /// Reads lines of a role and a token: `predict TOKEN`, `learn TOKEN`, `admin TOKEN`; `#` begins a comment.
    pub fn parse(text: &str) -> Result<Tokens, String> {
        let mut tokens = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (role, token) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let token = token.trim();
            let role = match role {
                "predict" => Role::Predict,
                "learn" => Role::Learn,
                "admin" => Role::Admin,
                _ => return Err(format!("line {number}: expected predict, learn or admin, then a token")),
            };
            if token.len() < SHORTEST || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(format!("line {number}: a token has at least {SHORTEST} printable characters"));
            }
            tokens.push((role, token.to_string()));
        }
        if tokens.is_empty() {
            Err("no tokens: expected lines such as: learn TOKEN".into())
        } else {
            Ok(Tokens(tokens))
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses a token that does not allow this role.
    pub fn check(&self, role: Role, given: Option<&str>) -> Result<(), Problem> {
        if self.is_empty() || role == Role::Anyone {
            return Ok(());
        }
        let Some(given) = given else {
            return Err(Problem::new(401, "no-token", "send Authorization: Bearer TOKEN"));
        };
        // All are compared, in full: the time tells nothing of a token.
        let mut best = Role::Anyone;
        for (role, token) in &self.0 {
            if same(token.as_bytes(), given.as_bytes()) {
                best = best.max(*role);
            }
        }
        match best {
            Role::Anyone => Err(Problem::new(401, "bad-token", "this token is not known")),
            allowed if allowed < role => Err(Problem::new(403, "not-allowed", "this token does not allow that")),
            _ => Ok(()),
        }
    }
}

fn same(a: &[u8], b: &[u8]) -> bool {
    let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differ) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_includes_those_before_it() {
        let tokens =
            Tokens::parse("# ours\npredict aaaaaaaaaaaaaaaa\nlearn bbbbbbbbbbbbbbbb\nadmin cccccccccccccccc\n")
                .unwrap();
        let status = |role, token: Option<&str>| tokens.check(role, token).map_err(|problem| problem.status);
        let (a, b, c) = (Some("aaaaaaaaaaaaaaaa"), Some("bbbbbbbbbbbbbbbb"), Some("cccccccccccccccc"));
        assert_eq!((status(Role::Predict, a), status(Role::Learn, a)), (Ok(()), Err(403)));
        assert_eq!(
            (status(Role::Predict, b), status(Role::Learn, b), status(Role::Admin, b)),
            (Ok(()), Ok(()), Err(403))
        );
        assert_eq!((status(Role::Admin, c), status(Role::Anyone, None)), (Ok(()), Ok(())));
        assert_eq!(
            (status(Role::Predict, None), status(Role::Predict, Some("aaaaaaaaaaaaaaab"))),
            (Err(401), Err(401))
        );
        for wrong in ["", "learn short", "root aaaaaaaaaaaaaaaa", "learn"] {
            assert!(Tokens::parse(wrong).is_err(), "{wrong}");
        }
    }
}
