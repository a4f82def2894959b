//! Writing: whole or not at all, and nothing is broken on the way.
#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rosenblatt::{ErrorKind, Model};

use crate::make::{fitted, two_classes};

fn model() -> rosenblatt::Model {
    fitted("averaged", &two_classes()).model
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn an_existing_file_is_replaced_and_keeps_its_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    for permissions in [0o600, 0o640, 0o755] {
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(permissions)).unwrap();
        model().save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model());
        assert_eq!(mode(&path), permissions);
        assert_eq!(names(folder.path()), ["m"]);
    }
}

#[test]
fn a_file_that_may_not_be_written_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    fs::write(&path, b"old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let error = model().save(&path).unwrap_err();
    assert_eq!((error.kind(), error.message().to_string().as_str()), (ErrorKind::Io, "permission denied"));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["m"]);
}

#[test]
fn a_folder_that_may_not_be_written_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    fs::write(&path, b"old").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let root_writes_anyway = fs::write(folder.path().join("try"), b"").is_ok();
    let outcome = model().save(&path);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    if root_writes_anyway {
        eprintln!("SKIPPED: this user may write to a read-only folder, so nothing is refused");
        return;
    }
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["m"]);
}

#[test]
fn links_are_followed_and_stay_links() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("deep")).unwrap();
    symlink("deep/real", at("link")).unwrap();
    symlink("link", at("link to link")).unwrap();
    for _ in 0..2 {
        // The first time the links lead to nothing, the second time to a file.
        model().save(at("link to link")).unwrap();
        assert!(at("link").is_symlink() && at("link to link").is_symlink());
        assert_eq!(Model::load(at("deep/real")).unwrap(), model());
        assert_eq!(names(&at("deep")), ["real"]);
        assert_eq!(names(folder.path()), ["deep", "link", "link to link"]);
    }
    symlink("round", at("round")).unwrap();
    assert_eq!(model().save(at("round")).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn what_is_not_the_name_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for path in ["", "..", "/", "sub", "sub/", "none/m", "new/"] {
        let path = if path.is_empty() { path.into() } else { folder.path().join(path) };
        let error = model().save(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(!error.to_string().contains('\n'));
    }
    assert_eq!(names(folder.path()), ["sub"]);
    assert!(names(&folder.path().join("sub")).is_empty());
}

#[test]
fn the_longest_name_and_a_name_without_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m".repeat(255));
    model().save(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), model());

    // Tests run in the crate's folder: a name alone is written there.
    let alone = format!("model-file-test-{}", std::process::id());
    let outcome = model().save(&alone);
    let read = Model::load(&alone);
    fs::remove_file(&alone).unwrap();
    outcome.unwrap();
    assert_eq!(read.unwrap(), model());
}

#[test]
fn a_pipe_and_a_device_are_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no mkfifo");
        return;
    }
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut bytes = Vec::new();
            fs::File::open(pipe).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        }
    });
    model().save(&pipe).unwrap();
    assert_eq!(reader.join().unwrap(), model().to_bytes());
    assert_eq!(names(folder.path()), ["pipe"]);
    model().save("/dev/null").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let full = Path::new("/dev/full");
    if full.exists() {
        assert_eq!(model().save(full).unwrap_err().kind(), ErrorKind::Io);
    }
}

#[test]
fn many_at_once_leave_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    model().save(&path).unwrap();
                    assert_eq!(Model::load(&path).unwrap(), model());
                }
            });
        }
    });
    assert_eq!(names(folder.path()), ["m"]);
}
