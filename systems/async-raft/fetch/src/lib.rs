//! Nothing: this package is only there to name the library.
