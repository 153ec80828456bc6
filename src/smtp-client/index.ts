export { DeliveryError, type DeliveryFailure } from "./delivery-error.ts";
export {
  type DeliveryReceipt,
  type Envelope,
  SmtpClient,
  type SmtpCredentials,
} from "./smtp-client.ts";
export { connectionFailure, openSocket, tlsOptions } from "./socket.ts";
