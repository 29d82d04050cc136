//! Text functions.

use super::harness::{check_errors, check_one, check_types};

#[test]
fn whole_texts() {
    check_one(&[
        ("lower(s)", "hello world"),
        ("upper(s)", "HELLO WORLD"),
        ("upper(dict)", "WÖRD"),
        ("initcap('hELLO wORLD')", "Hello World"),
        ("reverse('abc')", "cba"),
        ("length(dict)", "4"),
        ("length(i)", "1"),
        ("trim('  a b ')", "a b"),
        ("ltrim('  a ')", "a "),
        ("rtrim('  a ')", "  a"),
        ("concat(s, '!')", "Hello World!"),
        ("concat('%', 'x', '%')", "%%x"),
        ("concat('a', 'b', '-')", "a-b"),
        ("s || '-' || i", "Hello World-7"),
        ("concat('a', 'b', 'c', 'd')", "abcd"),
        ("concat_ws('-', 'a', i, 'c')", "a-7-c"),
        ("replace(s, 'o', '0')", "Hell0 W0rld"),
        ("replace(s, '', 'x')", "Hello World"),
        ("remove(s, 'l')", "Heo Word"),
        ("lpad(i, 3, '0')", "007"),
        ("rpad('ab', 5, 'xy')", "abxyx"),
        ("lpad('abc', 2, ' ')", "abc"),
        ("repeat('ab', 2)", "abab"),
        ("repeat('ab', '-', 2)", "ab-ab"),
        ("startsWith(s, 'Hello')", "true"),
        ("ends_with(s, 'World')", "true"),
        ("contains(s, 'lo W')", "true"),
        ("contains(dict, 'x')", "false"),
        ("strcmp('a', 'b')", "-1"),
        ("codepoint('a')", "97"),
        ("chr(228)", "ä"),
        ("hammingDistance('abc', 'axc')", "1"),
        ("hammingDistance('abc', 'ab')", "-1"),
    ]);
    check_types(&[
        ("length(s)", "INT"),
        ("startsWith(s, 'x')", "BOOLEAN"),
        ("s || i", "STRING"),
    ]);
}

#[test]
fn parts_of_texts() {
    check_one(&[
        ("substr(s, 6)", "World"),
        ("substr(s, 0, 5)", "Hello"),
        ("substr(s, 6, -1)", "World"),
        ("substr(s, -5)", "World"),
        ("substr(dict, 1, 2)", "ö"),
        ("substr(s, 50)", ""),
        ("substring(s, 1, 5)", "Hello"),
        ("substring(s, 7)", "World"),
        ("SUBSTRING(dict FROM 2 FOR 1)", "ö"),
        ("leftSubStr(s, 4)", "Hell"),
        ("rightSubStr(s, 3)", "rld"),
        ("strpos(s, 'o')", "4"),
        ("strpos(s, 'o', 2)", "7"),
        ("strpos(s, 'z')", "-1"),
        ("strpos(dict, 'r')", "2"),
        ("strrpos(s, 'o')", "7"),
        ("strrpos(s, 'o', 2)", "4"),
        ("split('a,b,,c', ',')", "[a, b, c]"),
        ("split('a,b,c', ',', 2)", "[a, b,c]"),
        ("splitPart('a,b,c', ',', 1)", "b"),
        ("splitPart('a,b,c', ',', -1)", "c"),
        ("splitPart('a,b,c', ',', 9)", "null"),
        ("split_part('a,b,c', ',', -4)", "null"),
    ]);
}

#[test]
fn patterns() {
    check_one(&[
        ("regexpExtract('ab12cd', '[0-9]+')", "12"),
        ("regexpExtract('ab12cd', '([a-z]+)([0-9]+)', 2)", "12"),
        ("regexpExtract('ab', '[0-9]+', 0, 'none')", "none"),
        ("regexpReplace('a1b2', '[0-9]', '#')", "a#b#"),
        ("regexpReplace('a1b2', '([a-z])([0-9])', '$2$1')", "1a2b"),
        ("regexpReplace('a1b2', '[0-9]', '#', 0, 1)", "a1b#"),
        ("regexpReplace('aAa', 'a', 'x', 1, -1, 'i')", "axx"),
        ("s LIKE 'hello%'", "true"),
        ("s NOT LIKE '%WORLD'", "false"),
        ("REGEXP_LIKE(s, 'lo W')", "true"),
        ("REGEXP_LIKE(s, '^world', 'i')", "false"),
    ]);
    check_errors(&[
        (
            "regexpExtract(s, '(')",
            700,
            "QueryValidationError: Cannot compile pattern: '(': regex parse error:\n    (\n    ^\n\
             error: unclosed group",
        ),
        (
            "repeat(s, 1000000000)",
            200,
            "QueryExecutionError: text is too long: lenBytes=11000000000 limitBytes=16777216, \
             expression=repeat(s,'1000000000')",
        ),
    ]);
}

#[test]
fn encodings() {
    check_one(&[
        ("toBase64(toUtf8('hello'))", "aGVsbG8="),
        ("fromUtf8(fromBase64('aGVsbG8='))", "hello"),
        ("bytesToHex(bin)", "01ab"),
        ("hexToBytes('01AB')", "01ab"),
        ("md5(toUtf8(''))", "d41d8cd98f00b204e9800998ecf8427e"),
        ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
        (
            "sha256('abc')",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        ("encodeUrl('a b&ö')", "a+b%26%C3%B6"),
        ("decodeUrl('a+b%26%C3%B6%')", "a b&ö%"),
    ]);
    check_types(&[("toUtf8(s)", "BYTES"), ("md5(bin)", "STRING")]);
}
