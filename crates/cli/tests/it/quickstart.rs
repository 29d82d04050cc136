//! `growler quickstart --exit`: every answer is right, on every layout.

use crate::growler::{Failure, run};

#[test]
fn every_answer_is_right() -> Result<(), Failure> {
    let ran = run(&["quickstart", "--exit"])?;
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(0), ""),
        "{}",
        ran.stdout
    );
    for words in ["page_type", "layouts agree", "answers are right"] {
        assert!(
            ran.stdout.contains(words),
            "{words:?} is missing:\n{}",
            ran.stdout
        );
    }
    assert!(!ran.stdout.contains("WRONG"), "{}", ran.stdout);
    Ok(())
}
