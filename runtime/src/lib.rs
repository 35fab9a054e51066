//! What programs differentiated by Cotangent call at run time.
