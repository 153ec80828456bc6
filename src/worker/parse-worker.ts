// The thread that parses mail. It may be killed at any moment: it holds nothing.
import { answerTask, localTasks, type TaskRequest, type Tasks } from "../mime/index.ts";
import { parseBodies } from "../mime/parse.ts";

declare const self: Worker;

const run = {
  ...localTasks,
  parse: ({ parts, pieces }: Tasks["parse"]["input"]) => parseBodies(parts, pieces),
};

self.onmessage = async ({ data }: MessageEvent<TaskRequest>) => {
  self.postMessage(await answerTask(run, data));
};

self.postMessage("ready");
