export { Checker, type CheckOptions } from "./checker.ts";
export { CLIENT_WORDS, unknownClient } from "./html/clients.ts";
export { checkedMail, type MailToCheck } from "./mail.ts";
export { CHECK_TASKS } from "./tasks.ts";
