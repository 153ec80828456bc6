// What a mailbox needs where neither inboxes nor tags matter.
export const NO_INBOXES = { needsHeader: () => false, place: () => "default", retentionOf: () => undefined };
export const NO_TAGGING = { plusAddresses: false, header: undefined };
