//! What generated code calls. Not for users: it changes without notice.
//!
//! | where | what |
//! |---|---|
//! | what pullbacks borrow | [`Captures`], [`Held`] |
//! | floats, strong zero | [`scale`], [`unscale`], [`Numbers`], the bound [`Real`], [`constant`] |
//! | entries of pullbacks | [`add_entry`], the trait [`Entry`] |
//! | `as` from an unknown type | [`cast`], [`cast_tangent`], [`cast_cotangent`] |
//! | loops over ranges | [`nth_up`], [`nth_down`], [`nth_down_inclusive`], [`nth_step`], [`offset`], [`steps`], [`steps_inclusive`] |
//! | methods that may have no companion | [`Asked`] |
//! | receivers by value or by reference | [`ByValue`], [`ByReference`] |
//! | operators on what may be of the user's | [`operators`] |
//! | a scalar or an array | [`map1`], [`map2`], [`map2_over`], [`zip1`] to [`zip4`], [`zip_many`], [`unbroadcast`], [`summed`] |
//! | in the place of an array | `map1_in`, `map2_in`, `zip_in` |
//! | the shape of an array | `shape_of`, `first_entry` |
//! | products | `dot_lhs_bar`, `dot_rhs_bar`, `add_dot_lhs_bar`, `add_dot_rhs_bar`, `general_product` |
//! | elements and views of arrays | `element`, `element_mut`, `add_to_view` and its like |
//! | iterators that are kept as they are written | [`plain`] |
//! | declared shapes | [`Declared`], [`Size`] |
//! | results | [`split`], [`join`], [`present`] |
//! | sorting | [`order`](order()), [`order_by_key`], [`select`], [`select_by_key`], [`bounds`] |
//! | methods of arrays whose type is not visible | `ArrayCompanions`, `DotCompanions`, and of their companions `SecondCompanions`, `SecondDotCompanions` |
//! | reductions | `count`, `count_axis`, `along`, `others`, `others_axis` and their derivatives |
//! | whole matrices of derivatives | `jacobian`, `jacobian_by_rows`, `jacobian_by_columns`, `hessian` |
//! | what loops keep | [`lengthen`] |
//! | what closures change that are handed to functions | [`State`], [`Back`], [`Local`], [`Shared`] |
//! | functions that call themselves | [`Forward`] to [`Forward3`], [`Undo`] |
//! | tangents in sequences | [`take_tangent`], [`take_slice`], [`move_slice`], [`total`] |
//! | fields that are integers or strings | [`inactive`] |
//! | calls that give integers, or references to floats | [`counted`], [`number`] |
//! | elements of parts of tangents | [`at`], [`at_mut`], [`push`], [`pop`], [`exchange`] |
//! | tangents of user types | [`to_flat`], [`set_flat`] |
//!
//! Generated code that calls methods of the user's values must not have [`Tangent`] in scope: its `dot` would come
//! before that of `ndarray` arrays. It calls `Tangent::accumulate(&mut a, &b)` and the like by their path.

pub use alloc::borrow::ToOwned;
pub use alloc::boxed::Box;
pub use alloc::vec;
pub use alloc::vec::Vec;

/// Parts of tangents; variants of the tangents of enums.
pub mod fields {
    pub use crate::fields::*;
}

/// Operators on values of any type.
pub mod operators {
    pub use crate::operators::*;
}

/// Iterators that are kept as they are written.
pub mod plain {
    pub use crate::plain::*;
}

pub use crate::accumulate::{Entry, add_entry};
pub use crate::asked::{
    Answered, Asked, Boxless, Changes, Companion, Constant, Entries, GivenDot, Innermost, KeepsDot, Missing, Passes,
    Reads, Settled, Unchanged, Varies, WithDot, given,
};
pub use crate::at::{At, Ends, Exchange, at, at_mut, exchange, pop, push};
#[cfg(feature = "ndarray")]
pub use crate::axes::{
    AxesInPlace, inverted_axis, lane_count, last_axis, nth_chunk, nth_lane, nth_window, swapped_axes, window_count,
};
pub use crate::captures::Captures;
pub use crate::cast::{CastFloat, cast, cast_cotangent, cast_tangent};
pub use crate::checkpoint::{Checkpoints, Replay};
#[cfg(feature = "ndarray")]
pub use crate::companions::{
    ArrayCompanions, DotCompanions, Four, SecondCompanions, SecondDotCompanions, Twice, WithPullback,
};
pub use crate::convert::{FromSeed, Restore, from_seed, restore};
pub use crate::declared::{Axes, Declared, Size};
#[cfg(feature = "ndarray")]
pub use crate::dense::{hessian, jacobian, jacobian_by_columns, jacobian_by_rows};
#[cfg(feature = "ndarray")]
pub use crate::elementwise::inplace::{map1_in, map2_in, zip_in};
pub use crate::elementwise::many::{Elements, ZipMany, zip_many};
#[cfg(feature = "ndarray")]
pub use crate::elementwise::shape::{ArrayEntry, Shape, Shaped, first_entry, shape_of};
pub use crate::elementwise::{
    Elementwise, MapWith, Summed, Unbroadcast, Zip2, Zip3, Zip4, map1, map2, map2_over, summed, unbroadcast, zip1,
    zip2, zip3, zip4,
};
pub use crate::from_fn::{Length, from_fn_jvp, from_fn_jvp_jvp, from_fn_jvp_vjp, from_fn_vjp, length_of};
pub use crate::given::{Given, GivenValue};
pub use crate::held::{Held, WithHeld};
pub use crate::inactive::{Counted, Inactive, Number, counted, inactive, number};
pub use crate::indexed::{
    assign_indexed, assign_indexed_jvp, assign_indexed_vjp, indexed, indexed_jvp, indexed_jvp_jvp, indexed_jvp_vjp,
    indexed_vjp,
};
pub use crate::lasting::{Lasting, LastingValue};
#[cfg(feature = "ndarray")]
pub use crate::layout::{
    IntoRaw, Layout, copy_of, lane_layout, lane_zeros, layout, raw_offset, same_shape, window_layout, window_zeros,
    zip_zeros,
};
pub use crate::lent_array::{AsItIs, AsVector, LentArray};
#[cfg(feature = "ndarray")]
pub use crate::linalg::{DotAdjoint, add_dot_lhs_bar, add_dot_rhs_bar, dot_lhs_bar, dot_rhs_bar, general_product};
#[cfg(feature = "ndarray")]
pub use crate::numbered::nth_index;
pub use crate::numbered::{Numbered, NumberedMut, element, element_mut};
pub use crate::order::{bounds, order, order_by_key, select, select_by_key};
pub use crate::outcome::{Present, default_of, join, present, seen, split};
pub use crate::perhaps::{
    AloneBar, AloneDot, BothBars, BothDots, ChangedAlone, ChangedSelf, ChangedSelfOnly, Nth, OneBar, OneDot, Perhaps,
    PerhapsBars, PerhapsDots, ReadSelf, ReadSelfOnly, SelfBar, SelfDot,
};
pub use crate::probe::{
    Believed, Forgetful, Frozen, Keeps, Lent, Locked, NoTangents, Owned, Plain, Probe, Remembers, Tangents, apart,
};
pub use crate::range::{Int, nth_down, nth_down_inclusive, nth_step, nth_up, offset, steps, steps_inclusive};
pub use crate::recursion::{Forward, Forward1, Forward2, Forward3, Undo};
#[cfg(feature = "ndarray")]
pub use crate::reduce::{along, count, count_axis, others, others_axis, others_axis_dot, others_dot};
pub use crate::result::{ScalarResult, of_int};
pub use crate::returned::{Returned, ReturnedValue};
pub use crate::scalar::{Numbers, Real, constant, scale, unscale};
pub use crate::sequence::{Total, length, lengthen, move_slice, take_slice, take_tangent, total};
pub use crate::state::{Back, Local, Shared, State};
pub use crate::stop::{
    stop_gradient, stop_gradient_jvp, stop_gradient_jvp_jvp, stop_gradient_jvp_vjp, stop_gradient_vjp,
};
#[cfg(feature = "ndarray")]
pub use ndarray;

pub use crate::several::{
    Converted, Doubt, Same, Several, Sure, Unpacked, Unused, dots_of_all, dots_of_changed, type_of,
};
pub use crate::taken::{ByReference, ByValue, Inside, Unpacking};
pub use crate::tangent::{Differentiable, Tangent, set_flat, to_flat};
pub use crate::tangent_companions::{Derived, DerivedTangent, MoveCompanions, TangentCompanions};
pub use crate::unbox::{Handed, MaybeBoxed, Regained, Unboxed, handed, regained};
#[cfg(feature = "ndarray")]
pub use crate::views::{
    add_broadcast, add_reordered, add_reshaped, add_selected, add_to_view, appended, flat, reversed, shaped,
    shaped_like, take_view, zeros_as, zeros_of, zeros_without,
};
#[cfg(feature = "ndarray")]
pub use crate::visits::{
    Order, accumulation_order, map_order, memory_order, rows_order, turned, turned_place, zip_order,
};

/// Without arrays there are no methods of arrays.
#[cfg(not(feature = "ndarray"))]
mod companions {
    /// Nothing has it.
    pub trait ArrayCompanions {}
    /// Nothing has it.
    pub trait DotCompanions {}
    /// Nothing has it.
    pub trait SecondCompanions {}
    /// Nothing has it.
    pub trait SecondDotCompanions {}
}
#[cfg(not(feature = "ndarray"))]
pub use companions::{ArrayCompanions, DotCompanions, SecondCompanions, SecondDotCompanions};
