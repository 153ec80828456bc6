export { Inbox } from "./inbox.ts";
