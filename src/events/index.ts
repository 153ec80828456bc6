export { EventBus, type Subscriber } from "./bus.ts";
