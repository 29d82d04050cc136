//! Whole files: samples of two writers, changed where it hurts, and read in every way there is.
//!
//! [`sample`] the files and where their parts lie; [`edit`] what an input does to one; [`read`]
//! what must hold then.

mod edit;
mod read;
mod sample;
mod thrift;

pub use sample::SAMPLES;

pub(crate) fn check(input: &[u8]) {
    let mut draw = crate::draw::Draw::new(input);
    let sample = sample::sample(draw.below(SAMPLES.len()));
    read::check(&edit::edit(&sample, &mut draw));
}
