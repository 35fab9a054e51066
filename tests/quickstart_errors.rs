//! The table reader of the quickstart example tells what is wrong with a file, and in which line and column.

#[path = "../examples/quickstart/table.rs"]
mod table;

use std::path::Path;

use table::{parse, read, standardise};

/// The message for a table that came from `t.csv`.
fn told(bytes: impl AsRef<[u8]>) -> String {
    parse(Path::new("t.csv"), bytes.as_ref()).expect_err("the table is malformed").to_string()
}

#[test]
fn a_sound_table() {
    let table = parse(Path::new("t.csv"), b"3,2,sick, well \r\n\r\n1,-2.5e1,0\r\n 3 ,4,1\r\n5,6,1").unwrap();
    assert_eq!(table.columns, 2);
    assert_eq!(table.class_names, ["sick", "well"]);
    assert_eq!(table.features, [1.0, -25.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(table.labels, [0.0, 1.0, 1.0]);
}

#[test]
fn the_shipped_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/breast_cancer.csv");
    if !path.exists() {
        return; // The published package leaves the data out.
    }
    let table = read(&path).unwrap();
    assert_eq!((table.labels.len(), table.columns), (569, 30));
    assert_eq!(table.class_names, ["malignant", "benign"]);
    assert_eq!(table.labels.iter().sum::<f64>(), 357.0);
}

#[test]
fn a_missing_file() {
    let error = read(Path::new("no/such/table.csv")).unwrap_err();
    assert_eq!((error.place, error.path.as_path()), (None, Path::new("no/such/table.csv")));
    assert!(error.to_string().starts_with("no/such/table.csv: cannot read the table: "), "{error}");
}

#[test]
fn a_bad_first_line() {
    let shape = "the first line must be `rows,columns,class 0,class 1`, but has";
    for (text, expected) in [
        ("", "t.csv:1:1: the file is empty".to_owned()),
        ("\n1,1,a,b\n", format!("t.csv:1:1: {shape} 1 fields")),
        ("1,2,a\n", format!("t.csv:1:1: {shape} 3 fields")),
        ("1,2,a,b,c\n", format!("t.csv:1:1: {shape} 5 fields")),
        ("x,2,a,b\n", "t.csv:1:1: the number of rows must be a positive integer, not `x`".to_owned()),
        ("10,-2,a,b\n", "t.csv:1:4: the number of columns must be a positive integer, not `-2`".to_owned()),
        ("10,0,a,b\n", "t.csv:1:4: the number of columns must be a positive integer, not `0`".to_owned()),
        ("10,3,a,\n", "t.csv:1:8: a class needs a name".to_owned()),
        ("1,18446744073709551615,a,b\n1,0\n", "t.csv:1:3: the number of columns must be at most 1000000".to_owned()),
    ] {
        assert_eq!(told(text), expected, "for {text:?}");
    }
}

#[test]
fn a_row_of_the_wrong_width() {
    let expected = "the row must have 2 numbers and a label, but has";
    // A field is missing at the end of the line; the first one too many starts at column 7.
    assert_eq!(told("2,2,a,b\n1,2,0\n1,2\n"), format!("t.csv:3:4: {expected} 2 fields"));
    assert_eq!(told("2,2,a,b\n1,2,0\n1,2,0,4,5\n"), format!("t.csv:3:7: {expected} 5 fields"));
    assert_eq!(told("2,2,a,b\n1,2,0\n1,2,0,\n"), format!("t.csv:3:7: {expected} 4 fields"));
    assert_eq!(told("2,2,a,b\r\n\r\n1\r\n"), format!("t.csv:3:2: {expected} 1 fields"));
}

#[test]
fn a_field_that_is_not_a_number() {
    assert_eq!(told("1,2,a,b\n1.25,x,0\n"), "t.csv:2:6: field 2 must be a finite number, not `x`");
    assert_eq!(told("1,2,a,b\n,1,0\n"), "t.csv:2:1: field 1 must be a finite number, not ``");
    assert_eq!(told("1,2,a,b\n1, 1 2 ,0\n"), "t.csv:2:4: field 2 must be a finite number, not `1 2`");
    assert_eq!(told("1,2,a,b\n1,NaN,0\n"), "t.csv:2:3: field 2 must be a finite number, not `NaN`");
    assert_eq!(told("1,2,a,b\n1,1e999,0\n"), "t.csv:2:3: field 2 must be a finite number, not `1e999`");
    // Lines end in two characters and one is empty, yet the line is counted as an editor does.
    assert_eq!(told("2,2,a,b\r\n1,2,0\r\n\r\n3,?,1\r\n"), "t.csv:4:3: field 2 must be a finite number, not `?`");
    // Columns count characters, not bytes.
    assert_eq!(told("1,2,a,b\né,1,0\n"), "t.csv:2:1: field 1 must be a finite number, not `é`");
    assert_eq!(told("1,2,ä,b\n1,2,ü\n"), "t.csv:2:5: the label must be 0 or 1, not `ü`");
}

#[test]
fn a_label_that_is_no_class() {
    assert_eq!(told("1,2,a,b\n1,20,2\n"), "t.csv:2:6: the label must be 0 or 1, not `2`");
}

#[test]
fn a_wrong_number_of_rows() {
    assert_eq!(told("3,1,a,b\n1,0\n2,1\n"), "t.csv:1:1: 3 rows are announced, but there are 2");
    assert_eq!(told("1,1,a,b\n1,0\n\n2,1\n"), "t.csv:4:1: one row more than the 1 of the first line");
}

#[test]
fn bytes_that_are_not_text() {
    assert_eq!(told(b"1,1,a,b\n\xc3\xa91\xff,0\n"), "t.csv:2:3: this byte is not UTF-8");
}

#[test]
fn standardised_columns() {
    let mut features = [1.0, 7.0, 3.0, 7.0];
    standardise(&mut features, 2);
    assert_eq!(features, [-1.0, 0.0, 1.0, 0.0]);
}
