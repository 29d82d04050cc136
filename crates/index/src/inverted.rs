//! A posting for each rank of a dictionary.
