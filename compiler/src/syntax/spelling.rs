//! How names are told to the user: lists of them, the nearest one to a misspelt one, and types as people write them.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// ``"; did you mean `reverse`?"`` for `reverze`, or nothing where no name is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let length = name.chars().count();
    let limit = (length / 3 + 1).min(length.saturating_sub(1));
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map_or_else(String::new, |(_, candidate)| format!("; did you mean `{candidate}`?"))
}

/// `` `a`, `b`, `c` ``.
pub fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Tokens without the spaces that `TokenStream` prints and people do not write.
pub fn compact(syntax: &impl ToTokens) -> String {
    fn join(tokens: TokenStream) -> String {
        let mut text = tokens.to_string();
        for (from, to) in [
            (" :: ", "::"),
            (":: ", "::"),
            (" <", "<"),
            ("< ", "<"),
            (" >", ">"),
            ("& ", "&"),
            (" ,", ","),
            (" ;", ";"),
            (" (", "("),
            ("( ", "("),
            (" )", ")"),
            ("[ ", "["),
            (" ]", "]"),
            ("' ", "'"),
            (",(", ", ("),
            (",::", ", ::"),
            ("->", " -> "),
            ("  ", " "),
        ] {
            text = text.replace(from, to);
        }
        text
    }
    join(syntax.to_token_stream())
}

/// The number of edits (Levenshtein) between two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("reverze", "reverse"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("reverze", ["forward", "reverse"]), "; did you mean `reverse`?");
        assert_eq!(nearest("colour", ["forward", "reverse"]), "");
        assert_eq!(nearest("q", ["x", "n"]), "");
    }

    #[test]
    fn types_as_people_write_them() {
        for text in [
            "&[f64]",
            "Vec<(f64, usize)>",
            "std::collections::HashMap<String, f64>",
            "&'a mut [f64; 3]",
            "impl Fn((f64, ()), f64) -> (f64, ())",
        ] {
            let ty: syn::Type = syn::parse_str(text).unwrap();
            assert_eq!(compact(&ty), text);
        }
    }
}
