//! The methods of arrays that make views.

use crate::ir::view::{Reading, ViewMethod, ViewRank, Writing};

/// All of them.
pub static VIEWS: &[ViewMethod] = &[
    lent("row", 1, "row_mut", ViewRank::Fixed(1)),
    lent("column", 1, "column_mut", ViewRank::Fixed(1)),
    lent("diag", 0, "diag_mut", ViewRank::Fixed(1)),
    lent("slice", 1, "slice_mut", ViewRank::Arguments),
    lent("slice_axis", 2, "slice_axis_mut", ViewRank::Same),
    lent("index_axis", 2, "index_axis_mut", ViewRank::Less),
    of_view("slice_move", 1, ViewRank::Arguments),
    of_view("index_axis_move", 2, ViewRank::Less),
    of_view("into_diag", 0, ViewRank::Fixed(1)),
    of_view("reversed_axes", 0, ViewRank::Same),
    of_view("permuted_axes", 1, ViewRank::Same),
    of_view("insert_axis", 1, ViewRank::More),
    of_view("remove_axis", 1, ViewRank::Less),
    of_view("into_dyn", 0, ViewRank::Arguments),
    ViewMethod {
        name: "into_dimensionality",
        arity: 0,
        read: Reading::OfViewOrPanic,
        write: Writing::OfViewOrPanic("into_dimensionality"),
        rank: ViewRank::Arguments,
    },
    runtime("swap_axes", 2, "swapped_axes"),
    runtime("invert_axis", 1, "inverted_axis"),
    added("broadcast", 1, Reading::LentOrPanic, "add_broadcast", ViewRank::Arguments),
    added("into_shape_with_order", 1, Reading::OfViewOrPanic, "add_reshaped", ViewRank::Arguments),
    added("to_shape", 1, Reading::LentOrPanic, "add_reshaped", ViewRank::Arguments),
    added("flatten", 0, Reading::Lent, "add_reshaped", ViewRank::Fixed(1)),
    added("as_standard_layout", 0, Reading::Lent, "add_reshaped", ViewRank::Same),
    added("select", 2, Reading::Made, "add_selected", ViewRank::Same),
];

/// `(&order)`: the axes in another order, some of them inverted.
pub static TURNED: ViewMethod = runtime("turned", 1, "turned");

/// `(axis, k)`: the k-th of the lanes along an axis.
pub static LANE: ViewMethod = ViewMethod { rank: ViewRank::Fixed(1), ..runtime("lane", 2, "nth_lane") };

/// `(shape, k)`: the k-th of the parts of a shape, which overlap.
pub static WINDOW: ViewMethod = runtime("window", 2, "nth_window");

/// `(shape, k)`: the k-th of the parts of a shape that do not overlap.
pub static CHUNK: ViewMethod = runtime("chunk", 2, "nth_chunk");

/// The view that a method of an array makes, by its name for reading or for writing.
pub fn view(name: &str) -> Option<&'static ViewMethod> {
    VIEWS.iter().find(|v| v.name == name || matches!(v.write, Writing::Lent(mutable) if mutable == name))
}

const fn lent(name: &'static str, arity: usize, mutable: &'static str, rank: ViewRank) -> ViewMethod {
    ViewMethod { name, arity, read: Reading::Lent, write: Writing::Lent(mutable), rank }
}

const fn of_view(name: &'static str, arity: usize, rank: ViewRank) -> ViewMethod {
    ViewMethod { name, arity, read: Reading::OfView, write: Writing::OfView(name), rank }
}

/// `function` of the runtime makes the view, for a method that changes the array in place.
const fn runtime(name: &'static str, arity: usize, function: &'static str) -> ViewMethod {
    ViewMethod { name, arity, read: Reading::Runtime, write: Writing::Runtime(function), rank: ViewRank::Same }
}

/// What can be read but not written to.
const fn added(name: &'static str, arity: usize, read: Reading, adds: &'static str, rank: ViewRank) -> ViewMethod {
    ViewMethod { name, arity, read, write: Writing::Adding(adds), rank }
}
