//! Reading a question: company, period, form, statement, metric, topic.

mod reading;

pub use reading::*;
