// The thread that checks mail. It keeps nothing, so it may be killed at any moment.
import { CHECK_TASKS } from "../checks/tasks.ts";
import { serveTasks } from "../mime/index.ts";

declare const self: Worker;

serveTasks(self, CHECK_TASKS);
