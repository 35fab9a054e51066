//! Results, which generated code has as an option of the value beside one of the error: the tangent of a result is an option.

/// A result as the option of its value and that of its error.
///
/// ```
/// use cotangent_runtime::private::{join, split};
/// assert_eq!(split(Ok::<f64, &str>(2.0)), (Some(2.0), None));
/// assert_eq!(split(Err::<f64, &str>("negative")), (None, Some("negative")));
/// assert_eq!(join(Some(2.0), None::<&str>), Ok(2.0));
/// assert_eq!(join(None::<f64>, Some("negative")), Err("negative"));
/// ```
#[inline]
pub fn split<T, E>(result: Result<T, E>) -> (Option<T>, Option<E>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error)),
    }
}

/// The result of which there is either the value or the error.
#[inline]
pub fn join<T, E>(value: Option<T>, error: Option<E>) -> Result<T, E> {
    match (value, error) {
        (Some(value), _) => Ok(value),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("a result is a value or an error"),
    }
}

/// The same of references.
///
/// ```
/// assert_eq!(cotangent_runtime::private::seen(&Some(2.0), &None::<&str>), Ok(&2.0));
/// ```
#[inline]
pub fn seen<'a, T, E>(value: &'a Option<T>, error: &'a Option<E>) -> Result<&'a T, &'a E> {
    join(value.as_ref(), error.as_ref())
}

/// The default value of what is in an option.
#[inline]
pub fn default_of<T: Default>(_: &Option<T>) -> T {
    T::default()
}

/// What may be there or not: an option or a result, of which only the compiler knows which it is.
pub trait Present {
    /// What may be there.
    type Value;

    /// As an option.
    fn present(self) -> Option<Self::Value>;
}

impl<T> Present for Option<T> {
    type Value = T;

    #[inline]
    fn present(self) -> Option<T> {
        self
    }
}

impl<T, E> Present for Result<T, E> {
    type Value = T;

    #[inline]
    fn present(self) -> Option<T> {
        self.ok()
    }
}

/// [`Present::present`] as a function.
///
/// ```
/// use cotangent_runtime::private::present;
/// assert_eq!((present(Some(1.0)), present(Ok::<f64, ()>(2.0)), present(Err::<f64, i32>(3))), (Some(1.0), Some(2.0), None));
/// ```
#[inline]
pub fn present<P: Present>(outcome: P) -> Option<P::Value> {
    outcome.present()
}
