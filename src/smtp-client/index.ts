export { connectionFailure, DeliveryError, type DeliveryFailure } from "./delivery-error.ts";
export {
  type DeliveryReceipt,
  openSocket,
  type Refusal,
  SmtpClient,
  type SmtpCredentials,
  tlsOptions,
} from "./smtp-client.ts";
