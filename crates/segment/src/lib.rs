//! One Parquet file as a segment: columns, variant layout, statistics and exact reads.
