// Each view under its name.
import { AgentsView } from "overture/views/agents.js";
import { CallsView } from "overture/views/calls.js";
import { CheckView } from "overture/views/check.js";
import { FilesView } from "overture/views/files.js";
import { MapView } from "overture/views/map.js";
import { PlayView } from "overture/views/play.js";
import { PromptView } from "overture/views/prompt.js";
import { TurnsView } from "overture/views/turns.js";

export const VIEW = {
  prompt: PromptView, map: MapView, turns: TurnsView, play: PlayView, agents: AgentsView, files: FilesView, check: CheckView,
  calls: CallsView,
};
