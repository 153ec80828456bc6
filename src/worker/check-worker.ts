// The thread that checks mail. It keeps nothing, so it may be killed at any moment.
import { CHECK_TASKS } from "../checks/tasks.ts";
import { answerTask, type TaskRequest } from "../mime/index.ts";

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<TaskRequest>) =>
  self.postMessage(await answerTask(CHECK_TASKS, data));

self.postMessage("ready");
