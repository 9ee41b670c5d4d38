//! The program as a person or a script meets it: exit statuses, standard output, standard error, files.

mod answers;
mod bad_input;
mod calibrate;
mod check;
mod compare;
mod cost;
mod demo;
mod explain;
mod latency;
mod project;
mod run;
mod shell;
mod support;
