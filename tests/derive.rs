//! `#[derive(Differentiable)]`: tangents of structs and enums, with fields left out, generics and recursion; and
//! silence of all lints.

#![deny(warnings, missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
#![allow(clippy::float_cmp, reason = "the values are exact")]

use std::collections::HashMap;
use std::fmt::Debug;
use std::marker::PhantomData;

use cotangent::__private::{Entry, add_entry};
use cotangent::{Differentiable, Tangent};
use ndarray::{Array1, Array2, array};

type Of<T> = <T as Differentiable>::Tangent;

/// All that a tangent must be able to do, on a value and its flat coordinates.
#[track_caller]
fn behaves<S>(value: &mut S, flat: &[f64])
where
    S: Differentiable<Tangent: Differentiable<Tangent = Of<S>> + Entry<Of<S>> + Entry<()> + Debug + PartialEq>,
{
    let zero = value.zero_tangent();
    assert_eq!(zero.to_flat(), vec![0.0; flat.len()]);
    let mut t = zero.clone();
    t.set_flat(flat);
    assert_eq!(t.to_flat(), flat);
    let square: f64 = flat.iter().map(|x| x * x).sum();
    assert_eq!((t.dot(&t), t.dot(&zero)), (square, 0.0));
    let mut sum = t.clone();
    sum.accumulate(&t);
    sum.scale(0.5);
    assert_eq!(sum, t);
    add_entry(&mut sum, t.clone());
    add_entry(&mut (), t.clone());
    sum.move_by(&t);
    assert_eq!(sum.to_flat(), flat.iter().map(|x| 3.0 * x).collect::<Vec<_>>());
    assert_eq!(t.zero_tangent(), zero);
    value.move_by(&t);
    assert_eq!(value.zero_tangent(), zero);
    assert!(!format!("{t:?}").is_empty());
    let mut grown = Of::<S>::empty();
    grown.accumulate(&zero);
}

/// Of any kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// One of them.
    Linear,
}

/// A spring.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Spring {
    /// How stiff.
    pub stiffness: f64,
    /// A table.
    pub(crate) table: Vec<f32>,
    coils: usize,
    /// Its kind.
    #[inactive]
    pub kind: Kind,
    name: String,
    r#type: (f64, u8),
}

fn spring() -> Spring {
    Spring { stiffness: 1.0, table: vec![2.0; 2], coils: 3, kind: Kind::Linear, name: "a".into(), r#type: (5.0, 1) }
}

#[test]
fn fields_keep_their_names_and_some_are_left_out() {
    behaves(&mut spring(), &[1.0, 2.0, 3.0, 4.0]);
    let mut s = spring();
    s.move_by(&Of::<Spring> { stiffness: 1.0, table: vec![0.5, -0.5], r#type: (2.0, ()) });
    assert_eq!(s, Spring { stiffness: 2.0, table: vec![2.5, 1.5], r#type: (7.0, 1), ..spring() });
}

#[test]
fn every_field_is_reached_by_its_name() {
    let mut t = spring().zero_tangent();
    *t.__cotangent_stiffness() += 2.0;
    t.__cotangent_table()[1] += 3.0;
    t.__cotangent_type().0 += 4.0;
    *t.__cotangent_coils() = ();
    *t.__cotangent_kind() = *t.__cotangent_ref_name();
    assert_eq!(t, Of::<Spring> { stiffness: 2.0, table: vec![0.0, 3.0], r#type: (4.0, ()) });
    assert_eq!((*t.__cotangent_ref_stiffness(), *t.__cotangent_ref_coils()), (2.0, ()));
}

#[derive(Clone, Differentiable)]
struct Complex(f64, f64);

#[derive(Clone, Differentiable)]
struct Counted(usize, f64, (), Complex);

#[test]
fn fields_of_tuple_structs_are_numbered_among_those_that_are_kept() {
    behaves(&mut Counted(1, 2.0, (), Complex(3.0, 4.0)), &[1.0, 2.0, 3.0]);
    assert_eq!(Counted(1, 2.0, (), Complex(3.0, 4.0)).0, 1);
    let mut t = Of::<Counted> { 0: 1.0, 1: Complex(0.0, 0.0).zero_tangent() };
    *t.__cotangent_1() += 1.0;
    *t.__cotangent_3().__cotangent_1() = 5.0;
    *t.__cotangent_0() = *t.__cotangent_ref_2();
    assert_eq!((t.0, t.1.1), (2.0, 5.0));
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Marker;

#[derive(Clone, Debug, Differentiable)]
struct Nothing {
    id: u64,
    f: fn(f64) -> f64,
}

#[test]
fn types_without_floats_have_a_tangent_without_coordinates() {
    behaves(&mut Marker, &[]);
    behaves(&mut Nothing { id: 1, f: f64::sin }, &[]);
    let Nothing { id, f } = Nothing { id: 1, f: f64::sin };
    let Of::<Nothing> {} = Nothing { id, f }.zero_tangent();
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Differentiable)]
#[non_exhaustive]
pub enum Curve {
    /// A number.
    Constant(f64),
    /// A power.
    Power {
        /// The factor.
        factor: f64,
        /// The exponent.
        exponent: i32,
        /// The shift.
        shift: f64,
    },
    /// Steps.
    Strip(usize, f64),
    /// A name.
    Named(String),
    /// None of them.
    Empty,
}

#[test]
fn the_tangent_of_an_enum_has_the_same_variants() {
    type T = Of<Curve>;
    behaves(&mut Curve::Constant(1.0), &[2.0]);
    behaves(&mut Curve::Power { factor: 1.0, exponent: 2, shift: 3.0 }, &[2.0, 4.0]);
    behaves(&mut Curve::Strip(1, 2.0), &[5.0]);
    behaves(&mut Curve::Named("x".into()), &[]);
    behaves(&mut Curve::Empty, &[]);
    let mut curve = Curve::Power { factor: 1.0, exponent: 2, shift: 3.0 };
    curve.move_by(&T::Power { factor: 0.5, shift: 1.0 });
    assert_eq!(curve, Curve::Power { factor: 1.5, exponent: 2, shift: 4.0 });
    assert_eq!(Curve::Strip(1, 2.0).zero_tangent(), T::Strip(0.0));
    assert_eq!(Curve::Named("x".into()).zero_tangent(), T::Named);
    assert_eq!(T::empty(), T::Named);
}

#[test]
fn a_zero_of_another_variant_is_a_zero() {
    type T = Of<Curve>;
    let mut sum = T::Empty;
    sum.accumulate(&T::Constant(2.0));
    sum.accumulate(&T::Power { factor: 0.0, shift: 0.0 });
    sum.accumulate(&T::Named);
    assert_eq!(sum, T::Constant(2.0));
    assert_eq!(sum.dot(&T::Strip(0.0)), 0.0);
    let mut curve = Curve::Constant(1.0);
    curve.move_by(&T::Empty);
    assert_eq!(curve, Curve::Constant(1.0));
}

#[test]
#[should_panic(expected = "accumulate: variants differ, `Constant` and `Strip`")]
fn different_variants_do_not_add() {
    Of::<Curve>::Constant(1.0).accumulate(&Of::<Curve>::Strip(1.0));
}

#[test]
#[should_panic(expected = "dot: variants differ, `Constant` and `Strip`")]
fn different_variants_have_no_inner_product() {
    Of::<Curve>::Constant(1.0).dot(&Of::<Curve>::Strip(1.0));
}

#[test]
#[should_panic(expected = "move_by: variants differ, the value is `Empty`, the tangent is `Strip`")]
fn a_value_does_not_move_along_another_variant() {
    Curve::Empty.move_by(&Of::<Curve>::Strip(1.0));
}

#[test]
fn fields_of_variants_are_reached_by_name() {
    let mut t = Curve::Power { factor: 1.0, exponent: 2, shift: 3.0 }.zero_tangent();
    *t.__cotangent_Power_shift() += 2.0;
    *t.__cotangent_Power_exponent() = ();
    assert_eq!((*t.__cotangent_ref_Power_factor(), *t.__cotangent_ref_Power_shift()), (0.0, 2.0));
    let mut t = Curve::Strip(1, 1.0).zero_tangent();
    *t.__cotangent_Strip_1() += 4.0;
    assert_eq!(t, Of::<Curve>::Strip(4.0));
}

#[test]
#[should_panic(expected = "the tangent is `Strip`, but its value is `Constant`")]
fn a_field_of_another_variant_is_not_there() {
    Of::<Curve>::Strip(1.0).__cotangent_Constant_0();
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Link {
    stiffness: f64,
    rest: Option<f64>,
    next: Option<Box<Self>>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Expr {
    Sum(Box<Expr>, Box<Expr>),
    Constant(f64),
    Variable(usize),
    Sine { of: Box<Expr> },
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum List<T> {
    Cons(T, Box<List<T>>),
    Nil,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Tree {
    value: f64,
    forest: Option<Box<Forest>>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Forest {
    first: Tree,
    others: Vec<Tree>,
}

#[test]
fn types_that_contain_each_other() {
    let leaf = Tree { value: 1.0, forest: None };
    let forest = Forest { first: leaf.clone(), others: vec![leaf.clone(); 2] };
    behaves(&mut Tree { forest: Some(Box::new(forest)), ..leaf }, &[1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn recursive_types() {
    let end = Link { stiffness: 1.0, rest: None, next: None };
    behaves(&mut Link { rest: Some(1.0), next: Some(Box::new(end.clone())), ..end }, &[1.0, 2.0, 3.0]);
    let constant = || Box::new(Expr::Constant(1.0));
    let mut sum = Expr::Sum(constant(), Box::new(Expr::Sine { of: Box::new(Expr::Variable(3)) }));
    behaves(&mut sum, &[2.0]);
    behaves(&mut Expr::Sine { of: constant() }, &[2.0]);
    let mut list = List::Cons(1.0, Box::new(List::Cons(2.0, Box::new(List::Nil))));
    behaves(&mut list, &[1.0, 2.0]);
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point<T> {
    x: T,
    y: T,
}

trait Model {
    type Params;
}

#[derive(Clone, Copy)]
struct Line;

impl Model for Line {
    type Params = [f64; 2];
}

#[derive(Differentiable)]
struct Fit<'a, M: Model, K, T: Copy + Into<f64> = f64, const N: usize = 2>
where
    K: Into<String>,
    T: From<f32>,
{
    params: M::Params,
    points: [Point<T>; N],
    #[inactive]
    tags: &'a [K],
    counts: HashMap<String, usize>,
    model: PhantomData<M>,
}

#[test]
fn generic_types() {
    behaves(&mut Point { x: 1.0, y: 2.0_f32 }, &[1.0, 2.0]);
    behaves(&mut Point { x: vec![Complex(1.0, 2.0)], y: vec![] }, &[1.0, 2.0]);
    let t: Point<f64> = Point { x: 1.0, y: 2.0 };
    let Of::<Point<f64>> { x, y } = t.zero_tangent();
    assert_eq!((x, y), (0.0, 0.0));
    let mut fit = Fit::<Line, &str> {
        params: [1.0, 2.0],
        points: [t, t],
        tags: &["a"],
        counts: HashMap::new(),
        model: PhantomData,
    };
    behaves(&mut fit, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((fit.params, fit.points[1].y, fit.tags), ([2.0, 4.0], 8.0, &["a"][..]));
    assert!(fit.counts.is_empty());
    let debug = format!("{:?}", Point { x: 1.0_f64, y: 2.0 }.zero_tangent());
    assert_eq!(debug, "PointTangent { x: 0.0, y: 0.0 }");
}

#[derive(Clone, Differentiable)]
struct Layer<T> {
    weights: Array2<T>,
    bias: Array1<T>,
}

#[derive(Clone, Differentiable)]
struct Network {
    hidden: Vec<Layer<f64>>,
    output: Array1<f32>,
    mixed: Vec<(f64, Vec<usize>)>,
}

#[test]
fn arrays_and_nested_structs() {
    let layer = Layer { weights: array![[1.0, 2.0]], bias: array![3.0] };
    let mut net = Network { hidden: vec![layer], output: array![1.0], mixed: vec![(1.0, vec![1, 2])] };
    behaves(&mut net, &[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!((net.hidden[0].weights[[0, 1]], net.mixed[0].0), (4.0, 6.0));
}

#[derive(Clone, Differentiable)]
struct View<'a> {
    data: &'a [f64],
    gain: f64,
    name: &'a str,
}

#[derive(Clone, Differentiable)]
struct Holder<'a, 'b> {
    view: View<'a>,
    #[inactive]
    label: &'b str,
}

#[test]
fn borrowed_fields_have_owned_tangents() {
    let data = [1.0, 2.0];
    let mut holder = Holder { view: View { data: &data, gain: 1.0, name: "n" }, label: "l" };
    let mut step = holder.zero_tangent();
    step.view.gain = 2.0;
    holder.move_by(&step);
    assert_eq!((holder.view.gain, holder.view.name, holder.label), (3.0, "n", "l"));
    let _: &Vec<f64> = &step.view.data;
}

#[test]
#[should_panic(expected = "move_by: a shared reference cannot move")]
fn borrowed_fields_do_not_move() {
    let mut view = View { data: &[1.0], gain: 1.0, name: "n" };
    view.move_by(&Of::<View> { data: vec![1.0], gain: 1.0 });
}

mod hygiene {
    use cotangent::Differentiable;

    #[derive(Clone, Copy, PartialEq, Debug, Differentiable)]
    pub(super) struct Vec {
        pub(super) fields: f64,
        by: f64,
    }

    struct VecTangent;
    struct Option;

    #[derive(Clone, Copy, PartialEq, Debug, Differentiable)]
    pub(in super::hygiene) enum Clone {
        Debug(Vec),
        Private { private: Vec, x0: f64 },
    }

    #[test]
    fn names_of_the_user_do_not_matter() {
        let vec = Vec { fields: 1.0, by: 2.0 };
        super::behaves(&mut { vec }, &[1.0, 2.0]);
        super::behaves(&mut Clone::Debug(vec), &[1.0, 2.0]);
        super::behaves(&mut Clone::Private { private: vec, x0: 1.0 }, &[1.0, 2.0, 3.0]);
        let (_, _) = (VecTangent, Option);
    }
}

mod renamed {
    pub(super) use cotangent as backend;

    macro_rules! pair {
        ($name:ident, $ty:ty) => {
            #[derive(Clone, cotangent::Differentiable)]
            #[cotangent(crate = crate::renamed::backend)]
            pub(super) struct $name {
                pub(super) a: $ty,
                b: $ty,
            }
        };
    }

    pair!(Pair, f64);

    #[test]
    fn types_made_by_macros() {
        super::behaves(&mut Pair { a: 1.0, b: 2.0 }, &[1.0, 2.0]);
    }
}

#[test]
fn types_in_functions() {
    #[derive(Differentiable)]
    struct Local {
        x: f64,
    }
    behaves(&mut Local { x: 1.0 }, &[1.0]);
}
