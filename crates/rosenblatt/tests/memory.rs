//! Products of sizes are checked before they are allocated, and scoring is heard when it has to stop.
//!
//! An allocator counts the most bytes that were ever in use, on all threads: so each test waits for the others.
//! `GlobalAlloc` is an unsafe trait; every call goes on to the system's allocator.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rosenblatt::fit::{Data, FileData, Storage, With};
use rosenblatt::io::Input;
use rosenblatt::learn::kernel::budget::{Budget, BudgetPerceptron, Projectron, Way};
use rosenblatt::learn::kernel::{Biased, Choice, Joint};
use rosenblatt::learn::learners::Perceptron;
use rosenblatt::learn::machine::{Binary, Tie};
use rosenblatt::learn::{AnyLearner, Scratch, Stop};
use rosenblatt::limits::{self, BUFFERS, Deadline, Limits};
use rosenblatt::random::Stream;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::{
    Calibration, ErrorKind, Evaluation, Hypothesis, Judgement, Model, Preparation, Result, Rule, Schema, Table, Trainer,
};

static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

struct Peak;

fn count(change: isize) {
    let live = LIVE.fetch_add(change, Relaxed) + change;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call is the system's own with the same arguments.
unsafe impl GlobalAlloc for Peak {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Peak = Peak;

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most bytes that were in use during the work beyond those before it.
fn peak<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let done = work();
    (done, (PEAK.load(Relaxed) - before) as u64)
}

const MIB: u64 = 1 << 20;

fn within<T>(memory: u64, work: impl FnOnce() -> T) -> T {
    limits::within(&Limits { memory, ..Limits::NONE }, work)
}

/// The work needs more memory than `memory`, says so, and does not take it.
fn refused<T>(memory: u64, work: impl FnOnce() -> Result<T>) -> String {
    let (done, most) = peak(|| within(memory, work));
    let error = done.err().expect("more memory than is allowed");
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
    assert!(most <= memory + BUFFERS, "{} MiB for: {error}", most / MIB);
    error.to_string()
}

/// As many labels as rows, and a feature for each of 50 groups.
fn many_labels(rows: usize) -> Table {
    let points: Vec<[f64; 2]> = (0..rows).map(|i| [(i % 50) as f64, (i / 50) as f64]).collect();
    let labels: Vec<String> = (0..rows).map(|i| format!("label {i}")).collect();
    Table::dense(&points, &labels).unwrap()
}

/// 60,000 rows with as many labels asked for 28.8 GB of scores after training, and the model was lost.
#[test]
fn rows_times_classes_are_never_in_memory_at_once() {
    let _one = one_at_a_time();
    let table = many_labels(5000);
    let scores = 5000 * 5000 * 8;
    let (fitted, most) = peak(|| Trainer::new("perceptron").epochs(1).fit(&table).unwrap());
    assert!(fitted.report.train_error.is_some() && fitted.report.margin.is_some());
    assert!(most < scores / 2, "training: {} MiB", most / MIB);
    let rows = table.matrix.rows().unwrap();
    let (classes, most) = peak(|| fitted.model.classify_all(rows).unwrap());
    assert!(most < scores / 2, "predicting: {} MiB", most / MIB);
    let wrong = classes.iter().zip(&table.classes).filter(|(a, b)| a != b).count();
    assert_eq!(fitted.report.train_error, Some(wrong as f64 / 5000.0));
    // All scores, or the counts of all pairs of classes, are what the caller asked for: an error where they do not fit.
    refused(MIB, || fitted.model.score_all(rows));
    assert!(refused(MIB, || Evaluation::new(&fitted.model, &table)).contains("the confusion matrix of 5000 classes"));
}

/// Blocks change no score: they are those of one row at a time.
#[test]
fn blocks_of_rows_have_the_scores_of_each_row() {
    let _one = one_at_a_time();
    let table = many_labels(3000);
    for (learner, epochs) in [("perceptron", 1), ("averaged", 1)] {
        let model = Trainer::new(learner).epochs(epochs).fit(&table).unwrap().model;
        let (mut row, mut blocks, mut scratch) = (0, 0, Scratch::default());
        model
            .score_blocks(table.matrix.rows().unwrap(), &mut |first, scores| {
                assert_eq!(first, row);
                blocks += 1;
                for scores in scores.chunks(3000) {
                    let rosenblatt::Matrix::Dense(matrix) = &table.matrix else { panic!("dense rows") };
                    if row % 97 == 0 {
                        model.hypothesis.scores(
                            rosenblatt::rows::Dense(&matrix.values[2 * row..][..2]),
                            Tie::Update,
                            &mut scratch,
                        );
                        assert_eq!(scores, scratch.scores);
                    }
                    row += 1;
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(row, 3000);
        assert!(blocks > 1, "{learner}: more than one block");
    }
}

/// Ten classes with the index 200,000,000 ended the program, and Python's interpreter with it.
#[test]
fn weights_are_counted_with_their_copies_before_they_are_made() {
    let _one = one_at_a_time();
    let mut text = String::new();
    (0..10).for_each(|class| text += &format!("{class} {}:1\n", 1 + class * 20_000_000));
    text += "9 200000000:1\n";
    let input = Input::memory("wide.svm", text);
    let table = read(&input, &ReadOptions::default()).unwrap().table;
    let told = refused(512 * MIB, || Trainer::new("averaged").fit(&table));
    assert!(told.contains("the weights of 10 classes × 200000000 features"), "{told}");
    for multiclass in ["single", "one-vs-rest"] {
        let mut trainer = Trainer::new("perceptron");
        trainer.recipe.multiclass = multiclass.parse().unwrap();
        let (options, dir) = (ReadOptions::default(), tempfile::tempdir().unwrap());
        let place = dir.path().join("wide.cache");
        // While a file is read, features grow with each block.
        for storage in [Storage::Memory, Storage::Cache(place)] {
            let file = Data::File(FileData::new(&input, &options, &storage));
            refused(512 * MIB, || trainer.fit_with(file, With::default()));
        }
    }
    // Two classes need one weight a feature: that fits.
    let two = Input::memory("two.svm", "1 1:1\n2 2000000:1\n");
    let table = read(&two, &ReadOptions::default()).unwrap().table;
    within(512 * MIB, || Trainer::new("averaged").fit(&table)).unwrap();
}

/// 2^28 buckets took 2 GB for each copy of the weights, and ended the program.
#[test]
fn hashing_into_many_buckets_is_refused() {
    let _one = one_at_a_time();
    let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &["up", "down"]).unwrap();
    let trainer =
        |bits| Trainer::new("averaged").preparation(Preparation { hash_bits: Some(bits), ..Preparation::default() });
    refused(512 * MIB, || trainer(28).fit(&table));
    within(512 * MIB, || trainer(16).fit(&table)).unwrap();
    // The names of buckets are made only where they fit.
    let model = trainer(22).fit(&table).unwrap().model;
    let told = refused(64 * MIB, || model.feature_names());
    assert!(told.contains("the names of 4194304 features"), "{told}");
}

/// A degree of 10 was refused after 344 seconds, with 9.9 GB in use.
#[test]
fn products_are_counted_before_they_are_made() {
    let _one = one_at_a_time();
    let mut stream = Stream::new(1, &[]);
    let mut table = |rows: usize, features: usize| {
        let points: Vec<Vec<f64>> = (0..rows).map(|_| (0..features).map(|_| 1.0 + stream.unit()).collect()).collect();
        let labels: Vec<&str> = (0..rows).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect();
        Table::dense(&points, &labels).unwrap()
    };
    let trainer = |degree| Trainer::new("perceptron").preparation(Preparation { degree, ..Preparation::default() });
    let (wide, begun) = (table(1000, 40), Instant::now());
    let (done, most) = peak(|| trainer(10).fit(&wide));
    let error = done.err().unwrap();
    assert!(error.kind() == ErrorKind::Settings && error.to_string().contains("products of the features"), "{error}");
    assert!(most < 64 * MIB && begun.elapsed().as_secs() < 20, "{} MiB, {:?}", most / MIB, begun.elapsed());
    // Fewer than the limit of products, and too many for the memory: 646,645 of each row.
    refused(64 * MIB, || trainer(10).fit(&table(150, 12)));
    // In few rows that share no feature it is the dictionary that grows.
    let text: String = (0..60)
        .map(|i| {
            let entries: String = (1..=9).map(|j| format!(" {}:1", 9 * i + j)).collect();
            format!("{}{entries}\n", i % 2)
        })
        .collect();
    let apart = read(&Input::memory("apart.svm", text), &ReadOptions::default()).unwrap().table;
    refused(8 * MIB, || trainer(10).fit(&apart));
    within(512 * MIB, || trainer(3).fit(&apart)).unwrap();
}

/// The inverse Gram matrix of the Projectron has a number for each pair of support vectors.
#[test]
fn a_budget_of_many_support_vectors_is_checked_before_they_come() {
    let _one = one_at_a_time();
    let kernel = Biased::new("rbf:1".parse().unwrap(), true);
    let judge = Joint::new(Binary::new(Tie::Update));
    let learner =
        BudgetPerceptron::new(kernel, judge, Box::new(Perceptron::new(1.0)), Projectron::new(0.1), 1_000_000, 5);
    within(64 * MIB, || learner.reserve(256, 256)).unwrap();
    let told = refused(64 * MIB, || learner.reserve(50_000, 50_000));
    assert!(told.contains("the inverse Gram matrix of 50000 support vectors"), "{told}");
}

fn kernel_model() -> Model {
    let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0], [0.5, -3.0]], &["up", "down", "down"]).unwrap();
    let mut trainer = Trainer::new("perceptron");
    trainer.recipe.kernel = Some(Choice::new("poly:2".parse().unwrap()));
    trainer.fit(&table).unwrap().model
}

/// A model that no reader takes is not written: the command must not end well.
#[test]
fn what_could_not_be_read_is_not_written() {
    let _one = one_at_a_time();
    let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &["up", "down"]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let models = ["averaged", "voted"].map(|learner| Trainer::new(learner).fit(&table).unwrap().model);
    for model in models.into_iter().chain([kernel_model()]) {
        type Lie = fn(&mut Model);
        let lies: [Lie; 4] = [
            |model| model.schema = Schema::Indexed { first: 1, features: 1 },
            |model| model.schema = Schema::Indexed { first: 7, features: 2 },
            |model| model.calibration = Some(Calibration { sigmoids: Vec::new() }),
            |model| model.facts.mistakes = u64::MAX,
        ];
        for (at, lie) in lies.into_iter().enumerate() {
            let mut wrong = model.clone();
            lie(&mut wrong);
            for name in ["a.model", "a.json"] {
                let path = dir.path().join(name);
                assert_eq!(wrong.save(&path).expect_err("no reader takes it").kind(), ErrorKind::Model, "{at}");
                assert!(!path.exists(), "{at}");
                assert!(Model::from_bytes("m", &wrong.to_bytes()).is_err(), "{at}");
            }
        }
        let path = dir.path().join("b.model");
        model.save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap(), model);
        std::fs::remove_file(path).unwrap();
    }
}

/// A kernel machine may name any number of features: their names are not made before they are counted.
#[test]
fn a_model_that_claims_many_features_is_refused_where_that_takes_memory() {
    let _one = one_at_a_time();
    let mut wide = kernel_model();
    let Hypothesis::Kernel(_) = &wide.hypothesis else { panic!("a kernel machine") };
    wide.schema = Schema::Indexed { first: 1, features: 1 << 28 };
    refused(64 * MIB, || wide.feature_names());
}

fn asked() -> (Arc<AtomicBool>, Limits) {
    let flag = Arc::new(AtomicBool::new(false));
    let limits = Limits { deadline: Deadline::NEVER.or_when(flag.clone()), ..Limits::NONE };
    (flag, limits)
}

/// Voted models and kernel machines did not answer Ctrl-C for ten seconds while they scored.
#[test]
fn scoring_stops_when_it_is_asked_to() {
    let _one = one_at_a_time();
    let mut stream = Stream::new(3, &[]);
    let points: Vec<[f64; 3]> = (0..2000).map(|_| [stream.unit(), stream.unit(), stream.unit()]).collect();
    let labels: Vec<&str> = (0..2000).map(|_| if stream.unit() < 0.5 { "a" } else { "b" }).collect();
    let table = Table::dense(&points, &labels).unwrap();
    for (learner, kernel) in
        [("voted", None), ("perceptron", None), ("perceptron", Some("poly:2")), ("voted", Some("rbf:1"))]
    {
        let mut trainer = Trainer::new(learner).epochs(1);
        trainer.recipe.kernel = kernel.map(|kernel| Choice::new(kernel.parse().unwrap()));
        let model = trainer.fit(&table).unwrap().model;
        let (flag, limits) = asked();
        flag.store(true, Relaxed);
        let rows = table.matrix.rows().unwrap();
        for work in [
            &(|| model.score_all(rows).map(drop)) as &dyn Fn() -> Result<()>,
            &|| model.classify_all(rows).map(drop),
            &|| Evaluation::new(&model, &table).map(drop),
        ] {
            let kind = limits::within(&limits, work).expect_err("it was asked to stop").kind();
            assert_eq!(kind, ErrorKind::Interrupted, "{learner} {kernel:?}");
        }
    }
}

/// Sets a flag at its 100th update, as Ctrl-C does while the work goes on.
#[derive(Clone)]
struct Asking(Arc<AtomicBool>);

impl Rule for Asking {
    fn tau(&self, judgement: Judgement, k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
        if k == 100 {
            self.0.store(true, Relaxed);
        }
        if judgement.mistake { 1.0 } else { 0.0 }
    }
}

/// 4096 examples of a budget kernel are eleven seconds; between them nothing was asked.
#[test]
fn learners_whose_steps_take_long_stop_within_a_few_of_them() {
    let _one = one_at_a_time();
    let mut stream = Stream::new(5, &[]);
    let points: Vec<[f64; 4]> = (0..4000).map(|_| std::array::from_fn(|_| stream.unit())).collect();
    let labels: Vec<&str> = (0..4000).map(|_| if stream.unit() < 0.5 { "a" } else { "b" }).collect();
    let table = Table::dense(&points, &labels).unwrap();
    let budget = Budget { most: 400, policy: Way::Projectron { eta: 0.01 }, seed: 0 };
    let with_budget = Choice { budget: Some(budget), ..Choice::new("rbf:2".parse().unwrap()) };
    for kernel in [with_budget, Choice::new("rbf:2".parse().unwrap())] {
        let (flag, limits) = asked();
        let mut trainer = Trainer::with_rule("asking", Asking(flag));
        trainer.recipe.kernel = Some(kernel);
        let fitted = limits::within(&limits, || trainer.fit(&table)).unwrap();
        assert_eq!(fitted.report.stopped, Stop::Interrupted);
        assert!((100..1000).contains(&fitted.report.presented), "{}", fitted.report.presented);
        // What was learned is a model, and goes on where it stopped.
        let again = trainer
            .clone()
            .epochs(1)
            .fit_with(Data::Table(&table), With { resume: fitted.checkpoint.as_ref(), ..With::default() });
        assert_eq!(again.unwrap().report.presented, 4000);
    }
}

/// A table of four columns of whole numbers, in groups of 10,000 rows.
#[cfg(feature = "parquet")]
fn parquet_table(rows: usize) -> Vec<u8> {
    use parquet::data_type::Int64Type;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let columns: String = (0..4).map(|j| format!("required int64 x{j}; ")).collect();
    let schema = parse_message_type(&format!("message m {{ {columns} }}")).unwrap();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema.into(), Default::default()).unwrap();
    for from in (0..rows).step_by(10_000) {
        let mut group = writer.next_row_group().unwrap();
        for j in 0..4 {
            let values: Vec<i64> =
                (from..from + 10_000).map(|i| (i * i * 7919 + (i * 7 + j * 3) % 13) as i64 % 99_991).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// The same of binary files, which are decoded a part at a time.
#[test]
fn answers_for_ten_times_the_rows_of_a_binary_file_take_the_same_memory() {
    const FEATURES: usize = 20;
    type Case<'c> = (&'c str, &'c dyn Fn(usize) -> Vec<u8>, &'c Model, usize);
    let _one = one_at_a_time();
    let dir = tempfile::tempdir().unwrap();
    let number = |row: usize, j: usize| (row * 7 + j * 3) % 13;
    let npy = |rows: usize| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {FEATURES}), }}");
        let header = format!("{header:<117}\n");
        let mut bytes = [&b"\x93NUMPY\x01\0"[..], &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
        (0..rows).for_each(|i| (0..FEATURES).for_each(|j| bytes.extend((number(i, j) as f64).to_le_bytes())));
        bytes
    };
    let idx = |rows: usize| {
        let mut bytes = [&[0, 0, 0x0e, 2][..], &(rows as u32).to_be_bytes(), &(FEATURES as u32).to_be_bytes()].concat();
        (0..rows).for_each(|i| (0..FEATURES).for_each(|j| bytes.extend((number(i, j) as f64).to_be_bytes())));
        bytes
    };
    let line = (1..=FEATURES).map(|j| format!(" {j}:{j}")).collect::<String>();
    let arrays = read(&Input::memory("t.svm", format!("1{line}\n-1 1:1\n")), &ReadOptions::default()).unwrap().table;
    let columns = "x0,x1,x2,x3,label\n1,2,3,4,a\n4,3,2,1,b\n";
    let columns = read(&Input::memory("t.csv", columns), &ReadOptions::default()).unwrap().table;
    let model = |table: &Table| Trainer::new("perceptron").epochs(1).fit(table).unwrap().model;
    let (arrays, columns) = (model(&arrays), model(&columns));
    let binary: [Case<'_>; 2] = [("a.npy", &npy, &arrays, 60_000), ("a.idx", &idx, &arrays, 60_000)];
    #[cfg(feature = "parquet")]
    let tables: [Case<'_>; 1] = [("a.parquet", &parquet_table, &columns, 30_000)];
    #[cfg(not(feature = "parquet"))]
    let tables: [Case<'_>; 0] = {
        drop(columns);
        []
    };
    for (name, bytes, model, few) in binary.into_iter().chain(tables) {
        let most = |rows: usize| {
            let path = dir.path().join(format!("{rows}.{name}"));
            std::fs::write(&path, bytes(rows)).unwrap();
            let (input, mut answers) = (Input::Path(path), 0);
            let say = |_: &[f64], text: &mut String| text.push('\n');
            let (done, most) = peak(|| {
                model.answer_all(&input, &ReadOptions::default(), say, |text| {
                    answers += text.len();
                    Ok(())
                })
            });
            done.unwrap();
            assert_eq!(answers, rows, "{name}");
            most
        };
        let (once, ten_times) = (most(few), most(10 * few));
        assert!(ten_times < once + once / 4, "{name}: {once} and {ten_times} bytes");
    }
}

/// Answers were written after all rows of a table had been read: memory grew with the file.
#[test]
fn answers_for_ten_times_the_rows_take_the_same_memory() {
    let _one = one_at_a_time();
    let csv = |rows: usize| {
        let row = |i: usize| format!("{},{},\"word{} and\nmore\",{}\n", i % 97, ["red", "blue"][i % 2], i % 50, i % 2);
        format!("n,colour,body,label\n{}", (0..rows).map(row).collect::<String>())
    };
    let jsonl = |rows: usize| -> String {
        let row = |i: usize| format!("{{\"n\": {}, \"colour\": \"blue\", \"body\": \"word{} and\"}}\n", i % 97, i % 50);
        (0..rows).map(row).collect()
    };
    let options = ReadOptions { text: vec!["body".into()], ..ReadOptions::default() };
    let table = read(&Input::memory("t.csv", csv(200)), &options).unwrap().table;
    let model = Trainer::new("perceptron").epochs(1).fit(&table).unwrap().model;
    for (name, text) in [("a.csv", &csv as &dyn Fn(usize) -> String), ("a.jsonl", &jsonl)] {
        let most = |rows: usize, threads: usize| {
            let (input, mut answers) = (Input::memory(name, text(rows)), 0);
            let say = |_: &[f64], text: &mut String| text.push('\n');
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (done, most) = pool.install(|| {
                peak(|| {
                    model.answer_all(&input, &ReadOptions::default(), say, |text| {
                        answers += text.len();
                        Ok(())
                    })
                })
            });
            assert_eq!((done.unwrap().name.as_str(), answers), (name, rows));
            most
        };
        // One thread has one chunk under way.
        let (once, ten_times) = (most(200_000, 1), most(2_000_000, 1));
        assert!(ten_times < once + once / 4, "{name}: {once} and {ten_times} bytes");
        // Two threads have at most sixteen; how many there are at once is chance. All rows take ten times this bound.
        let several = most(2_000_000, 2);
        assert!(several < 17 * once, "{name}: {several} bytes on two threads, {once} on one");
    }
}
