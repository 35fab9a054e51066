//! Calls of functions with `&mut` parameters whose return value is not used.
//!
//! What such a function returns is not visible to the macro, and the protocol leaves `()` out: the seed of its pullback
//! is that of the `&mut` parameters alone, or begins with one for the return value. The compiler knows which:
//! [`Returned`] has inherent methods for `()`, and those of [`ReturnedValue`] for everything else.

/// What a function returned, and its zero tangent.
///
/// ```
/// use cotangent_runtime::private::{Returned, ReturnedValue as _};
/// assert_eq!(Returned((), ()).seed1(2.0), 2.0);
/// assert_eq!(Returned(5.0, 0.0).seed1(2.0), (0.0, 2.0));
/// assert_eq!(Returned(5.0, 0.0).tangents2((1.0, 2.0, 3.0)), (2.0, 3.0));
/// ```
pub struct Returned<Y, Z>(pub Y, pub Z);

macro_rules! arities {
    ($($seed:ident $tangents:ident ($($m:ident: $ty:ident),*) $pattern:pat => $value:expr;)*) => {
        impl<Z> Returned<(), Z> {
            $(
                /// The seed, without one for the return value.
                #[inline]
                pub fn $seed<M>(self, seeds: M) -> M {
                    seeds
                }

                /// The tangents of the `&mut` parameters.
                #[inline]
                pub fn $tangents<M>(self, tangents: M) -> M {
                    tangents
                }
            )*

            /// The seed where nothing is changed.
            #[inline]
            pub fn seed0(self, (): ()) {}

            /// The tangents where nothing is changed.
            #[inline]
            pub fn tangents0(self, (): ()) {}
        }

        /// What `f_jvp` gives of a function that returns `()`.
        impl<Z> Returned<((), ()), Z> {
            /// The seed where nothing is changed.
            #[inline]
            pub fn seed0(self, (): ()) {}
        }

        /// A return value that is not `()`.
        pub trait ReturnedValue: Sized {
            /// Its tangent.
            type Zero;

            /// Its zero tangent.
            fn zero(self) -> Self::Zero;

            /// The seed where nothing is changed: that of the return value.
            #[inline]
            fn seed0(self, (): ()) -> Self::Zero {
                self.zero()
            }

            /// The tangents where nothing is changed.
            #[inline]
            fn tangents0<D>(self, _: D) {}

            $(
                /// The seed, beginning with that of the return value.
                #[inline]
                #[allow(clippy::unused_unit)]
                fn $seed<$($ty),*>(self, $pattern: arities!(@type $($ty)*)) -> (Self::Zero, $($ty),*) {
                    (self.zero(), $($m),*)
                }

                /// The tangents of the `&mut` parameters, which follow that of the return value.
                #[inline]
                fn $tangents<D, $($ty),*>(self, (_, $($m),*): (D, $($ty),*)) -> arities!(@type $($ty)*) {
                    $value
                }
            )*
        }
    };
    (@type $one:ident) => { $one };
    (@type $($many:ident)*) => { ($($many),*) };
}

arities! {
    seed1 tangents1 (a: A) a => a;
    seed2 tangents2 (a: A, b: B) (a, b) => (a, b);
    seed3 tangents3 (a: A, b: B, c: C) (a, b, c) => (a, b, c);
    seed4 tangents4 (a: A, b: B, c: C, d: E) (a, b, c, d) => (a, b, c, d);
    seed5 tangents5 (a: A, b: B, c: C, d: E, e: F) (a, b, c, d, e) => (a, b, c, d, e);
    seed6 tangents6 (a: A, b: B, c: C, d: E, e: F, f: G) (a, b, c, d, e, f) => (a, b, c, d, e, f);
}

impl<Y, Z> ReturnedValue for Returned<Y, Z> {
    type Zero = Z;

    #[inline]
    fn zero(self) -> Z {
        self.1
    }
}
