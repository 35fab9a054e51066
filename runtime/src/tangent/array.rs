//! Tangents of `ndarray` arrays: owned arrays of the tangents of the elements, in the same shape.

use alloc::vec::Vec;

use ndarray::{
    Array, ArrayBase, ArrayRef, Axis, CowRepr, DataMut, Dimension, OwnedArcRepr, OwnedRepr, RawData, ViewRepr,
};

use super::{Differentiable, Tangent, cannot_move};

#[track_caller]
fn same_shape(what: &str, left: &[usize], right: &[usize]) {
    assert!(left == right, "{what}: shapes differ, {left:?} and {right:?}");
}

/// Whether all axes have length 0, as of an array made by [`Tangent::empty`].
fn is_empty(shape: &[usize]) -> bool {
    !shape.is_empty() && shape.iter().all(|n| *n == 0)
}

impl<A: Tangent, D: Dimension> Tangent for Array<A, D> {
    #[track_caller]
    fn accumulate(&mut self, other: &Self) {
        if self.shape() == other.shape() {
            self.zip_mut_with(other, |x, y| x.accumulate(y));
        } else if is_empty(self.shape()) {
            self.clone_from(other);
        } else if !is_empty(other.shape()) {
            same_shape("accumulate", self.shape(), other.shape());
        }
    }

    fn scale(&mut self, by: f64) {
        self.map_inplace(|x| x.scale(by));
    }

    #[track_caller]
    fn dot(&self, other: &Self) -> f64 {
        same_shape("dot", self.shape(), other.shape());
        match (self.as_slice(), other.as_slice()) {
            (Some(a), Some(b)) => a.iter().zip(b).map(|(x, y)| x.dot(y)).sum(),
            _ => self.iter().zip(other).map(|(x, y)| x.dot(y)).sum(),
        }
    }

    fn to_flat(&self) -> Vec<f64> {
        super::to_flat(self)
    }

    #[track_caller]
    fn set_flat(&mut self, flat: &[f64]) {
        super::set_flat(self, flat);
    }

    fn flat_len(&self) -> usize {
        self.iter().map(Tangent::flat_len).sum()
    }

    fn push_flat(&self, flat: &mut Vec<f64>) {
        self.iter().for_each(|x| x.push_flat(flat));
    }

    fn take_flat(&mut self, flat: &mut &[f64]) {
        self.iter_mut().for_each(|x| x.take_flat(flat));
    }

    fn empty() -> Self {
        let axes = D::NDIM.unwrap_or(1);
        let empty = Array::from_shape_simple_fn(D::zeros(axes), A::empty);
        debug_assert!(axes == 0 || is_empty(empty.shape()));
        empty
    }
}

#[track_caller]
fn move_elements<S, D>(x: &mut ArrayBase<S, D>, by: &Array<<S::Elem as Differentiable>::Tangent, D>)
where
    S: RawData<Elem: Differentiable> + DataMut,
    D: Dimension,
{
    same_shape("move_by", x.shape(), by.shape());
    x.zip_mut_with(by, |x, by| x.move_by(by));
}

macro_rules! movable {
    ($([$($life:lifetime)?] $storage:ty;)*) => {$(
        impl<$($life,)? A: Differentiable + Clone, D: Dimension> Differentiable for ArrayBase<$storage, D> {
            type Tangent = Array<A::Tangent, D>;

            fn zero_tangent(&self) -> Self::Tangent {
                self.map(A::zero_tangent)
            }

            #[track_caller]
            fn move_by(&mut self, by: &Self::Tangent) {
                move_elements(self, by);
            }

            fn push_addresses(&self, addresses: &mut Vec<usize>) {
                self.iter().for_each(|x| x.push_addresses(addresses));
            }
        }
    )*};
}

movable! {
    [] OwnedRepr<A>;
    [] OwnedArcRepr<A>;
    ['a] CowRepr<'a, A>;
    ['a] ViewRepr<&'a mut A>;
}

impl<A: Differentiable, D: Dimension> Differentiable for ArrayBase<ViewRepr<&A>, D> {
    type Tangent = Array<A::Tangent, D>;

    fn zero_tangent(&self) -> Self::Tangent {
        self.map(A::zero_tangent)
    }

    #[track_caller]
    fn move_by(&mut self, by: &Self::Tangent) {
        cannot_move(by, "an array view");
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

impl<A: Differentiable, D: Dimension> Differentiable for ArrayRef<A, D> {
    type Tangent = Array<A::Tangent, D>;

    fn zero_tangent(&self) -> Self::Tangent {
        self.map(A::zero_tangent)
    }

    #[track_caller]
    fn move_by(&mut self, by: &Self::Tangent) {
        same_shape("move_by", self.shape(), by.shape());
        self.zip_mut_with(by, |x, by| x.move_by(by));
    }

    fn push_addresses(&self, addresses: &mut Vec<usize>) {
        self.iter().for_each(|x| x.push_addresses(addresses));
    }
}

/// Which axis it is has no derivative.
impl Differentiable for Axis {
    type Tangent = ();

    #[inline]
    fn zero_tangent(&self) {}

    #[inline]
    fn move_by(&mut self, (): &()) {}
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, ArrayD, ArrayView2, array};

    use super::{Differentiable, Tangent};

    #[test]
    fn arrays_have_tangents_of_their_shape() {
        let mut x = array![[1.0_f64, 2.0], [3.0, 4.0]];
        let mut t: Array2<f64> = x.view().zero_tangent();
        t.set_flat(&[1.0, 2.0, 3.0, 4.0]);
        t.accumulate(&x);
        t.scale(0.5);
        assert_eq!(t, x);
        assert_eq!(Tangent::dot(&t, &x), 30.0);
        x.view_mut().move_by(&t);
        x.move_by(&t);
        assert_eq!(x, array![[3.0, 6.0], [9.0, 12.0]]);
        let _: Array2<f64> = (*x).zero_tangent();
        let shared = x.clone().into_shared();
        assert_eq!(shared.zero_tangent().shape(), [2, 2]);
    }

    #[test]
    fn the_flat_form_is_in_logical_order() {
        let x = array![[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let mut t = x.reversed_axes();
        assert_eq!(t.to_flat(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        t.set_flat(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(t, array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    }

    #[test]
    fn arrays_without_floats_have_a_tangent_without_coordinates() {
        assert!(array![1_usize, 2].zero_tangent().to_flat().is_empty());
    }

    #[test]
    fn sums_may_start_from_an_empty_array() {
        let mut sum = <(Array1<f64>, ArrayD<f64>)>::empty();
        sum.accumulate(&(array![1.0, 2.0], array![[3.0]].into_dyn()));
        sum.accumulate(&Tangent::empty());
        assert_eq!(sum, (array![1.0, 2.0], array![[3.0]].into_dyn()));
    }

    #[test]
    #[should_panic(expected = "accumulate: shapes differ, [2, 3] and [3, 2]")]
    fn arrays_of_different_shapes_do_not_add() {
        Array2::<f64>::zeros((2, 3)).accumulate(&Array2::zeros((3, 2)));
    }

    #[test]
    #[should_panic(expected = "move_by: an array view cannot move")]
    fn views_do_not_move() {
        let x = array![[1.0_f64]];
        let mut view: ArrayView2<f64> = x.view();
        view.move_by(&x);
    }
}
