//! Random loops over the elements of one array: what the pullback reads of the array in the end must be what the primal
//! read of it before, whatever is written in between.

use super::{close, floats};
use cotangent_compiler::diag::Diagnostics;
use cotangent_compiler::interp::{self, Val};
use cotangent_compiler::ir::Func;
use cotangent_compiler::pipeline;
use cotangent_compiler::syntax::{options, signature};

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Loops nested two or three times, one or two such nests after each other.
fn program(numbers: &mut Numbers) -> String {
    let mut code = String::from("fn f(x: &[f64], n: usize) -> f64 { let mut t = vec![0.0; 2 * (n + 2) * (n + 2)]; ");
    code += "for i in 0..t.len() { t[i] = x[i % x.len()]; } let mut s = 0.0; ";
    for _ in 0..1 + numbers.below(2) {
        code += &format!("for i in {} {{ ", numbers.one(&["0..n", "1..n", "(0..n).rev()", "1..=n"]));
        code += &statement(numbers, &["i", "i + 1", "i + n", "2 * i", "2 * i + 1", "i * n", "n - 1", "i - i"]);
        let columns = ["0..n", "0..i", "i + 1..n", "(0..i).rev()", "0..=i", "1..n", "(i..n).rev()"];
        code += &format!("for j in {} {{ ", numbers.one(&columns));
        let places =
            ["i", "j", "i + j", "i * n + j", "j * n + i", "i * n + i", "j * n + j", "i * n + j + 1", "n * n + j"];
        code += &statement(numbers, &places);
        if numbers.below(2) == 0 {
            code += &format!("for k in {} {{ ", numbers.one(&["0..j", "j..i", "0..n", "(0..j).rev()"]));
            code += &statement(numbers, &["k", "i * n + k", "j * n + k", "k * n + j", "i * n + j", "n * n + k", "j"]);
            code += "} ";
        }
        code += &statement(numbers, &places);
        code += "} ";
        code += &statement(numbers, &["i", "i + 1", "i * n + i", "i * n", "n * n + i", "2 * i"]);
        code += "} ";
    }
    code + "for i in 0..t.len() { s += t[i] * (i + 1) as f64; } s }"
}

fn statement(numbers: &mut Numbers, places: &[&str]) -> String {
    let [to, from, other] = std::array::from_fn(|_| numbers.one(places));
    match numbers.below(6) {
        0 => String::new(),
        1 => format!("s += t[{from}] * t[{other}]; "),
        2 => format!("if i % 2 == 0 {{ t[{to}] = t[{from}] * t[{other}]; }} "),
        3 => format!("t[{to}] = (t[{from}] * s).sin(); "),
        _ => format!("t[{to}] = t[{from}].cos() * t[{other}]; "),
    }
}

#[test]
fn random_loops() {
    let (mut numbers, mut settled) = (Numbers(7), 0);
    for _ in 0..60 {
        let source = program(&mut numbers);
        let item: syn::ItemFn = syn::parse_str(&source).unwrap();
        let mut diags = Diagnostics::new();
        let options = options::parse("reverse".parse().unwrap(), &mut diags);
        let sig = signature::analyse(&item, &options, &mut diags);
        let stages = pipeline::run(&sig, &item.block, &mut diags);
        assert_eq!(diags.iter().count(), 0, "{source}");
        let first = stages.unwrap().first;
        let stored = first.stored.unwrap();
        let text = stored.to_string();
        settled +=
            usize::from(text.split("closure").any(|part| part.contains("load %t") && part.contains("return %x_bar")));
        for n in [1, 3, 4] {
            let gradient = |f: &Func| -> Vec<f64> {
                let args = [floats(&[0.7, -0.4, 1.1, 0.3, -0.9]), Val::Int(n)];
                let out = interp::run(f, &args).unwrap_or_else(|e| panic!("{source}: {e:?}\n{f}"));
                let entries = interp::call(f, out.last().unwrap(), &[Val::Float(1.0)]).unwrap();
                entries.iter().flat_map(Val::flat).collect()
            };
            close(&gradient(first.reverse.as_ref().unwrap()), &gradient(&stored), 1e-13, &source, &stored);
        }
    }
    println!("{settled}");
    assert!((10..60).contains(&settled), "{settled} of the programs have such elements");
}
