//! Headers of objects and lists; their layout is at [`crate::object`] and [`crate::list`].

use crate::Error;

const OBJECT: u8 = 2;
const LIST: u8 = 3;
/// Most fields or elements whose count is one byte.
const SMALL: usize = 255;

/// Returns how many bytes a count or offset needs, 1 to 4.
pub(crate) fn uint_width(value: usize) -> usize {
    match value {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

/// Appends the lowest `width` bytes of a value, little-endian.
pub(crate) fn put_uint(out: &mut Vec<u8>, value: usize, width: usize) {
    out.extend(value.to_le_bytes().into_iter().take(width));
}

/// Appends an object's header: everything before its values. Fields are pairs of id and offset in
/// the area of values, in the order of their names.
pub(crate) fn put_object_header(
    fields: &[(u32, usize)],
    area_len: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let max_id = fields.iter().map(|(id, _)| *id).max().unwrap_or(0);
    let id_width = uint_width(crate::bytes::index(max_id));
    let offset_width = uint_width(area_len);
    let is_large = fields.len() > SMALL;
    let bits = width_bits(offset_width) | width_bits(id_width) << 2 | u8::from(is_large) << 4;
    out.push(OBJECT | bits << 2);
    put_uint(out, fields.len(), if is_large { 4 } else { 1 });
    for (id, _) in fields {
        put_uint(out, crate::bytes::index(*id), id_width);
    }
    for (_, offset) in fields {
        put_uint(out, *offset, offset_width);
    }
    put_uint(out, area_len, offset_width);
    checked(area_len, fields.len())
}

/// Appends a list's header: everything before its elements, whose offsets ascend.
pub(crate) fn put_list_header(
    offsets: &[usize],
    area_len: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let offset_width = uint_width(area_len);
    let is_large = offsets.len() > SMALL;
    let bits = width_bits(offset_width) | u8::from(is_large) << 2;
    out.push(LIST | bits << 2);
    put_uint(out, offsets.len(), if is_large { 4 } else { 1 });
    for offset in offsets {
        put_uint(out, *offset, offset_width);
    }
    put_uint(out, area_len, offset_width);
    checked(area_len, offsets.len())
}

fn width_bits(width: usize) -> u8 {
    u8::try_from(width).unwrap_or(4).saturating_sub(1) & 3
}

fn checked(area_len: usize, len: usize) -> Result<(), Error> {
    let limit_bytes = growler_base::limits::VARIANT_LEN_BYTES;
    if area_len.max(len) > limit_bytes {
        return Err(Error::ValueLength { limit_bytes });
    }
    Ok(())
}
