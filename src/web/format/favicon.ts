// The mark of Mailkeep, an envelope whose upper edge is a battlement: a keep for mail.
export const MARK_WALL = "M4 9V5h4.5v2.5h3V5h9v2.5h3V5H28v4";
export const MARK_BODY = "M4 9v15.5A2.5 2.5 0 0 0 6.5 27h19a2.5 2.5 0 0 0 2.5-2.5V9z";
export const MARK_FLAP = "M5 11.5l11 8 11-8";

export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="#0b6b57"><path d="${MARK_WALL}z"/><path d="${MARK_BODY}"/></g><path d="${MARK_FLAP}" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
