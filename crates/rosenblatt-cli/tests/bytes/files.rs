//! The folder that all cases take their data from.

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::data::{self, FOUR, Sparse, TWO};
use crate::{arrays, sentences};

const SMALL: Sparse = Sparse { rows: 400, features: 40, values: 8, classes: TWO, noise: 12, seed: 1 };
const MANY_CLASSES: Sparse = Sparse { rows: 400, features: 40, values: 8, classes: FOUR, noise: 15, seed: 2 };
/// More rows than two blocks of the presentation hold.
const BIG: Sparse = Sparse { rows: 140_000, features: 60, values: 5, classes: TWO, noise: 10, seed: 3 };
const BIG_TABLE: Sparse = Sparse { rows: 70_000, features: 5, values: 3, classes: FOUR, noise: 10, seed: 4 };

/// Writes every data set.
pub fn write(folder: &Path) {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        set_time(&path);
    };
    let small = SMALL.libsvm(1);
    put("two.svm", small.as_bytes());
    put("two0.svm", SMALL.libsvm(0).as_bytes());
    put("test.svm", Sparse { seed: 11, ..SMALL }.libsvm(1).as_bytes());
    put("clean.svm", Sparse { noise: 1 << 40, rows: 300, ..SMALL }.libsvm(1).as_bytes());
    put("four.svm", MANY_CLASSES.libsvm(1).as_bytes());
    put("odd.svm", data::odd_libsvm().as_bytes());
    put("ends.svm", SMALL.libsvm(1).trim_end().replace('\n', "\r\n").as_bytes());
    put("ends.csv", format!("\u{feff}{}", data::mixed_csv(false, ',').trim_end().replace('\n', "\r\n")).as_bytes());
    put("curve.csv", data::curve().as_bytes());
    put("two.csv", Sparse { features: 6, values: 4, ..SMALL }.csv(true).as_bytes());
    put("plain.csv", Sparse { features: 6, values: 4, ..MANY_CLASSES }.csv(false).as_bytes());
    put("mixed.csv", data::mixed_csv(false, ',').as_bytes());
    put("mixed.tsv", data::mixed_csv(false, '\t').as_bytes());
    put("gaps.csv", data::mixed_csv(true, ',').as_bytes());
    put("mail.tsv", data::messages(300).as_bytes());
    put("two.vw", SMALL.vw(true).as_bytes());
    put("light.vw", SMALL.vw(false).as_bytes());
    for kind in ["separable", "weak", "touch", "disc", "noisy"] {
        put(&format!("{kind}.csv"), data::points(kind).as_bytes());
    }
    put("xor.csv", b"0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n");
    put("order.txt", b"4 3 2 1, 1 2\n4");
    put("start.txt", b"1 -1 0.5");
    arrays(&put);
    corpora(&put);
    packed(&put, small.as_bytes());
    let big = BIG.libsvm(1);
    put("big.svm", big.as_bytes());
    put("big.svm.gz", &arrays::gzip(big.as_bytes()));
    put("big.csv", BIG_TABLE.csv(true).as_bytes());
    put("mid.svm", Sparse { rows: 1500, ..SMALL }.libsvm(1).as_bytes());
    put("clean-mid.svm", Sparse { rows: 1500, noise: 1 << 40, ..SMALL }.libsvm(1).as_bytes());
    put("big-mail.tsv", data::messages(20_000).as_bytes());
    put("late.csv", data::late_csv().as_bytes());
    put("late.svm", data::late_libsvm().as_bytes());
    put("wide.svm", data::wide_libsvm().as_bytes());
}

/// A cache holds the time of its origin, so that every data set has the same.
pub fn set_time(path: &Path) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

fn arrays(put: &dyn Fn(&str, &[u8])) {
    put("x.npy", &arrays::npy_doubles());
    put("x32.npy", &arrays::npy_singles());
    put("y.npy", &arrays::npy_classes());
    put("y.txt", arrays::text_classes().as_bytes());
    put("images.idx", &arrays::idx_images());
    put("classes.idx", &arrays::idx_classes());
    put("my-images-idx3-ubyte", &arrays::idx_images());
    put("my-labels-idx1-ubyte", &arrays::idx_classes());
    #[cfg(feature = "parquet")]
    {
        put("table.parquet", &arrays::parquet(9));
        put("whole.parquet", &arrays::parquet(1 << 40));
    }
}

fn corpora(put: &dyn Fn(&str, &[u8])) {
    put("chunks.conll", sentences::conll(150, 20).as_bytes());
    put("more.conll", sentences::conll(60, 21).as_bytes());
    put("words.conllu", sentences::conllu(120, 22).as_bytes());
    put("attributes.crfsuite", sentences::crfsuite(120, 23).as_bytes());
    put("long.conll", sentences::conll(12_000, 24).as_bytes());
    put("templates.txt", sentences::TEMPLATES.as_bytes());
}

fn packed(put: &dyn Fn(&str, &[u8]), small: &[u8]) {
    put("two.svm.gz", &arrays::gzip(small));
    put("two.svm.zst", &arrays::zstd(small));
    put("two.svm.bz2", &arrays::bzip2(small));
    put("tiny.svm.xz", arrays::XZ);
    put("chunks.conll.gz", &arrays::gzip(sentences::conll(150, 20).as_bytes()));
    put("mixed.csv.zst", &arrays::zstd(data::mixed_csv(false, ',').as_bytes()));
}
