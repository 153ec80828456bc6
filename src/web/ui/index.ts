export * from "./buttons.tsx";
export * from "./form.tsx";
export * from "./handle.tsx";
export * from "./mail-text.tsx";
export * from "./session.tsx";
export * from "./waiting.tsx";
