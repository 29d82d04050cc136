//! Variants put together byte by byte, to say what no writer should.

/// Makes a dictionary with offsets of the given width.
pub fn metadata(names: &[&str], width: usize, sorted: bool) -> Vec<u8> {
    let flag = if sorted { 0x10 } else { 0 };
    let mut bytes = vec![1 | flag | ((width - 1) as u8) << 6];
    push(&mut bytes, names.len(), width);
    let mut end = 0;
    push(&mut bytes, end, width);
    for name in names {
        end += name.len();
        push(&mut bytes, end, width);
    }
    names
        .iter()
        .for_each(|name| bytes.extend_from_slice(name.as_bytes()));
    bytes
}

/// Makes an object whose fields stand as given, with ids and offsets of the given widths.
pub fn object(fields: &[(usize, Vec<u8>)], id_width: usize, offset_width: usize) -> Vec<u8> {
    let is_large = fields.len() > 255;
    let large = if is_large { 0x40 } else { 0 };
    let header = 2 | ((offset_width - 1) as u8) << 2 | ((id_width - 1) as u8) << 4 | large;
    let mut bytes = vec![header];
    push(&mut bytes, fields.len(), if is_large { 4 } else { 1 });
    fields
        .iter()
        .for_each(|(id, _)| push(&mut bytes, *id, id_width));
    push_values(
        &mut bytes,
        fields.iter().map(|(_, value)| value),
        offset_width,
    );
    bytes
}

/// Makes an array.
pub fn list(elements: &[Vec<u8>], offset_width: usize) -> Vec<u8> {
    let is_large = elements.len() > 255;
    let large = if is_large { 0x10 } else { 0 };
    let mut bytes = vec![3 | ((offset_width - 1) as u8) << 2 | large];
    push(&mut bytes, elements.len(), if is_large { 4 } else { 1 });
    push_values(&mut bytes, elements.iter(), offset_width);
    bytes
}

/// Makes a 32-bit integer.
pub fn int(value: i32) -> Vec<u8> {
    [&[5 << 2][..], &value.to_le_bytes()].concat()
}

fn push_values<'a>(
    bytes: &mut Vec<u8>,
    values: impl Iterator<Item = &'a Vec<u8>> + Clone,
    width: usize,
) {
    let mut end = 0;
    push(bytes, end, width);
    for value in values.clone() {
        end += value.len();
        push(bytes, end, width);
    }
    values.for_each(|value| bytes.extend_from_slice(value));
}

fn push(bytes: &mut Vec<u8>, value: usize, width: usize) {
    bytes.extend_from_slice(&value.to_le_bytes()[..width]);
}
