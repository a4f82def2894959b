//! What a training that was interrupted leaves behind, and how to go on.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::limits;

use super::outputs::ModelFile;
use super::train::shell_word;
use crate::args::TrainArgs;
use crate::output::warning;
use crate::{interrupt, show};

/// Saves what an interrupted training has learned, if that was asked for; where.
pub fn save_interrupted(
    args: &TrainArgs,
    place: Option<ModelFile>,
    bytes: impl FnOnce(bool) -> rosenblatt::Result<Vec<u8>>,
) -> Result<Option<&Path>> {
    let Some(place) = place.filter(|_| args.save_interrupted) else { return Ok(None) };
    // The signal has been heard: what is left is to save.
    limits::within(&limits::Limits::NONE, || place.write(bytes))?;
    Ok(args.output.as_deref())
}

/// Says what an interrupted training leaves behind.
pub fn interrupted(args: &TrainArgs, saved: Option<&Path>) -> Result<ExitCode> {
    if let Some(path) = saved {
        warning(format!("interrupted; the model as it was learned until then is in {}", show::path(path)));
    }
    match &args.checkpoint {
        Some(path) => {
            // The checkpoint has all other settings.
            let mut again = vec!["rosenblatt".into(), "train".into(), args.data.clone()];
            again.extend(args.more.iter().cloned());
            again.extend([
                "--resume".into(),
                path.display().to_string(),
                "--epochs".into(),
                args.epochs.most().to_string(),
            ]);
            if let Some(output) = &args.output {
                again.extend(["-o".into(), output.display().to_string()]);
            }
            if let Some(shards) = args.shards {
                again.extend(["--shards".into(), shards.to_string()]);
            }
            again.extend(args.read.typed());
            let again: Vec<String> = again.iter().map(|word| shell_word(word)).collect();
            warning(format!("interrupted; resume with `{}`", again.join(" ")));
        }
        None if saved.is_some() => {}
        None => warning(
            "interrupted; nothing was saved (use --checkpoint FILE to be able to resume, --save-interrupted to keep the model)",
        ),
    }
    Ok(ExitCode::from(interrupt::STATUS))
}
