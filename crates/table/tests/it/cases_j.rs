//! Bug reports of group J: which column of a file is which.

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int32Array, Int64Array, ListArray, StringArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use growler_catalog::{SnapshotId, SnapshotSelector};
use serde_json::{Value, json};

use crate::answers::{Table, index};
use crate::handmade::{Lake, array, bare, column, fields, unpartitioned, with_id};
use crate::made::MadeManifest;

fn ints(values: &[Option<i32>]) -> ArrayRef {
    array(Int32Array::from(values.to_vec()))
}

fn some(values: &[i32]) -> ArrayRef {
    array(Int32Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    array(StringArray::from(values.to_vec()))
}

/// A struct column; a row of `nulls` is null.
fn group(children: Vec<(Field, ArrayRef)>, nulls: &[bool]) -> ArrayRef {
    let (fields, arrays): (Vec<_>, Vec<_>) = children.into_iter().unzip();
    let valid = NullBuffer::from(nulls.iter().map(|null| !null).collect::<Vec<bool>>());
    array(StructArray::new(Fields::from(fields), arrays, Some(valid)))
}

fn mapped(
    lake: &Lake,
    columns: Value,
    mapping: Option<Value>,
    files: Vec<crate::made::Made>,
) -> Result<Table, String> {
    let manifests = [MadeManifest::new(1, files)];
    let table = lake.table(columns, unpartitioned(), &manifests, |metadata| {
        if let Some(mapping) = &mapping {
            metadata["properties"] = json!({"schema.name-mapping.default": mapping.to_string()});
        }
    });
    Ok(Table::of(
        lake.view(&table).map_err(|error| error.to_string())?,
    ))
}

#[test]
fn j01_j03_t39_columns_of_files_without_ids_go_by_the_name_mapping() {
    let lake = Lake::new();
    let file = lake.data(
        "f.parquet",
        vec![
            bare("c", some(&[30, 31])),
            bare("a", some(&[10, 11])),
            bare("b", some(&[20, 21])),
        ],
    );
    let columns = fields(&[
        (1, "a", json!("int")),
        (2, "b2", json!("int")),
        (3, "c", json!("int")),
    ]);
    let mapping = json!([
        {"field-id": 1, "names": ["a"]},
        {"field-id": 2, "names": ["b2", "b"]},
        {"field-id": 3, "names": ["c", "third"]}
    ]);
    let table = mapped(&lake, columns.clone(), Some(mapping), vec![file.clone()]).unwrap();
    assert_eq!(table.rows("SELECT b2 FROM t WHERE a = 11"), [[json!(21)]]);
    assert_eq!(
        table.rows("SELECT a, b2, c FROM t WHERE c = 30"),
        [[json!(10), json!(20), json!(30)]]
    );
    // Statistics of the file are those of the mapped column: this is proven to match nothing.
    let (rows, statistics) = table.answer("SELECT a FROM t WHERE b2 > 25").unwrap();
    assert_eq!(
        (rows.len(), statistics.num_segments_pruned_by_server),
        (0, 1)
    );
    // Without a mapping nothing says what is what; positions never do.
    let table = mapped(&lake, columns, None, vec![file]).unwrap();
    let error = table.ask("SELECT b2 FROM t").unwrap_err();
    assert!(
        error.contains("without field ids") && error.contains("f.parquet"),
        "{error}"
    );
    assert!(error.contains("schema.name-mapping.default"), "{error}");
}

#[test]
fn j09_a_renamed_column_of_a_foreign_file_is_found_by_its_mapped_names() {
    let lake = Lake::new();
    let file = lake.data(
        "f.parquet",
        vec![bare("first", some(&[1])), bare("second", some(&[2]))],
    );
    let columns = fields(&[(1, "first", json!("int")), (2, "renamed", json!("int"))]);
    let mapping = |names: Value| json!([{"field-id": 1, "names": ["first"]}, {"field-id": 2, "names": names}]);
    let with = |names| {
        mapped(
            &lake,
            columns.clone(),
            Some(mapping(names)),
            vec![file.clone()],
        )
        .unwrap()
    };
    let both = with(json!(["second", "renamed"]));
    assert_eq!(
        both.rows("SELECT first, renamed FROM t"),
        [[json!(1), json!(2)]]
    );
    // The mapping does not know the old name: null, not the column of that name or place.
    let only_new = with(json!(["renamed"]));
    assert_eq!(
        only_new.rows("SELECT first, renamed FROM t"),
        [[json!(1), Value::Null]]
    );
}

#[test]
fn j04_fields_of_structs_and_dotted_names_are_apart() {
    let lake = Lake::new();
    let person = group(
        vec![
            (
                with_id(3, Field::new("name", DataType::Utf8, true)),
                texts(&["x", "y"]),
            ),
            (
                with_id(4, Field::new("age", DataType::Int32, true)),
                some(&[3, 4]),
            ),
        ],
        &[false, false],
    );
    let file = lake.data(
        "f.parquet",
        vec![
            column(1, "person", person),
            column(2, "person.age", some(&[100, 200])),
        ],
    );
    let of_struct = json!({"type": "struct", "fields": fields(&[(3, "name", json!("string")), (4, "age", json!("int"))])});
    let columns = fields(&[(1, "person", of_struct), (2, "person.age", json!("int"))]);
    let table = lake.of_files(columns, vec![file]);
    let nested = "JSON_EXTRACT_SCALAR(person, '$.age', 'INT')";
    let sql = format!("SELECT \"person.age\" FROM t WHERE {nested} > 3");
    assert_eq!(table.rows(&sql), [[json!(200)]]);
    let sql = format!("SELECT {nested} FROM t WHERE \"person.age\" = 100");
    assert_eq!(table.rows(&sql), [[json!(3)]]);
}

#[test]
fn j06_columns_that_no_schema_lists_are_ignored_and_impossible_ones_refused() {
    let lake = Lake::new();
    let file = |name: &str, id| {
        lake.data(
            name,
            vec![column(1, "a", some(&[1])), column(id, "gone", some(&[9]))],
        )
    };
    let columns = fields(&[(1, "a", json!("int"))]);
    // The table gave away ids up to 99.
    let dropped = lake.of_files(columns.clone(), vec![file("f.parquet", 42)]);
    assert_eq!(dropped.rows("SELECT * FROM t"), [[json!(1)]]);
    let broken = lake.of_files(columns.clone(), vec![file("g.parquet", 100)]);
    let error = broken.ask("SELECT a FROM t").unwrap_err();
    assert!(
        error.contains("fieldId=100") && error.contains("g.parquet"),
        "{error}"
    );
    // Columns that every table has are no columns of it.
    let lineage = lake.of_files(columns, vec![file("h.parquet", 2_147_483_540)]);
    assert_eq!(lineage.rows("SELECT a FROM t"), [[json!(1)]]);
}

#[test]
fn j07_a_name_that_was_dropped_and_given_away_again_shows_no_old_data() {
    let lake = Lake::new();
    let old = lake.data(
        "old.parquet",
        vec![column(1, "k", some(&[1])), column(2, "a", some(&[7]))],
    );
    let new = lake.data(
        "new.parquet",
        vec![column(1, "k", some(&[2])), column(4, "a", texts(&["x"]))],
    );
    let before = fields(&[(1, "k", json!("int")), (2, "a", json!("int"))]);
    let after = fields(&[(1, "k", json!("int")), (4, "a", json!("string"))]);
    let same_type = fields(&[(1, "k", json!("int")), (4, "a", json!("int"))]);
    let folder = tempfile::tempdir().unwrap();
    let view = |columns: Value, files: Vec<crate::made::Made>| {
        let manifests = [MadeManifest::new(1, files)];
        lake.view(&lake.table(columns, unpartitioned(), &manifests, |_| {}))
            .unwrap()
    };
    let first = Table::of(index(
        view(before, vec![old.clone()]),
        folder.path(),
        |_| false,
    ));
    assert_eq!(first.number("SELECT COUNT(*) FROM t WHERE a = 7"), 1);
    for indexed in [false, true] {
        let view = view(after.clone(), vec![old.clone(), new.clone()]);
        let view = if indexed {
            index(view, folder.path(), |_| false)
        } else {
            view
        };
        let table = Table::of(view);
        let rows = table.rows("SELECT k, a FROM t ORDER BY k");
        assert_eq!(
            rows,
            [[json!(1), Value::Null], [json!(2), json!("x")]],
            "{indexed}"
        );
        assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE a = '7'"), 0);
        assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE a IS NULL"), 1);
    }
    // Indexes that are there are of another column of the name: they are not used, then built anew.
    let folder = tempfile::tempdir().unwrap();
    let store = growler_exec::reload::IndexStore::Folder(folder.path().to_owned());
    let before = fields(&[(1, "k", json!("int")), (2, "a", json!("int"))]);
    index(view(before, vec![old.clone()]), folder.path(), |_| false);
    let again = view(same_type.clone(), vec![old.clone()]);
    let loaded = growler_exec::reload::load_indexes(&again.segments()[0], "t", &store);
    assert!(loaded.is_none());
    let rebuilt = Table::of(index(again, folder.path(), |_| false));
    assert_eq!(
        rebuilt.rows("SELECT a, COUNT(*) FROM t GROUP BY a"),
        [[Value::Null, json!(1)]]
    );
    let loaded = growler_exec::reload::load_indexes(&rebuilt.view().segments()[0], "t", &store);
    assert!(loaded.is_some());
}

#[test]
fn j10_structs_without_ids_go_by_the_mapping_below_their_column() {
    let lake = Lake::new();
    let inner = || {
        let field = Field::new("old_name", DataType::Int32, true);
        group(vec![(field, some(&[5]))], &[false])
    };
    let of_struct = json!({"type": "struct", "fields": fields(&[(3, "x", json!("int"))])});
    let columns = fields(&[(1, "id", json!("int")), (2, "s", of_struct)]);
    let mapping = json!([
        {"field-id": 1, "names": ["id"]},
        {"field-id": 2, "names": ["s"], "fields": [{"field-id": 3, "names": ["x", "old_name"]}]}
    ]);
    let file = |name: &str| {
        lake.data(
            name,
            vec![column(1, "id", some(&[1])), column(2, "s", inner())],
        )
    };
    let with = mapped(
        &lake,
        columns.clone(),
        Some(mapping.clone()),
        vec![file("f.parquet")],
    )
    .unwrap();
    assert_eq!(with.rows("SELECT s FROM t"), [[json!("{\"x\":5}")]]);
    let without = mapped(&lake, columns.clone(), None, vec![file("g.parquet")]).unwrap();
    assert_eq!(without.rows("SELECT s FROM t"), [[json!("{\"x\":null}")]]);
    let bare_file = lake.data(
        "h.parquet",
        vec![bare("id", some(&[1])), bare("s", inner())],
    );
    let bare_table = mapped(&lake, columns, Some(mapping), vec![bare_file]).unwrap();
    assert_eq!(
        bare_table.rows("SELECT id, s FROM t"),
        [[json!(1), json!("{\"x\":5}")]]
    );
}

#[test]
fn j12_j13_new_fields_of_structs_in_lists_and_maps_are_null_under_present_parents() {
    let lake = Lake::new();
    let a = || with_id(3, Field::new("a", DataType::Int32, true));
    let s = group(vec![(a(), some(&[1, 0, 3]))], &[false, true, false]);
    let of_struct = |new: &[(i32, &str, Value)]| json!({"type": "struct", "fields": fields(new)});
    let element = StructArray::new(
        Fields::from(vec![with_id(6, Field::new("p", DataType::Int32, true))]),
        vec![some(&[1, 2])],
        None,
    );
    let list_field = with_id(5, Field::new("element", element.data_type().clone(), true));
    let lists = ListArray::new(
        list_field.into(),
        arrow_buffer::OffsetBuffer::from_lengths([2, 0, 0]),
        array(element),
        None,
    );
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for key in ["k", "", ""] {
        if !key.is_empty() {
            maps.keys().append_value(key);
            maps.values().append_value(7);
        }
        maps.append(true).unwrap();
    }
    let file = lake.data(
        "f.parquet",
        vec![
            column(1, "s", s),
            column(2, "l", array(lists)),
            column(4, "m", array(maps.finish())),
        ],
    );
    let new = of_struct(&[(3, "a", json!("int")), (10, "c", json!("string"))]);
    let only_new = of_struct(&[(10, "b", json!("string"))]);
    let list = json!({"type": "list", "element-id": 5, "element-required": false,
        "element": of_struct(&[(6, "p", json!("long")), (11, "q", json!("string"))])});
    let map = json!({"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value-required": false, "value": "int"});
    let table = lake.of_files(
        fields(&[(1, "s", new), (2, "l", list.clone()), (4, "m", map.clone())]),
        vec![file.clone()],
    );
    let rows = table.rows("SELECT s, l FROM t ORDER BY $docId");
    assert_eq!(
        rows,
        [
            [
                json!("{\"a\":1,\"c\":null}"),
                json!("[{\"p\":1,\"q\":null},{\"p\":2,\"q\":null}]")
            ],
            [Value::Null, json!("[]")],
            [json!("{\"a\":3,\"c\":null}"), json!("[]")],
        ]
    );
    // None of the fields that are asked for is in the file: the struct's own nulls still are.
    let table = lake.of_files(fields(&[(1, "s", only_new)]), vec![file]);
    let rows = table.rows("SELECT s FROM t ORDER BY $docId");
    assert_eq!(
        rows,
        [
            [json!("{\"b\":null}")],
            [Value::Null],
            [json!("{\"b\":null}")]
        ]
    );
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE s IS NULL"), 1);
}

#[test]
fn j15_a_column_that_one_file_lacks_is_filtered_by_page() {
    let lake = Lake::new();
    let keys: Vec<i32> = (0..5000).collect();
    let old = lake.data_cut("old.parquet", vec![column(1, "k", some(&keys))], 2500);
    let new = lake.data_cut(
        "new.parquet",
        vec![column(1, "k", some(&keys)), column(2, "v", some(&keys))],
        2500,
    );
    let columns = fields(&[(1, "k", json!("int")), (2, "v", json!("int"))]);
    let table = lake.of_files(columns, vec![old, new]);
    assert_eq!(
        table.rows("SELECT k FROM t WHERE v = 3100"),
        [[json!(3100)]]
    );
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE v IS NULL"), 5000);
    assert_eq!(
        table.number("SELECT COUNT(*) FROM t WHERE v < 10 OR k = 7"),
        11
    );
    assert_eq!(
        table.number("SELECT COUNT(*) FROM t WHERE NOT (v < 4990)"),
        10
    );
}

#[test]
fn j16_ids_inside_of_variants_name_no_columns() {
    let lake = Lake::new();
    for (round, ids) in [None, Some([0, 1]), Some([1, 2])].into_iter().enumerate() {
        let field = |name: &str, at: usize| {
            let field = Field::new(name, DataType::Binary, false);
            ids.map_or(field.clone(), |ids: [i32; 2]| with_id(ids[at], field))
        };
        // {"a": 5}
        let metadata: &[u8] = &[0x01, 1, 0, 1, b'a'];
        let value: &[u8] = &[0x02, 1, 0, 0, 2, 0x0c, 5];
        let children: Vec<ArrayRef> = vec![
            array(BinaryArray::from(vec![metadata])),
            array(BinaryArray::from(vec![value])),
        ];
        let variant = StructArray::new(
            Fields::from(vec![field("metadata", 0), field("value", 1)]),
            children,
            None,
        );
        let name = format!("f{round}.parquet");
        let file = lake.data(
            &name,
            vec![
                column(1, "id", some(&[9])),
                column(2, "props", array(variant)),
            ],
        );
        let columns = fields(&[(1, "id", json!("int")), (2, "props", json!("variant"))]);
        let table = lake.of_files(columns, vec![file]);
        let rows = table.rows("SELECT id, props['a'], props FROM t WHERE props['a'] = 5");
        assert_eq!(
            rows,
            [[json!(9), json!("5"), json!("{\"a\":5}")]],
            "{ids:?}"
        );
    }
}

#[test]
fn j18_names_that_differ_in_case_are_two_columns() {
    let lake = Lake::new();
    let file = lake.data(
        "f.parquet",
        vec![
            column(1, "id", some(&[1])),
            column(2, "ID", some(&[2])),
            column(3, "channelId", some(&[3])),
        ],
    );
    let columns = fields(&[
        (1, "id", json!("int")),
        (2, "ID", json!("int")),
        (3, "channelId", json!("int")),
    ]);
    let table = lake.of_files(columns, vec![file]);
    let sql = "SELECT \"id\", \"ID\", \"channelId\" FROM t WHERE";
    for (filter, expected) in [
        ("id = 1 AND ID = 2", 1),
        ("id = 2", 0),
        ("ID = 1", 0),
        ("channelId = 3", 1),
    ] {
        assert_eq!(
            table.rows(&format!("{sql} {filter}")).len(),
            expected,
            "{filter}"
        );
    }
    assert_eq!(
        table.rows(&format!("{sql} id = 1")),
        [[json!(1), json!(2), json!(3)]]
    );
}

#[test]
fn t38_an_arrow_schema_in_the_file_does_not_matter() {
    let lake = Lake::new();
    let lists = arrow_array::LargeListArray::from_iter_primitive::<
        arrow_array::types::Int32Type,
        _,
        _,
    >([Some(vec![Some(1), Some(2)]), None]);
    let element = with_id(2, Field::new("element", DataType::Int32, true));
    let lists = arrow_array::LargeListArray::new(
        element.into(),
        lists.offsets().clone(),
        lists.values().clone(),
        lists.nulls().cloned(),
    );
    let file = lake.data("f.parquet", vec![column(1, "l", array(lists))]);
    let list =
        json!({"type": "list", "element-id": 2, "element-required": false, "element": "long"});
    let table = lake.of_files(fields(&[(1, "l", list)]), vec![file]);
    assert_eq!(
        table.rows("SELECT l FROM t ORDER BY $docId"),
        [[json!([1, 2])], [Value::Null]]
    );
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE l = 2"), 1);
}

/// The file is the one it was; only the name mapping says that it has the column.
#[test]
fn indexes_of_what_a_name_meant_before_are_not_used() {
    let lake = Lake::new();
    let file = lake.data("f.parquet", vec![bare("x", some(&[1, 2]))]);
    let manifests = [MadeManifest::new(1, vec![file])];
    let view = |names: Value| {
        let columns = fields(&[(1, "a", json!("int"))]);
        let table = lake.table(columns, unpartitioned(), &manifests, |metadata| {
            let mapping = json!([{"field-id": 1, "names": names}]).to_string();
            metadata["properties"] = json!({"schema.name-mapping.default": mapping});
        });
        lake.view(&table).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let store = growler_exec::reload::IndexStore::Folder(folder.path().to_owned());
    let load = |of: &growler_exec::View| {
        growler_exec::reload::load_indexes(&of.segments()[0], "t", &store)
    };
    let before = index(view(json!(["a"])), folder.path(), |_| false);
    let (same, now) = (view(json!(["a"])), view(json!(["a", "x"])));
    assert!(load(&same).is_some());
    assert!(load(&now).is_none());
    // Nor does a build that ends after the table changed give its indexes to what is there then.
    let built = before.indexes(0).unwrap();
    let is_same = |other: &growler_exec::View| {
        growler_exec::reload::same_columns(built, &before.segments()[0], &other.segments()[0])
    };
    assert!(is_same(&same) && !is_same(&now));
    let now = Table::of(index(now, folder.path(), |_| false));
    assert_eq!(now.number("SELECT COUNT(*) FROM t WHERE a = 1"), 1);
}

#[test]
fn l01_filters_bind_in_the_schema_of_the_snapshot() {
    let lake = Lake::new();
    let file = lake.data("f.parquet", vec![column(1, "a", some(&[1, 2]))]);
    let old = fields(&[(1, "a", json!("int"))]);
    let new = fields(&[(1, "b", json!("int"))]);
    let manifests = [MadeManifest::new(1, vec![file])];
    let table = lake.table(old, unpartitioned(), &manifests, |metadata| {
        let renamed = json!({"type": "struct", "schema-id": 1, "fields": new});
        metadata["schemas"].as_array_mut().unwrap().push(renamed);
        metadata["current-schema-id"] = json!(1);
    });
    let current = Table::of(lake.view(&table).unwrap());
    let then = lake.view_at(&table, SnapshotSelector::Id(SnapshotId(7)));
    let then = Table::of(then.unwrap());
    assert_eq!(current.rows("SELECT b FROM t WHERE b = 1"), [[json!(1)]]);
    assert_eq!(then.rows("SELECT a FROM t WHERE a = 1"), [[json!(1)]]);
    assert!(
        then.ask("SELECT a FROM t WHERE b = 1")
            .unwrap_err()
            .contains("'b'")
    );
    assert!(
        current
            .ask("SELECT b FROM t WHERE a = 1")
            .unwrap_err()
            .contains("'a'")
    );
}

#[test]
fn values_outside_of_a_served_type_fail_and_never_wrap() {
    let lake = Lake::new();
    let longs = |values: &[i64]| array(Int64Array::from(values.to_vec()));
    let fits = lake.data("fits.parquet", vec![column(1, "q", longs(&[1, -5]))]);
    let wide = lake.data(
        "wide.parquet",
        vec![column(1, "q", longs(&[3, 5_000_000_000]))],
    );
    let columns = fields(&[(1, "q", json!("int"))]);
    let table = lake.of_files(columns.clone(), vec![fits.clone()]);
    assert_eq!(table.rows("SELECT q FROM t WHERE q < 0"), [[json!(-5)]]);
    let table = lake.of_files(columns, vec![fits, wide]);
    for sql in [
        "SELECT q FROM t",
        "SELECT SUM(q) FROM t",
        "SELECT q, COUNT(*) FROM t GROUP BY q",
    ] {
        let error = table.ask(sql).unwrap_err();
        for part in ["value=5000000000", "wide.parquet", "column=q"] {
            assert!(error.contains(part), "{error}");
        }
    }
    let error = table.ask("SELECT COUNT(*) FROM t WHERE q = 3").unwrap_err();
    assert!(error.contains("wide.parquet"), "{error}");
}

#[test]
fn lists_of_a_missing_column_and_null_lists_stay_apart() {
    let lake = Lake::new();
    let mut lists = ListBuilder::new(Int32Builder::new())
        .with_field(with_id(3, Field::new("element", DataType::Int32, true)));
    lists.values().append_value(4);
    lists.append(true);
    lists.append(false);
    let old = lake.data("old.parquet", vec![column(1, "k", ints(&[Some(1)]))]);
    let new = lake.data(
        "new.parquet",
        vec![
            column(1, "k", some(&[2, 3])),
            column(2, "l", array(lists.finish())),
        ],
    );
    let list =
        json!({"type": "list", "element-id": 3, "element-required": false, "element": "int"});
    let columns = json!([
        {"id": 1, "name": "k", "required": false, "type": "int"},
        {"id": 2, "name": "l", "required": false, "type": list, "initial-default": [7, 8]}
    ]);
    let table = lake.of_files(columns, vec![old, new]);
    let rows = table.rows("SELECT k, l FROM t ORDER BY k");
    assert_eq!(
        rows,
        [
            vec![json!(1), json!([7, 8])],
            vec![json!(2), json!([4])],
            vec![json!(3), Value::Null]
        ]
    );
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE l = 8"), 1);
}
