/**
 * What connecting consists of, in this order: secrets and settings are put together; the server lets us in (over HTTP
 * only); both say what they speak; the tools are listed. A second attempt begins again.
 */
export const CONNECT_STEPS = ["resolve", "authenticate", "handshake", "list"] as const;

export type ConnectStep = (typeof CONNECT_STEPS)[number];

/** Told when a step begins, which ends the one before. */
export type StepListener = (step: ConnectStep) => void;
