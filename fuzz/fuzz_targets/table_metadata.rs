#![no_main]

libfuzzer_sys::fuzz_target!(init: growler_fuzz::report_panics_of_checks(), |data: &[u8]| {
    growler_fuzz::run(growler_fuzz::Target::TableMetadata, data);
});
