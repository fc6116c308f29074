//! The one list of commands; every host routes through it, so no host can know another set.

use crate::commands::{self as c, Empty};
use crate::error::to_wire;
use crate::waits::Waits;
use crate::wire::*;
use crate::{Api, WireError};
use serde_json::Value;

/// The description of a command for the interface: its name and the TypeScript names of its request
/// and answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandInfo {
    /// Its name.
    pub name: &'static str,
    /// TypeScript type of the request.
    pub request: String,
    /// TypeScript type of the answer.
    pub answer: String,
}

/// The commands by their types, for hosts that are written in Rust.
#[derive(Clone, Copy)]
pub struct Commands<'a>(pub(crate) &'a Api);

impl Api {
    /// The commands by their types; [`Api::call`] takes the same by name and as JSON.
    pub fn commands(&self) -> Commands<'_> {
        Commands(self)
    }
}

/// What a command answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// JSON of the type that the table names.
    Json(Value),
    /// Bytes for the canvas, which the page does not read.
    Bytes(Vec<u8>),
}

macro_rules! commands {
    (
        bytes { $($bname:ident($brequest:ty) = $brun:path;)* }
        blocking { $($name:ident($request:ty) -> $answer:ty = $run:path;)* }
        waiting { $($wname:ident($wrequest:ty) -> $wanswer:ty = $wrun:path;)* }
    ) => {
        /// Every command.
        pub fn command_list() -> Vec<CommandInfo> {
            let config = ts_rs::Config::from_env();
            vec![
                $(CommandInfo {
                    name: stringify!($bname),
                    request: <$brequest as ts_rs::TS>::name(&config),
                    // These bytes are no type that ts-rs knows.
                    answer: "Uint8Array".to_owned(),
                },)*
                $(CommandInfo {
                    name: stringify!($name),
                    request: <$request as ts_rs::TS>::name(&config),
                    answer: <$answer as ts_rs::TS>::name(&config),
                },)*
                $(CommandInfo {
                    name: stringify!($wname),
                    request: <$wrequest as ts_rs::TS>::name(&config),
                    answer: <$wanswer as ts_rs::TS>::name(&config),
                },)*
            ]
        }

        impl Api {
            /// Runs one command. Commands that only compute and read run on the blocking pool;
            /// those that wait for the network run where they are called.
            pub async fn answer(&self, command: &str, params: Value) -> Result<Answer, WireError> {
                match command {
                    $(stringify!($bname) => {
                        // Before the task: a wrong request needs no thread.
                        let request: $brequest = parse(command, params)?;
                        // The task may outlive this call, so it owns the program.
                        let app = self.app();
                        // Reading files and planning would hold up events and other commands of
                        // the same thread.
                        let task = tokio::task::spawn_blocking(move || {
                            $brun(&app, request).map_err(|error| to_wire(&error))
                        });
                        let done = task.await;
                        // Only a panic in the command leads to this error.
                        done.map_err(|error| WireError::internal(&error.to_string()))?.map(Answer::Bytes)
                    })*
                    $(stringify!($name) => {
                        let request: $request = parse(command, params)?;
                        let app = self.app();
                        // Dropped with this call: a client that leaves ends its query.
                        let (wanted, _waits) = Waits::begin();
                        let task = tokio::task::spawn_blocking(move || {
                            let run = || $run(&app, request);
                            wanted.during(run).map_err(|error| to_wire(&error)).and_then(print)
                        });
                        let done = task.await;
                        done.map_err(|error| WireError::internal(&error.to_string()))?.map(Answer::Json)
                    })*
                    $(stringify!($wname) => {
                        let request: $wrequest = parse(command, params)?;
                        let app = self.app();
                        let done = $wrun(&app, request).await.map_err(|error| to_wire(&error));
                        done.and_then(print).map(Answer::Json)
                    })*
                    // The page may be of another version than the program.
                    _ => Err(WireError::new(
                        ErrorCode::BadRequest,
                        format!("there is no command '{command}'"),
                        palimpsest_core::NextStep::Reload,
                    )),
                }
            }
        }

        impl Commands<'_> {
            $(
                #[doc = concat!("Runs the command `", stringify!($name), "` on the blocking pool.")]
                pub async fn $name(&self, request: $request) -> Result<$answer, WireError> {
                    let app = self.0.app();
                    let task = tokio::task::spawn_blocking(move || {
                        $run(&app, request).map_err(|error| to_wire(&error))
                    });
                    task.await.map_err(|error| WireError::internal(&error.to_string()))?
                }
            )*
            $(
                #[doc = concat!("Runs the command `", stringify!($wname), "`, which waits for the network.")]
                pub async fn $wname(&self, request: $wrequest) -> Result<$wanswer, WireError> {
                    let app = self.0.app();
                    $wrun(&app, request).await.map_err(|error| to_wire(&error))
                }
            )*
        }
    };
}

impl Api {
    /// Runs a command whose answer is JSON; see [`Api::answer`].
    pub async fn call(&self, command: &str, params: Value) -> Result<Value, WireError> {
        match self.answer(command, params).await? {
            Answer::Json(answer) => Ok(answer),
            Answer::Bytes(_) => Err(WireError::internal(&format!(
                "the answer of '{command}' is bytes and not JSON"
            ))),
        }
    }
}

commands! {
    bytes {
        graph(GraphRequest) = c::tree::graph;
    }
    blocking {
        app_info(Empty) -> AppInfo = c::program::app_info;
        index(IndexRequest) -> IndexReport = c::sessions::index;
        sessions(SessionsRequest) -> SessionPage = c::sessions::sessions;
        open(SessionRequest) -> SessionView = c::sessions::open;
        tree(SessionRequest) -> TreeView = c::tree::tree;
        outline(OutlineRequest) -> OutlinePage = c::tree::outline;
        card_texts(CardTextsRequest) -> CardTexts = c::tree::card_texts;
        entry(EntryRequest) -> EntryView = c::entry::entry;
        entry_raw(RawRequest) -> TextPage = c::entry::entry_raw;
        entry_whole(EntryRequest) -> EntryTextView = c::entry::entry_whole;
        entry_image(ImageRequest) -> ImageView = c::entry::entry_image;
        entry_text(RawRequest) -> TextPage = c::entry::entry_text;
        context(ContextRequest) -> ContextView = c::context::context;
        context_diff(ContextDiffRequest) -> ContextDiff = c::context::context_diff;
        timeline(TimelineRequest) -> Timeline = c::context::timeline;
        policy(PolicyRequest) -> PolicyReport = c::policy::policy;
        policies(Empty) -> PolicyList = c::policy::policies;
        strategies(StrategiesRequest) -> Vec<StrategyInfo> = c::plan::strategies;
        stage_kinds(Empty) -> Vec<StageKindInfo> = c::plan::kinds;
        put_back(PutBackRequest) -> PutBackView = c::ledger::put_back;
        session_turns(SessionRequest) -> TurnsView = c::tree::session_turns;
        branches(SessionRequest) -> BranchesView = c::branches::branches;
        branch_compare(BranchCompareRequest) -> BranchCompareView = c::branches::compare;
        leaving(LeaveRequest) -> LeaveView = c::plan::leaving;
        navigate(NavigateRequest) -> NavigateView = c::writing::navigate;
        write_plan(WriteRequest) -> WritePlanView = c::writing::write_plan;
        write(WriteRequest) -> WrittenView = c::writing::write;
        written(Empty) -> Vec<WrittenView> = c::writing::written;
        written_contexts(WrittenRequest) -> WrittenContexts = c::writing::written_contexts;
        written_resume(WrittenRequest) -> Empty = c::writing::written_resume;
        written_undo(WrittenRequest) -> WrittenView = c::writing::written_undo;
        cut_points(CutPointsRequest) -> Vec<CutPoint> = c::plan::cut_points;
        prompts(PromptsRequest) -> Vec<PromptRow> = c::prompts::prompts;
        prompt(PromptRequest) -> PromptRow = c::prompts::prompt;
        prompt_save(PromptSaveRequest) -> PromptRow = c::prompts::prompt_save;
        prompt_delete(PromptRequest) -> Empty = c::prompts::prompt_delete;
        prompt_label(PromptLabelRequest) -> PromptRow = c::prompts::prompt_label;
        prompts_find(PromptsFindRequest) -> InstalledPromptsView = c::prompts::prompts_find;
        prompts_take(PromptsTakeRequest) -> PromptImportView = c::prompts::prompts_take;
        prompts_import(PromptImportRequest) -> PromptImportView = c::prompts::prompts_import;
        preset_save(PresetSaveRequest) -> PresetSaved = c::prompts::preset_save;
        preset_delete(PresetRequest) -> Empty = c::prompts::preset_delete;
        cancel(CancelRequest) -> Empty = c::runs::cancel;
        runs(RunsRequest) -> Vec<RunRow> = c::runs::runs;
        run(RunRequest) -> RunView = c::runs::run;
        replay(RunRequest) -> ReplayView = c::runs::replay;
        run_delete(RunRequest) -> Empty = c::runs::run_delete;
        run_note(RunNoteRequest) -> Empty = c::workbench::run_note;
        running(Empty) -> Vec<RunningRun> = c::workbench::running;
        text_diff(TextDiffRequest) -> TextDiffView = c::workbench::text_diff;
        prompt_scores(Empty) -> Vec<PromptScoreView> = c::workbench::prompt_scores;
        placeholders(Empty) -> Vec<PlaceholderInfo> = c::workbench::placeholders;
        prompt_rename(RenamedRequest) -> Empty = c::workbench::prompt_rename;
        preset_rename(RenamedRequest) -> PresetSaved = c::workbench::preset_rename;
        judge_plan(JudgeRequest) -> JudgePlanView = c::judge::plan;
        judgements(SessionRequest) -> Vec<JudgementView> = c::judge::judgements;
        judgement(JudgementRequest) -> JudgementView = c::judge::judgement;
        judgement_delete(JudgementRequest) -> Empty = c::judge::judgement_delete;
        lab_plan(LabRequest) -> LabPlanView = c::lab::lab_plan;
        lab_show(LabShowRequest) -> LabView = c::lab::lab_show;
        labs(Empty) -> Vec<LabListRow> = c::lab::labs;
        lab_delete(LabShowRequest) -> Empty = c::lab::lab_delete;
        lab_replay(LabShowRequest) -> LabReplayView = c::lab::lab_replay;
        lab_calibrate(LabCalibrateRequest) -> LabCalibration = c::lab::lab_calibrate;
        cuts(CutsRequest) -> Vec<CutView> = c::lab::cuts;
        cut_sets(Empty) -> Vec<CutSetView> = c::lab::cut_sets;
        cut_set_add(CutSetCutsRequest) -> CutSetView = c::lab::cut_set_add;
        cut_set_remove(CutSetCutsRequest) -> CutSetView = c::lab::cut_set_remove;
        cut_set_changes(CutSetRequest) -> CutSetChanges = c::lab::cut_set_changes;
        cut_set_save(CutSetSaveRequest) -> CutSetView = c::lab::cut_set_save;
        cut_set_delete(CutSetRequest) -> Empty = c::lab::cut_set_delete;
        compare(CompareRequest) -> CompareView = c::runs::compare;
        compare_all(CompareAllRequest) -> CompareAllView = c::runs::compare_all;
        ledger(LedgerRequest) -> LedgerView = c::ledger::ledger;
        summary_draft(SummaryDraftRequest) -> LedgerView = c::editing::draft;
        summary_insert(SummaryInsertRequest) -> SummaryInserted = c::editing::put_in;
        summary_keep(SummaryKeepRequest) -> RunView = c::editing::keep;
        fact_instructions(FactInstructionsRequest) -> FactInstructions = c::editing::ask_for;
        ledger_source(LedgerSourceRequest) -> LedgerSourcePage = c::ledger::ledger_source;
        figures(FiguresRequest) -> FiguresView = c::figures::figures;
        chain(ChainRequest) -> ChainView = c::chain::chain;
        export(ExportRequest) -> ExportView = crate::export::export;
        marks(SessionRequest) -> MarksView = c::marks::marks;
        star(StarRequest) -> StarView = c::marks::star;
        note_save(NoteSaveRequest) -> NoteSaved = c::marks::note_save;
        label_set(LabelRequest) -> LabelsView = c::marks::label_set;
        labels(Empty) -> Vec<LabelUse> = c::marks::labels;
        rename(RenameRequest) -> RenameView = c::marks::rename;
        search_filters(Empty) -> Vec<SearchFilter> = c::search::filters;
        find(FindRequest) -> FindView = c::search::find;
        models(Empty) -> Vec<ModelRow> = c::program::models;
        providers(Empty) -> Vec<ProviderRow> = c::program::providers;
        provider_save(ProviderSaveRequest) -> Empty = c::program::provider_save;
        provider_remove(ProviderRequest) -> Empty = c::program::provider_remove;
        provider_key(ProviderKeyRequest) -> Empty = c::program::provider_key;
        coder_servers(Empty) -> Vec<CoderServer> = c::coder::servers;
        coder_save(CoderSaveRequest) -> CoderServer = c::coder::save;
        coder_cancel(CoderRequest) -> Empty = c::coder::cancel;
        coder_remove(CoderRequest) -> Empty = c::coder::remove;
        settings(Empty) -> Settings = c::program::settings;
        settings_set(SettingsChange) -> Settings = c::program::settings_set;
    }
    waiting {
        search(SearchRequest) -> SearchPage = c::search::search;
        count_hits(CountRequest) -> CountView = c::search::count_hits;
        plan(PlanRequest) -> PlanView = c::plan::plan;
        planned_call(PlannedCallRequest) -> PlannedCallView = c::plan::call;
        compact(CompactRequest) -> RunView = c::runs::compact;
        judge(JudgeRequest) -> JudgementView = c::judge::judge;
        lab_run(LabRequest) -> LabView = c::lab::lab_run;
        provider_models(ProviderRequest) -> ProviderModels = c::program::provider_models;
        local_servers(Empty) -> Vec<LocalServer> = c::program::local_servers;
        coder_read(CoderRequest) -> CoderReading = c::coder::read;
    }
}

fn parse<T: serde::de::DeserializeOwned>(command: &str, params: Value) -> Result<T, WireError> {
    // A host may leave out the request of a command that needs none.
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    serde_json::from_value(params).map_err(|error| {
        let message = format!("the request for '{command}' is not understood: {error}");
        WireError::alone(ErrorCode::BadRequest, message)
    })
}

fn print<T: serde::Serialize>(answer: T) -> Result<Value, WireError> {
    serde_json::to_value(answer).map_err(|error| WireError::internal(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_commands() {
        let mut names: Vec<String> = Vec::new();
        let mut lines = String::new();
        for CommandInfo {
            name,
            request,
            answer,
        } in command_list()
        {
            for kind in [&request, &answer] {
                let bare = kind
                    .trim_start_matches("Array<")
                    .trim_end_matches('>')
                    .to_owned();
                if bare != "Uint8Array" && !names.contains(&bare) {
                    names.push(bare);
                }
            }
            lines += &format!("  {name}: {{ request: {request}; answer: {answer} }};\n");
        }
        names.sort();
        let text = format!(
            "// Generated from the command table by `scripts/types`. Do not edit.\n\
             import type {{\n  {},\n}} from \"./wire\";\n\
             \n\
             /** Every command with what it takes and what it gives. */\n\
             export interface Commands {{\n{lines}}}\n",
            names.join(",\n  ")
        );
        // The folder of the other types: scripts/types names the interface's.
        let folder = std::path::PathBuf::from(std::env::var("TS_RS_EXPORT_DIR").unwrap());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("commands.ts"), text).unwrap();
    }
}
