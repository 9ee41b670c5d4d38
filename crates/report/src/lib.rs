//! Results for people and for programs: tables, CSV, JSON, LaTeX and SVG pictures.
//!
//! Pure: values in, text out. A [`Table`] is filled once and printed in the form asked for by
//! [`Table::render`]; people get rounded numbers with a fitting prefix (`12.3 us`), programs get full
//! precision in the column's own unit. Pictures are plain SVG text without scripts, fonts or links.

mod number;
pub mod svg;
pub mod table;

pub use number::{exact, percent, quantity};
pub use table::{Align, Cell, Column, Form, Measure, Table};
