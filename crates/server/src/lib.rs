//! Pinot's HTTP and JSON conventions over the growler engine.
