//! Views of arrays in what a function returns.

use super::{ResultKind, Signature, Storage, TypeClass, plain};
use crate::ir::{Func, Node, Op, Type, Value};

/// A view in the return value of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The tuple that it is put into, and its place there.
    pub at: Option<(Node, usize)>,
    /// The view; none where the function does not show what it is made of.
    pub view: Option<Value>,
}

impl TypeClass {
    /// Whether there is a view of an array in it.
    fn has_view(&self) -> bool {
        match self {
            TypeClass::NdArray { storage, .. } => *storage == Storage::View,
            TypeClass::Slice(of) | TypeClass::Vec(of) | TypeClass::Array(of, _) => of.has_view(),
            TypeClass::Option(of) | TypeClass::Result(of) | TypeClass::BoxOf(of) => of.has_view(),
            TypeClass::Tuple(of) => of.iter().any(TypeClass::has_view),
            TypeClass::Float(_) | TypeClass::Inactive | TypeClass::Function | TypeClass::Unknown(_) => false,
        }
    }
}

impl Signature {
    /// The views of arrays that a return value consists of: itself, or places of the tuples that it is made as.
    pub fn shown(&self, func: &Func, result: Value) -> Vec<Shown> {
        let mut out = Vec::new();
        if let ResultKind::Value { class, ty, .. } = &self.result
            && !matches!(plain(ty), syn::Type::Reference(_))
        {
            collect(func, class, result, None, &mut out);
        }
        out
    }
}

fn collect(func: &Func, class: &TypeClass, v: Value, at: Option<(Node, usize)>, out: &mut Vec<Shown>) {
    match (class, func.ty(v)) {
        // another function gives it
        (_, Type::Dyn | Type::Inactive) => {}
        (TypeClass::NdArray { storage: Storage::View, .. }, Type::NdArray(..)) => out.push(Shown { at, view: Some(v) }),
        (TypeClass::Tuple(of), _) if class.has_view() => {
            match func.maker(v).filter(|&n| matches!(func[n].op, Op::Tuple)) {
                Some(n) => {
                    let parts = of.iter().zip(&func[n].args).enumerate();
                    parts.for_each(|(k, (class, &part))| collect(func, class, part, Some((n, k)), out));
                }
                None => out.push(Shown { at, view: None }),
            }
        }
        _ if class.has_view() => out.push(Shown { at, view: None }),
        _ => {}
    }
}
