// The thread that parses mail. It keeps nothing, so it may be killed at any moment.
import { answerTask, PARSE_TASKS, type TaskRequest } from "../mime/index.ts";

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<TaskRequest>) =>
  self.postMessage(await answerTask(PARSE_TASKS, data));

self.postMessage("ready");
