use super::*;
use crate::io::temporary::random_name;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_path_is_refused_before_and_while_writing_with_the_same_message() {
    let dir = tempfile::tempdir().unwrap();
    for bad in [dir.path().to_path_buf(), dir.path().join("a/b")] {
        let message = check_place(&bad).unwrap_err().to_string();
        assert_eq!(message, write_file(&bad, b"x").unwrap_err().to_string());
    }
    check_place(dir.path().join("new")).unwrap();
    assert!(names(dir.path()).is_empty());
}

/// A conversion that failed at its second file left the old data beside the new labels.
#[test]
fn a_set_is_replaced_together_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ["a", "b", "c"].map(|name| dir.path().join(name));
    let contents = || paths.iter().map(|path| std::fs::read(path).ok()).collect::<Vec<_>>();
    write_file(&paths[1], b"old b").unwrap();
    write_file(&paths[2], b"old c").unwrap();

    drop(Outputs::create(&paths).unwrap());
    assert_eq!(contents(), [None, Some(b"old b".to_vec()), Some(b"old c".to_vec())]);

    // The second place becomes a folder, which no file can replace.
    let outputs = Outputs::create(&paths[..2]).unwrap();
    std::fs::remove_file(&paths[1]).unwrap();
    std::fs::create_dir(&paths[1]).unwrap();
    let failed = outputs.commit(&[b"new a", b"new b"]).unwrap_err().to_string();
    assert!(failed.starts_with(&paths[1].display().to_string()), "{failed}");
    assert_eq!(names(dir.path()), ["b", "c"]);
    std::fs::remove_dir(&paths[1]).unwrap();
    write_file(&paths[1], b"old b").unwrap();

    // The first becomes a folder with a file in it, when the others are already replaced.
    let outputs = Outputs::create(&paths).unwrap();
    std::fs::create_dir(&paths[0]).unwrap();
    std::fs::write(paths[0].join("file"), b"").unwrap();
    outputs.commit(&[b"new a", b"new b", b"new c"]).unwrap_err();
    assert_eq!(contents(), [None, Some(b"old b".to_vec()), Some(b"old c".to_vec())]);
    assert_eq!(names(dir.path()), ["a", "b", "c"]);
    std::fs::remove_dir_all(&paths[0]).unwrap();

    Outputs::create(&paths).unwrap().commit(&[b"1", b"2", b"3"]).unwrap();
    assert_eq!(contents(), ["1", "2", "3"].map(|text| Some(text.as_bytes().to_vec())));
    assert_eq!(names(dir.path()), ["a", "b", "c"]);
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let refused = Outputs::create(&[&path, &dir.path().join(".").join("a")]).unwrap_err().to_string();
    assert!(refused.ends_with("two outputs have this name: name another file"), "{refused}");
    assert!(names(dir.path()).is_empty());
}

/// A killed process left its temporary files for ever.
#[test]
fn files_of_dead_processes_are_swept_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let [dead, living] = [random_name(), random_name()];
    let foreign = ".rosenblatt-0123.part".to_string();
    for name in [&dead, &living, &foreign] {
        std::fs::write(dir.path().join(name), b"x").unwrap();
    }
    let lock = std::fs::File::open(dir.path().join(&living)).unwrap();
    lock.lock().unwrap();
    write_file(dir.path().join("a"), b"x").unwrap();
    let mut expected = vec![living, foreign, "a".to_string()];
    expected.sort();
    assert_eq!(names(dir.path()), expected);
}

#[cfg(unix)]
#[test]
fn a_private_file_has_no_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Temporary::private(dir.path()).unwrap();
    file.write_all(b"x").unwrap();
    assert!(names(dir.path()).is_empty());
}
