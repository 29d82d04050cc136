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

/// Makes a string, short if it fits.
pub fn string(text: &str) -> Vec<u8> {
    match text.len() {
        len @ 0..64 => [&[1 | (len as u8) << 2][..], text.as_bytes()].concat(),
        len => [&[16 << 2][..], &(len as u32).to_le_bytes(), text.as_bytes()].concat(),
    }
}

/// Makes a primitive of a type id from its payload.
pub fn primitive(id: u8, payload: &[u8]) -> Vec<u8> {
    [&[id << 2][..], payload].concat()
}

/// Makes a decimal of 4, 8 or 16 bytes.
pub fn decimal(width: usize, scale: u8, unscaled: i128) -> Vec<u8> {
    let id = match width {
        4 => 8,
        8 => 9,
        _ => 10,
    };
    primitive(
        id,
        &[&[scale][..], &unscaled.to_le_bytes()[..width]].concat(),
    )
}

/// Makes nested arrays of one element, a null in the innermost; ten bytes a level.
pub fn nest(depth: usize) -> Vec<u8> {
    let mut value = Vec::with_capacity(10 * depth + 1);
    for level in (0..depth).rev() {
        let inner = u32::try_from(10 * level + 1).unwrap().to_le_bytes();
        value.extend([0x0F, 1, 0, 0, 0, 0]);
        value.extend(inner);
    }
    value.push(0);
    value
}

/// Makes objects of the fields 0 and 1 that share one value, nested.
pub fn shared(depth: usize) -> Vec<u8> {
    let mut value = vec![0];
    for _ in 0..depth {
        let len = u16::try_from(value.len()).unwrap().to_le_bytes();
        // Two-byte offsets: both fields at 0, the end at the length of the one value.
        let head = [0x06, 2, 0, 1, 0, 0, 0, 0, len[0], len[1]];
        value = [&head[..], &value].concat();
    }
    value
}
