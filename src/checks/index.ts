export { Checker, type CheckOptions, type CheckSettings } from "./checker.ts";
export { DnsFileError, parseDnsRecords } from "./dns.ts";
export { CLIENT_WORDS, clientNames, unknownClient } from "./html/clients.ts";
export { checkedMail, type MailToCheck, readMail } from "./mail.ts";
