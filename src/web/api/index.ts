export * from "./address.ts";
export * from "./client.ts";
export * from "./live-socket.ts";
export * from "./routes.ts";
