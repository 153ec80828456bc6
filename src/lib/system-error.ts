// Why the system refused a file or a connection, in words instead of a code.

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "it is not permitted",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is a file, not a folder",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
  EMFILE: "too many files are open",
  ELOOP: "its links lead in a circle",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was lost",
  ETIMEDOUT: "there was no answer in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ENOTFOUND: "there is no such host",
  // Codes of Bun
  ConnectionRefused: "the connection was refused",
  DNS_ENOTFOUND: "there is no such host",
};

/** The code before a message and the system call after it, which may mean nothing to the user. */
const CODE_AND_CALL = /^E[A-Z]+: |, \w+(?: '.*')?$/gs;

export function systemReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (Object.hasOwn(WORDS, code)) return WORDS[code] ?? message;
  return code === "" ? message : message.replace(CODE_AND_CALL, "");
}
