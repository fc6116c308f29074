//! What to do after a failure, in the words of the window, with a button where the window can
//! do it itself.

import { exact } from "../text/format";
import type { InputView, ListedView, NextStepView } from "../../wire/wire";

/** The parts of the settings dialog that a step leads to. */
export type SettingsPart = "folders" | "providers" | "cost" | "prompts" | "embeddings";

/** What a button of a step does. */
export type StepAction =
  | { does: "settings"; part: SettingsPart }
  | { does: "index"; roots: string[] }
  | { does: "reload" };

export interface StepWords {
  hint: string;
  button?: { label: string; action: StepAction };
}

/** More names than this are left to the list they stand in. */
const MOST_NAMES = 12;

/** A step in the window's words; `neutral` is what holds in every host. */
export function wordsOfStep(step: NextStepView, neutral: string): StepWords {
  switch (step.kind) {
    case "give":
      return given(step.what, neutral);
    case "leave_out":
      return { hint: neutral };
    case "choose":
      return { hint: chosen(step.what, step.known, step.similar) };
    case "choose_model":
      return providers(`Choose a model of ${step.provider}, or add one in its settings.`);
    case "set_key":
      return providers(
        step.no_keyring && step.env !== null
          ? `No keyring answers on this machine. Set the environment variable ${step.env} to a valid API key for ${step.provider} and start Palimpsest again.`
          : step.env === null
            ? `Add a valid API key for ${step.provider}.`
            : `Add a valid API key for ${step.provider}, or set the environment variable ${step.env} and start Palimpsest again.`,
      );
    case "add_credit":
    case "edit_provider":
      return providers(neutral);
    case "index_folder":
      return {
        hint: "Index the folder, then choose a session from the list.",
        button: { label: "Index the folder", action: { does: "index", roots: [step.path] } },
      };
    case "rebuild_index":
      return {
        hint: neutral,
        button: { label: "Build the index again", action: { does: "index", roots: [] } },
      };
    case "rescan":
      return {
        hint: "Rescan the session folders to remove it from the list, or restore the file.",
        button: { label: "Rescan", action: { does: "index", roots: [] } },
      };
    case "reload":
      return {
        hint: "The page and the program have different versions.",
        button: { label: "Load the page again", action: { does: "reload" } },
      };
    case "set_up_program":
      return {
        hint: `Set the program up in the desktop window, or in a preset file (folder ${step.presets}). Starting the server with \`palimpsest serve --allow-programs\` allows every program.`,
      };
    case "set_up_key_at_machine":
      return {
        hint: "Set the provider and its key up in the desktop window on the machine on which the server runs.",
      };
    case "open_again":
      return { hint: "The session's file has changed. Load it again." };
    case "redo":
      return { hint: "Turn on the option that plans this compaction again." };
    case "run_again":
      return { hint: "Run it again in the Re-run tab." };
    case "allow_more_output":
      return {
        hint: `Allow more ${step.limit === null ? "" : `than ${exact(step.limit)} `}output tokens (in the Re-run tab: Summarize, Output limit), summarize a shorter span, or choose another model.`,
      };
    case "write_new":
      return { hint: "Write a new session instead of appending." };
    case "change_strategy":
      return { hint: "Choose another strategy in the Re-run tab." };
    case "try_again":
    case "undo_by_hand":
    case "quit_agent":
    case "try_again_in":
    case "try_later":
    case "plan_again":
    case "give_longer_id":
    case "use_id":
    case "correct_filter":
    case "widen_query":
    case "give_line":
    case "shorten_query":
    case "give_whole_name":
    case "choose_later":
    case "choose_branch":
    case "choose_entries":
    case "choose_target":
    case "keep_less":
    case "spare_less":
    case "ask_fewer":
    case "allow_more_input":
    case "change_name":
    case "change_parameter":
    case "change_model":
    case "change_model_or_instructions":
    case "change_request":
    case "set_token":
    case "unlock_keyring":
    case "summarize_less":
    case "try_faster":
    case "summarize_more":
    case "correct_program":
    case "check_file":
    case "check_folder":
    case "free_space":
    case "correct_file":
    case "rename_file":
    case "recover_database":
    case "replace_database":
    case "start_owner":
    case "change_port":
    case "update_program":
    case "report":
      return { hint: neutral };
  }
}

function given(what: InputView, neutral: string): StepWords {
  switch (what) {
    case "session":
      return { hint: "Choose a session from the list." };
    case "entry":
      return { hint: "Select an entry in the outline." };
    case "compaction":
      return { hint: "Select a compaction in the outline, or make one in the Re-run tab." };
    case "provider":
      return providers("Choose a provider that has models under Runs on.");
    case "model":
      return providers("Choose a model under Runs on.");
    case "run":
      return { hint: "Choose a run in the Runs tab." };
    case "instructions":
      return { hint: "Write custom instructions." };
    case "strategy":
      return { hint: "Choose a strategy." };
    case "search_embeddings":
      return {
        hint: "Choose an embedding model or a file of word vectors in the settings, or another order.",
        button: {
          label: "Open the embedding settings",
          action: { does: "settings", part: "embeddings" },
        },
      };
    case "embeddings":
    case "word_vectors":
      return {
        hint: "Choose an embedding model or a file of word vectors in the settings, or a strategy that compares by words.",
        button: {
          label: "Open the embedding settings",
          action: { does: "settings", part: "embeddings" },
        },
      };
    case "data_folder":
      return { hint: "Start Palimpsest with another folder for its databases." };
    case "command":
      return { hint: "Enter the program and its arguments as the command." };
    case "base_url":
    case "replace_prompt":
    case "saved_prompt":
    case "redo":
    case "window":
    case "policies":
    case "summary":
    case "prompt_text":
    case "name":
      return { hint: neutral };
  }
}

const LISTS: Record<ListedView, string> = {
  strategies: "strategy",
  parameters: "parameter",
  prompt_places: "prompt of the strategy",
  policies: "policy",
  policy_parameters: "parameter",
  providers: "provider",
  prompts: "saved prompt",
  presets: "custom strategy",
  runs: "run",
  tokenizers: "tokenizer",
  provider_kinds: "kind of provider",
  cut_sets: "set of cuts",
  experiments: "stored experiment",
  written: "written session",
  facts: "fact",
  judgements: "judgement",
  coder_servers: "Coder server",
  installed_prompts: "prompt of an installed agent",
};

/** What is said of a list that is known to be empty: a list of these is always whole. */
const NONE: Partial<Record<ListedView, string>> = {
  cut_sets: "No set of cuts is stored. Store one in the Lab, under Sets of cuts.",
  experiments: "No experiment is stored. Make one in the Lab.",
  coder_servers: "No Coder server is listed. Add one in the settings.",
};

function chosen(what: ListedView, known: readonly string[], similar: readonly string[]): string {
  const none = NONE[what];
  if (known.length === 0 && none !== undefined) return none;
  if (known.length === 0 || known.length > MOST_NAMES)
    return similar.length > 0
      ? `Similar names: ${similar.join(", ")}.`
      : `Choose a ${LISTS[what]} from the list.`;
  return `Choose another ${LISTS[what]}: ${known.join(", ")}.`;
}

function providers(hint: string): StepWords {
  return {
    hint,
    button: {
      label: "Open the provider settings",
      action: { does: "settings", part: "providers" },
    },
  };
}
