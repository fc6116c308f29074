// Generated from the command table by `scripts/types`. Do not edit.
import type {
  AppInfo,
  BranchCompareRequest,
  BranchCompareView,
  BranchesView,
  CancelRequest,
  CardTexts,
  CardTextsRequest,
  ChainRequest,
  ChainView,
  CoderReading,
  CoderRequest,
  CoderSaveRequest,
  CoderServer,
  CompactRequest,
  CompareAllRequest,
  CompareAllView,
  CompareRequest,
  CompareView,
  ContextDiff,
  ContextDiffRequest,
  ContextRequest,
  ContextView,
  CountRequest,
  CountView,
  CutPoint,
  CutPointsRequest,
  CutSetChanges,
  CutSetCutsRequest,
  CutSetRequest,
  CutSetSaveRequest,
  CutSetView,
  CutView,
  CutsRequest,
  Empty,
  EntryRequest,
  EntryTextView,
  EntryView,
  ExportRequest,
  ExportView,
  FactInstructions,
  FactInstructionsRequest,
  FiguresRequest,
  FiguresView,
  FindRequest,
  FindView,
  GraphRequest,
  ImageRequest,
  ImageView,
  IndexReport,
  IndexRequest,
  InstalledPromptsView,
  JudgePlanView,
  JudgeRequest,
  JudgementRequest,
  JudgementView,
  LabCalibrateRequest,
  LabCalibration,
  LabListRow,
  LabPlanView,
  LabReplayView,
  LabRequest,
  LabShowRequest,
  LabView,
  LabelRequest,
  LabelUse,
  LabelsView,
  LeaveRequest,
  LeaveView,
  LedgerRequest,
  LedgerSourcePage,
  LedgerSourceRequest,
  LedgerView,
  LocalServer,
  MarksView,
  ModelRow,
  NavigateRequest,
  NavigateView,
  NoteSaveRequest,
  NoteSaved,
  OutlinePage,
  OutlineRequest,
  PlaceholderInfo,
  PlanRequest,
  PlanView,
  PlannedCallRequest,
  PlannedCallView,
  PolicyList,
  PolicyReport,
  PolicyRequest,
  PresetRequest,
  PresetSaveRequest,
  PresetSaved,
  PromptImportRequest,
  PromptImportView,
  PromptLabelRequest,
  PromptRequest,
  PromptRow,
  PromptSaveRequest,
  PromptScoreView,
  PromptsFindRequest,
  PromptsRequest,
  PromptsTakeRequest,
  ProviderKeyRequest,
  ProviderModels,
  ProviderRequest,
  ProviderRow,
  ProviderSaveRequest,
  PutBackRequest,
  PutBackView,
  RawRequest,
  RenameRequest,
  RenameView,
  RenamedRequest,
  ReplayView,
  RunNoteRequest,
  RunRequest,
  RunRow,
  RunView,
  RunningRun,
  RunsRequest,
  SearchFilter,
  SearchPage,
  SearchRequest,
  SessionPage,
  SessionRequest,
  SessionView,
  SessionsRequest,
  Settings,
  SettingsChange,
  StageKindInfo,
  StarRequest,
  StarView,
  StrategiesRequest,
  StrategyInfo,
  SummaryDraftRequest,
  SummaryInsertRequest,
  SummaryInserted,
  SummaryKeepRequest,
  TextDiffRequest,
  TextDiffView,
  TextPage,
  Timeline,
  TimelineRequest,
  TreeView,
  TurnsView,
  WritePlanView,
  WriteRequest,
  WrittenContexts,
  WrittenRequest,
  WrittenView,
} from "./wire";

/** Every command with what it takes and what it gives. */
export interface Commands {
  graph: { request: GraphRequest; answer: Uint8Array };
  app_info: { request: Empty; answer: AppInfo };
  index: { request: IndexRequest; answer: IndexReport };
  sessions: { request: SessionsRequest; answer: SessionPage };
  open: { request: SessionRequest; answer: SessionView };
  tree: { request: SessionRequest; answer: TreeView };
  outline: { request: OutlineRequest; answer: OutlinePage };
  card_texts: { request: CardTextsRequest; answer: CardTexts };
  entry: { request: EntryRequest; answer: EntryView };
  entry_raw: { request: RawRequest; answer: TextPage };
  entry_whole: { request: EntryRequest; answer: EntryTextView };
  entry_image: { request: ImageRequest; answer: ImageView };
  entry_text: { request: RawRequest; answer: TextPage };
  context: { request: ContextRequest; answer: ContextView };
  context_diff: { request: ContextDiffRequest; answer: ContextDiff };
  timeline: { request: TimelineRequest; answer: Timeline };
  policy: { request: PolicyRequest; answer: PolicyReport };
  policies: { request: Empty; answer: PolicyList };
  strategies: { request: StrategiesRequest; answer: Array<StrategyInfo> };
  stage_kinds: { request: Empty; answer: Array<StageKindInfo> };
  put_back: { request: PutBackRequest; answer: PutBackView };
  session_turns: { request: SessionRequest; answer: TurnsView };
  branches: { request: SessionRequest; answer: BranchesView };
  branch_compare: { request: BranchCompareRequest; answer: BranchCompareView };
  leaving: { request: LeaveRequest; answer: LeaveView };
  navigate: { request: NavigateRequest; answer: NavigateView };
  write_plan: { request: WriteRequest; answer: WritePlanView };
  write: { request: WriteRequest; answer: WrittenView };
  written: { request: Empty; answer: Array<WrittenView> };
  written_contexts: { request: WrittenRequest; answer: WrittenContexts };
  written_resume: { request: WrittenRequest; answer: Empty };
  written_undo: { request: WrittenRequest; answer: WrittenView };
  cut_points: { request: CutPointsRequest; answer: Array<CutPoint> };
  prompts: { request: PromptsRequest; answer: Array<PromptRow> };
  prompt: { request: PromptRequest; answer: PromptRow };
  prompt_save: { request: PromptSaveRequest; answer: PromptRow };
  prompt_delete: { request: PromptRequest; answer: Empty };
  prompt_label: { request: PromptLabelRequest; answer: PromptRow };
  prompts_find: { request: PromptsFindRequest; answer: InstalledPromptsView };
  prompts_take: { request: PromptsTakeRequest; answer: PromptImportView };
  prompts_import: { request: PromptImportRequest; answer: PromptImportView };
  preset_save: { request: PresetSaveRequest; answer: PresetSaved };
  preset_delete: { request: PresetRequest; answer: Empty };
  cancel: { request: CancelRequest; answer: Empty };
  runs: { request: RunsRequest; answer: Array<RunRow> };
  run: { request: RunRequest; answer: RunView };
  replay: { request: RunRequest; answer: ReplayView };
  run_delete: { request: RunRequest; answer: Empty };
  run_note: { request: RunNoteRequest; answer: Empty };
  running: { request: Empty; answer: Array<RunningRun> };
  text_diff: { request: TextDiffRequest; answer: TextDiffView };
  prompt_scores: { request: Empty; answer: Array<PromptScoreView> };
  placeholders: { request: Empty; answer: Array<PlaceholderInfo> };
  prompt_rename: { request: RenamedRequest; answer: Empty };
  preset_rename: { request: RenamedRequest; answer: PresetSaved };
  judge_plan: { request: JudgeRequest; answer: JudgePlanView };
  judgements: { request: SessionRequest; answer: Array<JudgementView> };
  judgement: { request: JudgementRequest; answer: JudgementView };
  judgement_delete: { request: JudgementRequest; answer: Empty };
  lab_plan: { request: LabRequest; answer: LabPlanView };
  lab_show: { request: LabShowRequest; answer: LabView };
  labs: { request: Empty; answer: Array<LabListRow> };
  lab_delete: { request: LabShowRequest; answer: Empty };
  lab_replay: { request: LabShowRequest; answer: LabReplayView };
  lab_calibrate: { request: LabCalibrateRequest; answer: LabCalibration };
  cuts: { request: CutsRequest; answer: Array<CutView> };
  cut_sets: { request: Empty; answer: Array<CutSetView> };
  cut_set_add: { request: CutSetCutsRequest; answer: CutSetView };
  cut_set_remove: { request: CutSetCutsRequest; answer: CutSetView };
  cut_set_changes: { request: CutSetRequest; answer: CutSetChanges };
  cut_set_save: { request: CutSetSaveRequest; answer: CutSetView };
  cut_set_delete: { request: CutSetRequest; answer: Empty };
  compare: { request: CompareRequest; answer: CompareView };
  compare_all: { request: CompareAllRequest; answer: CompareAllView };
  ledger: { request: LedgerRequest; answer: LedgerView };
  summary_draft: { request: SummaryDraftRequest; answer: LedgerView };
  summary_insert: { request: SummaryInsertRequest; answer: SummaryInserted };
  summary_keep: { request: SummaryKeepRequest; answer: RunView };
  fact_instructions: { request: FactInstructionsRequest; answer: FactInstructions };
  ledger_source: { request: LedgerSourceRequest; answer: LedgerSourcePage };
  figures: { request: FiguresRequest; answer: FiguresView };
  chain: { request: ChainRequest; answer: ChainView };
  export: { request: ExportRequest; answer: ExportView };
  marks: { request: SessionRequest; answer: MarksView };
  star: { request: StarRequest; answer: StarView };
  note_save: { request: NoteSaveRequest; answer: NoteSaved };
  label_set: { request: LabelRequest; answer: LabelsView };
  labels: { request: Empty; answer: Array<LabelUse> };
  rename: { request: RenameRequest; answer: RenameView };
  search_filters: { request: Empty; answer: Array<SearchFilter> };
  find: { request: FindRequest; answer: FindView };
  models: { request: Empty; answer: Array<ModelRow> };
  providers: { request: Empty; answer: Array<ProviderRow> };
  provider_save: { request: ProviderSaveRequest; answer: Empty };
  provider_remove: { request: ProviderRequest; answer: Empty };
  provider_key: { request: ProviderKeyRequest; answer: Empty };
  coder_servers: { request: Empty; answer: Array<CoderServer> };
  coder_save: { request: CoderSaveRequest; answer: CoderServer };
  coder_cancel: { request: CoderRequest; answer: Empty };
  coder_remove: { request: CoderRequest; answer: Empty };
  settings: { request: Empty; answer: Settings };
  settings_set: { request: SettingsChange; answer: Settings };
  search: { request: SearchRequest; answer: SearchPage };
  count_hits: { request: CountRequest; answer: CountView };
  plan: { request: PlanRequest; answer: PlanView };
  planned_call: { request: PlannedCallRequest; answer: PlannedCallView };
  compact: { request: CompactRequest; answer: RunView };
  judge: { request: JudgeRequest; answer: JudgementView };
  lab_run: { request: LabRequest; answer: LabView };
  provider_models: { request: ProviderRequest; answer: ProviderModels };
  local_servers: { request: Empty; answer: Array<LocalServer> };
  coder_read: { request: CoderRequest; answer: CoderReading };
}
