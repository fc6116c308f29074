// Generated from the command table by `cargo test -p palimpsest-api`. Do not edit.
import type {
  AppInfo,
  CancelRequest,
  CardTexts,
  CardTextsRequest,
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
  CutPoint,
  CutPointsRequest,
  Empty,
  EntryRequest,
  EntryTextView,
  EntryView,
  FindRequest,
  FindView,
  GraphRequest,
  ImageRequest,
  ImageView,
  IndexReport,
  IndexRequest,
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
  PromptRequest,
  PromptRow,
  PromptSaveRequest,
  PromptsRequest,
  ProviderKeyRequest,
  ProviderModels,
  ProviderRequest,
  ProviderRow,
  ProviderSaveRequest,
  RawRequest,
  RenameRequest,
  RenameView,
  ReplayView,
  RunRequest,
  RunRow,
  RunView,
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
  TextPage,
  Timeline,
  TimelineRequest,
  TreeView,
  WritePlanView,
  WriteRequest,
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
  leaving: { request: LeaveRequest; answer: LeaveView };
  navigate: { request: NavigateRequest; answer: NavigateView };
  write_plan: { request: WriteRequest; answer: WritePlanView };
  write: { request: WriteRequest; answer: WrittenView };
  written: { request: Empty; answer: Array<WrittenView> };
  written_undo: { request: WrittenRequest; answer: WrittenView };
  cut_points: { request: CutPointsRequest; answer: Array<CutPoint> };
  prompts: { request: PromptsRequest; answer: Array<PromptRow> };
  prompt: { request: PromptRequest; answer: PromptRow };
  prompt_save: { request: PromptSaveRequest; answer: PromptRow };
  prompt_delete: { request: PromptRequest; answer: Empty };
  prompts_import: { request: PromptImportRequest; answer: PromptImportView };
  preset_save: { request: PresetSaveRequest; answer: PresetSaved };
  preset_delete: { request: PresetRequest; answer: Empty };
  cancel: { request: CancelRequest; answer: Empty };
  runs: { request: RunsRequest; answer: Array<RunRow> };
  run: { request: RunRequest; answer: RunView };
  replay: { request: RunRequest; answer: ReplayView };
  run_delete: { request: RunRequest; answer: Empty };
  compare: { request: CompareRequest; answer: CompareView };
  compare_all: { request: CompareAllRequest; answer: CompareAllView };
  ledger: { request: LedgerRequest; answer: LedgerView };
  ledger_source: { request: LedgerSourceRequest; answer: LedgerSourcePage };
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
  plan: { request: PlanRequest; answer: PlanView };
  planned_call: { request: PlannedCallRequest; answer: PlannedCallView };
  compact: { request: CompactRequest; answer: RunView };
  provider_models: { request: ProviderRequest; answer: ProviderModels };
  local_servers: { request: Empty; answer: Array<LocalServer> };
  coder_read: { request: CoderRequest; answer: CoderReading };
}
