//! The operations against ndarray's own operators, in values and in layout.

use ndarray::{Array, Array0, Array2, Array3, ArrayD, Axis, Dimension, Slice, array};

use crate::elementwise::inplace::{map1_in, map2_in, zip_in};
use crate::elementwise::shape::shape_of;
use crate::elementwise::{map1, map2, map2_over, unbroadcast, zip1, zip2, zip3, zip4};
use crate::scalar::scale;

fn numbers<D: Dimension, Sh: ndarray::ShapeBuilder<Dim = D>>(shape: Sh) -> Array<f64, D> {
    let mut next = 0.3_f64;
    Array::from_shape_simple_fn(shape, || {
        next = (next * 17.31).fract() + 0.01;
        next
    })
}

#[track_caller]
fn same<D: Dimension>(got: &Array<f64, D>, want: &Array<f64, D>) {
    assert_eq!(got, want);
    assert_eq!(got.strides(), want.strides());
}

#[test]
fn map1_is_mapv_in_every_layout() {
    let x = numbers((3, 4));
    same(&map1(&x, f64::exp), &x.mapv(f64::exp));
    same(&map1(&x.t(), f64::exp), &x.t().mapv(f64::exp));
    let part = x.slice_each_axis(|axis| Slice::new(1, None, 2 - axis.axis.index() as isize));
    same(&map1(&part, f64::exp), &part.mapv(f64::exp));
    same(&map1(&&part, f64::exp), &part.mapv(f64::exp));
    assert_eq!(map1(&array![4.0_f32], |x| x.sqrt()), array![2.0]);
    assert_eq!(map1(&*x, |x| -x), -x);
}

#[test]
fn map2_is_the_operator_in_every_layout_and_rank() {
    let mul = |x: f64, y: f64| x * y;
    let (x, y) = (numbers((3, 4)), numbers((3, 4)));
    same(&map2(&x, &y, mul), &(&x * &y));
    let (xf, yf) = (numbers((4, 3)).reversed_axes(), numbers((4, 3)).reversed_axes());
    same(&map2(&xf, &yf, mul), &(&xf * &yf));
    same(&map2(&x, &yf, mul), &(&x * &yf));
    let (row, column, one) = (numbers(4), numbers((3, 1)), numbers((1, 1)));
    same(&map2(&x, &row, mul), &(&x * &row));
    same(&map2(&row, &xf, mul), &(&row * &xf));
    same(&map2(&column, &row, mul), &(&column * &row));
    same(&map2(&one, &one, mul), &(&one * &one));
    let cube: Array3<f64> = numbers((2, 3, 4));
    same(&map2(&cube.view(), &column, mul), &(&cube * &column));
    let permuted = cube.view().permuted_axes([1, 0, 2]);
    same(&map2(&permuted, &row, mul), &(&permuted * &row));
    same(&map2(&permuted, &permuted, mul), &(&permuted * &permuted));
    let dynamic: ArrayD<f64> = cube.clone().into_dyn();
    same(&map2(&dynamic, &x, mul), &(&dynamic * &x));
    same(&map2(&row, &dynamic, mul), &(&row * &dynamic));
    let zero: Array0<f64> = numbers(());
    same(&map2(&zero, &x, mul), &(&zero * &x));
    same(&map2(&&x, &&row.view(), mul), &(&x * &row));
    let (none, single): (Array2<f64>, Array2<f64>) = (numbers((0, 4)), numbers((1, 4)));
    same(&map2(&none, &single, mul), &(&none * &single));
}

#[test]
fn map2_with_a_scalar_is_the_operator() {
    let x = numbers((3, 4)).reversed_axes();
    same(&map2(&x, &2.0, |x, y| x - y), &(&x - 2.0));
    same(&map2(&2.0, &x, |x, y| x / y), &(2.0 / &x));
    same(&map2(&&2.0, &&x.view(), |x, y| x / y), &(2.0 / &x));
    same(&map2(&x, &&2.0, |x, y| x / y), &(&x / 2.0));
    // A literal takes the float type of the array.
    assert_eq!(map2(&array![2.0_f32], &0.5, |x, y| x * y), array![1.0]);
    assert_eq!(zip2(&array![2.0_f32], &0.5, |x, y| x * y), array![1.0]);
    assert_eq!(map2(&2.0_f32, &array![1.0_f32], |x, y| x + y), array![3.0]);
}

#[test]
#[should_panic(expected = "shapes [3, 2] and [3] do not broadcast")]
fn map2_names_both_shapes() {
    map2(&numbers((3, 2)), &numbers(3), |x, y| x + y);
}

#[test]
fn zips_have_the_shape_of_the_cotangent() {
    let g = numbers((3, 4));
    let (x, row, column) = (numbers((3, 4)), numbers(4), numbers((3, 1)));
    same(&zip1(&g, |g| 2.0 * g), &(2.0 * &g));
    same(&zip2(&g, &x, scale), &(&g * &x));
    same(&zip2(&g, &2.0, scale), &(&g * 2.0));
    same(&zip2(&g, &row, scale), &(&g * &row));
    same(&zip3(&g, &x, &2.0, |g, x, y| g * x / y), &(&g * &x / 2.0));
    same(&zip3(&g.view(), &&2.0, &&column, |g, x, y| g * x / y), &(&g * 2.0 / &column));
    same(&zip4(&g, &x, &row, &2.0, |g, x, y, z| g * x * y / z), &(&g * &x * &row / 2.0));
    same(&zip4(&g, &x, &x, &2.0, |g, x, y, z| g * x * y / z), &(&g * &x * &x / 2.0));
    let zero = Array0::from_elem((), 2.0);
    same(&zip2(&g, &zero, scale), &(&g * 2.0));
    let dynamic = x.clone().into_dyn();
    same(&zip2(&g, &dynamic, scale), &(&g * &x));
}

#[test]
fn zips_keep_the_layout_of_the_cotangent() {
    let g = numbers((4, 3)).reversed_axes();
    let x = numbers((4, 3)).reversed_axes();
    same(&zip2(&g, &x, scale), &(&g * &x));
    same(&zip2(&g, &2.0, scale), &(&g * 2.0));
    let part = g.slice_axis(Axis(1), Slice::new(0, None, 2));
    assert_eq!(zip2(&part, &2.0, scale), part.mapv(|g| g * 2.0));
    let permuted = numbers((2, 3, 4)).permuted_axes([1, 0, 2]);
    assert_eq!(zip3(&permuted, &permuted, &2.0, |g, x, y| g * x / y), &permuted * &permuted / 2.0);
    assert_eq!(zip2(&x, &x.as_standard_layout(), scale), &x * &x);
}

#[test]
#[should_panic(expected = "an operand of shape [2] does not broadcast to the shape [3, 4]")]
fn zips_name_both_shapes() {
    zip2(&numbers((3, 4)), &numbers(2), scale);
}

#[test]
fn unbroadcast_sums_over_what_was_repeated() {
    let g: Array3<f64> = numbers((2, 3, 4));
    same(&unbroadcast(g.clone(), &numbers((3, 4))), &g.sum_axis(Axis(0)));
    let rows = g.to_shape((6, 4)).expect("as it lies in memory");
    same(&unbroadcast(g.clone(), &numbers(4)), &rows.sum_axis(Axis(0)));
    same(&unbroadcast(&g, &numbers(4)), &rows.sum_axis(Axis(0)));
    same(&unbroadcast(&g, &shape_of(&numbers((3, 4)))), &g.sum_axis(Axis(0)));
    let kept = unbroadcast(g.clone(), &numbers((2, 1, 4)).view());
    assert_eq!(kept, g.sum_axis(Axis(1)).insert_axis(Axis(1)));
    assert_eq!(unbroadcast(g.clone(), &&1.5), g.sum());
    assert_eq!(unbroadcast(g.clone().into_dyn(), &numbers(4)).shape(), [4]);
    let empty: Array2<f64> = numbers((0, 4));
    assert_eq!(unbroadcast(empty, &numbers((1, 4))), Array2::zeros((1, 4)));
}

#[test]
fn unbroadcast_to_the_same_shape_does_not_copy() {
    let g = numbers((3, 4)).reversed_axes();
    let (address, strides) = (g.as_ptr(), g.strides().to_vec());
    let same = unbroadcast(g, &numbers((4, 3)).into_dyn());
    assert_eq!((same.as_ptr(), same.strides()), (address, &strides[..]));
}

#[test]
#[should_panic(expected = "a cotangent of shape [3, 4] cannot be summed to the shape [3]")]
fn unbroadcast_names_both_shapes() {
    unbroadcast(numbers((3, 4)), &numbers(3));
}

#[test]
fn an_operator_with_an_owned_operand_keeps_its_layout() {
    let (a, b) = (Array2::from_shape_fn((2, 3), |(i, j)| (i + 2 * j) as f64), Array2::<f64>::ones((3, 2)));
    let b = b.reversed_axes();
    let row = array![1.0, 2.0, 3.0];
    for (x, y) in [(&a, &b), (&b, &a), (&b, &b), (&a, &a)] {
        let over = map2_over(x, y, |x, y| x - y);
        let owned = x.clone() - y;
        assert_eq!((&over, over.strides()), (&owned, owned.strides()));
        let over = map2_over(x, &row, |x, y| x - y);
        let owned = x.clone() - &row;
        assert_eq!((&over, over.strides()), (&owned, owned.strides()));
        let zipped = zip2(x, y, |x, y| x - y);
        assert_eq!(zipped.strides(), x.strides());
    }
    assert_eq!(map2_over(&row, &a, |x, y| x - y), &row - &a);
    assert_eq!(map2_over(&row, &1.0, |x, y| x - y), &row - 1.0);
}

/// Arrays of 3 × 4 in several layouts, the last one with gaps.
fn layouts() -> [Array2<f64>; 4] {
    let mut opposite = numbers((3, 4));
    opposite.invert_axis(Axis(1));
    [numbers((3, 4)), numbers((4, 3)).reversed_axes(), opposite, numbers((3, 8)).slice_move(ndarray::s![.., ..;2])]
}

#[test]
fn in_the_place_of_an_operand_the_result_is_the_same_and_lies_the_same() {
    for x in layouts() {
        same(&map1_in(x.clone(), f64::sin), &map1(&x, f64::sin));
        for y in layouts() {
            same(&map2_in(x.clone(), &y, |x, y| x - y * y), &map2_over(&x, &y, |x, y| x - y * y));
        }
        same(&map2_in(x.clone(), &numbers(4), |x, y| x / y), &map2_over(&x, &numbers(4), |x, y| x / y));
        same(&map2_in(x.clone(), &numbers((3, 1)), |x, y| x / y), &map2_over(&x, &numbers((3, 1)), |x, y| x / y));
        let larger = numbers((2, 3, 4));
        same(&map2_in(x.clone(), &larger, |x, y| x / y), &map2_over(&x, &larger, |x, y| x / y));
    }
}

#[test]
fn in_the_place_of_a_cotangent() {
    let f = |g: f64, x: f64, y: f64| scale(g, x) + y;
    for g in layouts() {
        for x in layouts() {
            let expected = zip3(&g, &x, &numbers(4), f);
            assert_eq!(zip_in(g.clone(), [&x, &numbers(4)], |g, [x, y]| f(g, x, y)), expected);
            assert_eq!(zip_in(g.view(), [&x.view(), &numbers(4)], |g, [x, y]| f(g, x, y)), expected);
        }
        assert_eq!(zip_in(g.clone(), [&2.0], |g, [x]| g * x), &g * 2.0);
    }
}

#[test]
#[should_panic(expected = "an operand of shape [2] does not broadcast to the shape [3, 4]")]
fn in_the_place_of_a_cotangent_shapes_are_named() {
    zip_in(numbers((3, 4)), [&numbers(2)], |g, [x]| g * x);
}
