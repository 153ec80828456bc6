export { EventBus, type EventSource, type Subscriber } from "./bus.ts";
