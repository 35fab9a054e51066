//! A bound that says nothing and mentions a type.

/// Every type has this bound. In `impl Fn(f64) -> f64 + Captures<Self>` it lets the hidden type use the lifetimes of
/// `Self`, which before edition 2024 must be mentioned for that, and cannot be named in a method.
///
/// ```
/// use cotangent_runtime::private::Captures;
///
/// struct View<'a>(&'a [f64]);
/// impl View<'_> {
///     fn dot_vjp<'ct>(&'ct self, x: f64) -> (f64, impl Fn(f64) -> f64 + Captures<Self> + 'ct)
///     where
///         Self: 'ct,
///     {
///         (self.0[0] * x, move |y_bar| y_bar * self.0[0])
///     }
/// }
/// assert_eq!(View(&[3.0]).dot_vjp(2.0).1(1.0), 3.0);
/// ```
pub trait Captures<T: ?Sized> {}

impl<T: ?Sized, U: ?Sized> Captures<T> for U {}
