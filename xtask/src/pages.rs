//! The pages that are written from the compiler, so that they cannot say anything else than it does:
//! `primitives.md` as a whole, in `language.md` the messages of the table of refused forms, and in `ARCHITECTURE.md` the
//! walk through the stages.

use std::fs;
use std::path::PathBuf;

use cotangent_compiler::prims::table;
use proc_macro2::{TokenStream, TokenTree};

/// A page: where it is, and what should be there.
pub(crate) struct Page {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// All generated pages.
pub(crate) fn all() -> Result<Vec<Page>, String> {
    let rewritten = |name: &str, write: fn(&str) -> Result<String, String>| {
        let path = crate::root().join(name);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>(Page { text: write(&text)?, path })
    };
    Ok(vec![
        Page { path: crate::root().join("docs/primitives.md"), text: primitives() },
        rewritten("docs/language.md", language)?,
        rewritten("ARCHITECTURE.md", crate::walk::fill)?,
    ])
}

/// The page of derivatives, from the declarations in the compiler.
fn primitives() -> String {
    format!(
        "# Primitive functions and their derivatives\n\n\
         <!-- Written by `cargo xtask bless` from the declarations in `compiler/src/prims`. Do not edit. -->\n\n\
         Methods may also be called by path, `f64::sin(x)`. All of them work on `f32` as well, and on the elements of\n\
         `ndarray` arrays. The last column says what the derivative is where the function has none.\n\n\
         A cotangent or a tangent that is exactly zero stays zero through a partial derivative that is infinite or not a\n\
         number, so a value that does not count cannot spoil the result.\n\n\
         {}",
        table::markdown()
    )
}

/// The page with the rows of its last table completed: a function in backquotes, what the compiler says, its advice.
fn language(page: &str) -> Result<String, String> {
    let (before, table) =
        page.split_once("## What is refused").ok_or("docs/language.md has no table of refused forms")?;
    let mut rows = String::new();
    for line in table.lines() {
        let function = line.strip_prefix("| `").and_then(|rest| rest.split_once("` |")).map(|(function, _)| function);
        match function {
            None => rows += line,
            Some(function) => {
                let source = function.replace("\\|", "|");
                let (message, help) = refusal(&source)?;
                rows += &format!("| `{function}` | {} | {} |", escaped(&message), escaped(&help));
            }
        }
        rows.push('\n');
    }
    Ok(format!("{before}## What is refused{rows}"))
}

/// The first error about a function, and the advice that comes with it.
fn refusal(source: &str) -> Result<(String, String), String> {
    let item: TokenStream = source.parse().map_err(|e| format!("`{source}`: {e}"))?;
    let error = first_error(cotangent_compiler::expand(TokenStream::new(), item))
        .ok_or_else(|| format!("docs/language.md: `{source}` is not refused: move it to the accepted forms"))?;
    let (message, help) = error.split_once("\n  = help: ").unwrap_or((&error, ""));
    Ok((message.to_owned(), help.to_owned()))
}

/// The text of the first `compile_error!`.
fn first_error(tokens: TokenStream) -> Option<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.windows(3).find_map(|window| match window {
        [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Group(text)] if name == "compile_error" => {
            syn::parse2::<syn::LitStr>(text.stream()).ok().map(|text| text.value())
        }
        _ => None,
    })
}

/// Text in a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_pages_are_up_to_date() {
        for page in all().unwrap() {
            let found = fs::read_to_string(&page.path).unwrap_or_default();
            assert!(found == page.text, "{} is out of date: run `cargo xtask bless`", page.path.display());
        }
    }
}
