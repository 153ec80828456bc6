// One field of one message, as the key of a map: what is changed of a message here has a history of its own.
export const fieldKey = (id: string, field: string): string => `${field} ${id}`;
