//! All models of a server. The folder of a model is numbered; its name is in a file, so no request names a path.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};

use rosenblatt::{Error, Order, Preparation, Recipe, Result, Trainer};
use serde::{Deserialize, Serialize};

use super::{Durability, Handle, ModelLimits};
use crate::http::Problem;
use crate::rows::Texts;
use crate::store::{Files, replace};

/// How models are made and kept.
#[derive(Clone)]
pub struct Settings {
    /// The learner of new models.
    pub recipe: Recipe,
    /// How new models prepare rows: by maps that need no other rows.
    pub preparation: Preparation,
    /// The texts of new models.
    pub texts: Arc<Texts>,
    /// When a row is acknowledged.
    pub durability: Durability,
    /// Limits of each model.
    pub limits: ModelLimits,
    /// The most models.
    pub models: usize,
}

/// A served model.
#[derive(Clone)]
pub enum Served {
    /// It runs.
    Running(Arc<Handle>),
    /// It could not be opened: why.
    Failed(Arc<str>),
}

/// The file that makes a folder a model.
const SETTINGS: &str = "settings.json";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    name: String,
    recipe: Recipe,
    #[serde(default, skip_serializing_if = "is_default")]
    preparation: Preparation,
    #[serde(default, skip_serializing_if = "is_default")]
    texts: Texts,
    /// It is a finished model: its file is beside this one.
    #[serde(default)]
    finished: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The file of a finished model.
const MODEL: &str = "model";

/// All models.
pub struct Catalogue {
    files: Arc<dyn Files>,
    folder: PathBuf,
    settings: Settings,
    models: RwLock<BTreeMap<String, (u64, Served)>>,
    /// Held while a model is made or removed; the number of the next folder.
    next: Mutex<u64>,
    /// No other server writes to the folder.
    _held: Box<dyn Send + Sync>,
}

/// Examples one by one, in the order in which they come.
fn trainer(recipe: Recipe, preparation: Preparation) -> Trainer {
    Trainer { recipe, preparation, ..Trainer::default() }.epochs(1).order(Order::Cyclic)
}

impl Catalogue {
    /// Opens all models of a folder. One that cannot be opened is served as failed, and says why.
    pub fn open(files: Arc<dyn Files>, folder: PathBuf, settings: Settings) -> Result<Catalogue> {
        let failed = |error: std::io::Error| Error::io(&folder, error);
        crate::engine::Engine::new(trainer(settings.recipe.clone(), settings.preparation.clone()))?;
        files.create_folder(&folder).map_err(failed)?;
        let held = files.hold(&folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => Error::settings(format!(
                "{}: another server holds this folder; end it, or take another",
                folder.display()
            )),
            _ => failed(error),
        })?;
        let mut found: BTreeMap<String, (u64, Written)> = BTreeMap::new();
        let mut next = 1;
        for entry in files.list(&folder).map_err(failed)? {
            let Some(number) = entry.strip_prefix("model-").and_then(|number| number.parse::<u64>().ok()) else {
                continue;
            };
            next = next.max(number + 1);
            let inside = folder.join(&entry);
            if !files.list(&inside).map_err(failed)?.iter().any(|name| name == SETTINGS) {
                // It was being made, or removed, when the server ended.
                remove_folder(&*files, &inside).map_err(failed)?;
                continue;
            }
            let bytes = files.read(&inside.join(SETTINGS)).map_err(failed)?;
            let written: Written = serde_json::from_slice(&bytes)
                .map_err(|error| Error::bad_data(format!("{}: {error}", inside.join(SETTINGS).display())))?;
            // A model that was being replaced: the later one counts.
            if let Some((before, _)) = found.insert(written.name.clone(), (number, written)) {
                let inside = folder.join(format!("model-{before:06}"));
                unmake(&*files, &inside).map_err(failed)?;
            }
        }
        let (models, next) = (RwLock::default(), Mutex::new(next));
        let catalogue = Catalogue { files, folder: folder.clone(), settings, models, next, _held: held };
        for (name, (number, written)) in found {
            let opened = match written.finished {
                true => catalogue.open_finished(&name, number),
                false => catalogue.run(&name, number, written),
            };
            let served = match opened {
                Ok(handle) => Served::Running(Arc::new(handle)),
                Err(error) => {
                    tracing::error!(model = %name, why = %error, "model-not-opened");
                    Served::Failed(error.to_string().into())
                }
            };
            catalogue.write().insert(name, (number, served));
        }
        Ok(catalogue)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<String, (u64, Served)>> {
        self.models.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<String, (u64, Served)>> {
        self.models.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn folder_of(&self, number: u64) -> PathBuf {
        self.folder.join(format!("model-{number:06}"))
    }

    fn run(&self, name: &str, number: u64, written: Written) -> Result<Handle> {
        let Settings { durability, limits, .. } = self.settings;
        let trainer = trainer(written.recipe, written.preparation);
        let handle = Handle::open(name, self.files.clone(), &self.folder_of(number), trainer, durability, limits)?;
        Ok(handle.with_texts(written.texts))
    }

    /// The texts of a model, or those of one that is made.
    pub fn texts(&self, name: &str) -> Arc<Texts> {
        self.get(name).map_or_else(|_| self.settings.texts.clone(), |handle| handle.texts().clone())
    }

    fn open_finished(&self, name: &str, number: u64) -> Result<Handle> {
        let folder = self.folder_of(number);
        let bytes = self.files.read(&folder.join(MODEL)).map_err(|error| Error::io(folder.join(MODEL), error))?;
        Handle::finished(name, self.files.clone(), &folder, &bytes)
    }

    /// Serves a finished model under a name, in place of a finished one that has it.
    pub fn put(&self, name: &str, bytes: &[u8]) -> std::result::Result<(), Problem> {
        check_name(name)?;
        let mut next = self.next.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let old = self.read().get(name).cloned();
        if let Some((_, Served::Running(handle))) = &old
            && !handle.is_finished()
        {
            let message = "a model of this name learns: remove it first, or take another name";
            return Err(Problem::new(409, "learning", message));
        }
        if let Some((number, Served::Failed(why))) = &old
            && !self.is_file(*number)
        {
            // Its log may be all that there is of its examples.
            let message = format!(
                "a model of this name learned, and could not be opened: {why}; remove it first, or take another name"
            );
            return Err(Problem::new(409, "learning", message));
        }
        if old.is_none() {
            self.has_room()?;
        }
        let number = *next;
        let folder = self.folder_of(number);
        let handle = Handle::finished(name, self.files.clone(), &folder, bytes)
            .map_err(|error| Problem::new(422, "bad-model", error.to_string()))?;
        *next += 1;
        let written = self.written(name, true);
        let kept = self
            .files
            .create_folder(&folder)
            .and_then(|()| replace(&*self.files, &folder, MODEL, bytes))
            .and_then(|()| serde_json::to_vec_pretty(&written).map_err(std::io::Error::other))
            .and_then(|settings| replace(&*self.files, &folder, SETTINGS, &settings));
        kept.map_err(|error| Problem::new(507, "not-kept", error.to_string()))?;
        self.write().insert(name.to_string(), (number, Served::Running(Arc::new(handle))));
        tracing::info!(model = name, "model-put");
        if let Some((before, _)) = old {
            let inside = self.folder_of(before);
            unmake(&*self.files, &inside).map_err(|error| Problem::new(500, "not-removed", error.to_string()))?;
        }
        Ok(())
    }

    /// Whether one more model is allowed.
    fn has_room(&self) -> std::result::Result<(), Problem> {
        if self.read().len() < self.settings.models {
            return Ok(());
        }
        let message = format!("there are {} models, and no more are allowed", self.settings.models);
        Err(Problem::new(409, "too-many", message))
    }

    /// Whether a folder holds the file of a finished model.
    fn is_file(&self, number: u64) -> bool {
        self.files.list(&self.folder_of(number)).is_ok_and(|names| names.iter().any(|name| name == MODEL))
    }

    /// A model by name; `None` if it is not there, and can be made.
    pub fn find(&self, name: &str) -> std::result::Result<Option<Arc<Handle>>, Problem> {
        match self.get(name) {
            Err(problem) if problem.status == 404 => {
                check_name(name)?;
                self.has_room().map(|()| None)
            }
            other => other.map(Some),
        }
    }

    /// The names of all models.
    pub fn names(&self) -> Vec<String> {
        self.read().keys().cloned().collect()
    }

    /// A model by name.
    pub fn get(&self, name: &str) -> std::result::Result<Arc<Handle>, Problem> {
        match self.read().get(name) {
            Some((_, Served::Running(handle))) => Ok(handle.clone()),
            Some((_, Served::Failed(why))) => {
                Err(Problem::new(503, "not-opened", format!("this model could not be opened: {why}")))
            }
            None => Err(Problem::new(404, "no-such-model", "there is no model of this name: learn makes one")),
        }
    }

    /// A model by name, made if it is not there.
    pub fn get_or_make(&self, name: &str) -> std::result::Result<Arc<Handle>, Problem> {
        match self.get(name) {
            Err(problem) if problem.status == 404 => {}
            other => return other,
        }
        check_name(name)?;
        let mut next = self.next.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Another request may have made it meanwhile.
        match self.get(name) {
            Err(problem) if problem.status == 404 => {}
            other => return other,
        }
        self.has_room()?;
        let number = *next;
        let made = self.make(name, number).map_err(|error| Problem::new(507, "not-made", error.to_string()))?;
        *next += 1;
        let handle = Arc::new(made);
        self.write().insert(name.to_string(), (number, Served::Running(handle.clone())));
        tracing::info!(model = name, "model-made");
        Ok(handle)
    }

    /// The settings of a new model.
    fn written(&self, name: &str, finished: bool) -> Written {
        let Settings { recipe, preparation, texts, .. } = &self.settings;
        let (recipe, name) = (recipe.clone(), name.to_string());
        let (preparation, texts) = match finished {
            true => Default::default(),
            false => (preparation.clone(), Texts::clone(texts)),
        };
        Written { version: 1, name, recipe, preparation, texts, finished }
    }

    fn make(&self, name: &str, number: u64) -> Result<Handle> {
        let folder = self.folder_of(number);
        let failed = |error: std::io::Error| Error::io(&folder, error);
        self.files.create_folder(&folder).map_err(failed)?;
        let written = self.written(name, false);
        let bytes = serde_json::to_vec_pretty(&written).map_err(|error| Error::bad_data(error.to_string()))?;
        replace(&*self.files, &folder, SETTINGS, &bytes).map_err(failed)?;
        self.run(name, number, written)
    }

    /// Removes a model and its files.
    pub fn remove(&self, name: &str) -> std::result::Result<(), Problem> {
        let _making = self.next.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some((number, served)) = self.write().remove(name) else {
            return Err(Problem::new(404, "no-such-model", "there is no model of this name"));
        };
        if let Served::Running(handle) = served {
            handle.stop();
        }
        let removed = unmake(&*self.files, &self.folder_of(number));
        tracing::info!(model = name, "model-removed");
        removed.map_err(|error| Problem::new(500, "not-removed", error.to_string()))
    }

    /// Ends all models in order.
    pub fn stop(&self) {
        let models: Vec<Served> = self.read().values().map(|(_, served)| served.clone()).collect();
        for served in models {
            if let Served::Running(handle) = served {
                handle.stop();
            }
        }
    }
}

/// Removes the folder of a model. Without its settings it is none, also after a crash: so they go first, and durably. Else a
/// model that was replaced could come back once the one in its place is removed.
fn unmake(files: &dyn Files, folder: &std::path::Path) -> std::io::Result<()> {
    files.remove(&folder.join(SETTINGS))?;
    files.sync_folder(folder)?;
    remove_folder(files, folder)
}

fn remove_folder(files: &dyn Files, folder: &std::path::Path) -> std::io::Result<()> {
    for name in files.list(folder)? {
        files.remove(&folder.join(name))?;
    }
    files.remove_folder(folder)
}

/// A name of up to 100 characters, none of them a control character or a slash. Clients take `.` and `..` out of a path.
fn check_name(name: &str) -> std::result::Result<(), Problem> {
    let sound = !name.is_empty()
        && name.chars().count() <= 100
        && name != "."
        && name != ".."
        && !name.contains(|c| c == '/' || rosenblatt::escape::is_control(c));
    if sound {
        Ok(())
    } else {
        Err(Problem::new(400, "bad-name", "a name has 1 to 100 printable characters, no slash, and is not . or .."))
    }
}
